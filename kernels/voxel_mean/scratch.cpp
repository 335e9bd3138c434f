#include "kernels/voxel_mean/scratch.h"

namespace ablate::voxel_mean {

scratch::scratch(const problem& p) {
  memory_cutter memory{static_cast<std::byte*>(p.scratch)};
  order.cut(memory, p);
  bytes = memory.used;
}

std::size_t scratch_bytes(const problem& p) { return scratch(p).bytes; }

}  // namespace ablate::voxel_mean
