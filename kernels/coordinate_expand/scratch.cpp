#include "kernels/coordinate_expand/scratch.h"

#include <algorithm>
#include <bit>

#include "kernels/common/cub_memory.h"
#include "kernels/common/memory_cutter.h"

namespace ablate::coordinate_expand {

scratch::scratch(const problem& p) {
  memory_cutter memory{static_cast<std::byte*>(p.scratch)};
  const std::int64_t sorted = p.may_sort ? p.candidates() : 0;
  memory.cut(slots, 1);
  memory.cut(selected, 1);
  for (auto*& array : keys) memory.cut(array, sorted);
  temporary_bytes = p.may_sort ? cub_memory_bytes(sorted) : 0;
  memory.cut(temporary, static_cast<std::int64_t>(temporary_bytes));
  bytes = memory.used;
}

std::size_t scratch_bytes(const problem& p) { return scratch(p).bytes; }

std::size_t table_bytes(const problem& p) { return 12 * static_cast<std::size_t>(p.max_slots); }

std::int64_t slots_at_half_load(std::int64_t rows) {
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(16, 2 * rows))));
}

std::array<int, 3> offset_of(const std::array<int, 3>& kernel, int q) {
  const auto lowest = [&](std::size_t axis) { return kernel[axis] % 2 == 1 ? -(kernel[axis] - 1) / 2 : 0; };
  return {q / kernel[2] / kernel[1] + lowest(0), q / kernel[2] % kernel[1] + lowest(1),
          q % kernel[2] + lowest(2)};
}

}  // namespace ablate::coordinate_expand
