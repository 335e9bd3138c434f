#include "kernels/voxelize/sort_scratch.h"

#include <algorithm>
#include <bit>

#include "kernels/common/cub_memory.h"
#include "kernels/common/memory_cutter.h"

namespace ablate::voxelize {

cell_keys::cell_keys(const problem& p, bool morton) : morton(morton) {
  const int max_cells = *std::max_element(p.cells.begin(), p.cells.end());
  axis_bits = std::max<int>(brick_axis_bits, std::bit_width(static_cast<unsigned>(max_cells) - 1));
  const auto clouds = static_cast<unsigned long long>(p.batch);
  none = morton ? clouds << code_bits() : clouds * static_cast<unsigned long long>(p.cells_per_cloud());
}

int cell_keys::key_bits() const { return std::bit_width(none); }

std::size_t key_bytes(const problem& p) {
  const bool fit = cell_keys(p, true).key_bits() <= 32 && cell_keys(p, false).key_bits() <= 32;
  return fit ? 4 : 8;
}

sort_scratch::sort_scratch(const problem& p) {
  memory_cutter memory{static_cast<std::byte*>(p.scratch)};
  const std::int64_t points = p.all_points();
  const std::int64_t bytes_of_keys = points * static_cast<std::int64_t>(key_bytes(p));
  memory.cut(keys, bytes_of_keys);
  memory.cut(sorted, bytes_of_keys);
  // A sort that preserves its input needs an extra key buffer for the passes between the first and the last.
  temporary_bytes = cub_memory_bytes(points) + static_cast<std::size_t>(bytes_of_keys);
  memory.cut(temporary, static_cast<std::int64_t>(temporary_bytes));
  bytes = memory.used;
}

std::size_t sort_scratch_bytes(const problem& p) { return sort_scratch(p).bytes; }

}  // namespace ablate::voxelize
