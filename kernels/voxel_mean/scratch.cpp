#include "kernels/voxel_mean/scratch.h"

namespace ablate::voxel_mean {

scratch::scratch(const problem& p) {
  memory_cutter memory{static_cast<std::byte*>(p.scratch)};
  order.cut(memory, p);
  bytes = memory.used;
}

std::size_t scratch_bytes(const problem& p) { return scratch(p).bytes; }

std::size_t found_cells_bytes(const problem& p) {
  return 4 * sizeof(std::int32_t) * static_cast<std::size_t>((p.all_points() + 3) / 4);
}

}  // namespace ablate::voxel_mean
