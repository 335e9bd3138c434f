#include "kernels/voxel_mean/table.h"

#include <algorithm>
#include <bit>

#include "kernels/common/memory_cutter.h"

namespace ablate::voxel_mean {

std::int64_t table_slots(const problem& p) {
  constexpr std::int64_t fewest_slots = 32;
  const std::int64_t most_occupied = std::min(p.all_points(), p.all_cells());
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max(fewest_slots, 2 * most_occupied))));
}

sums_table::sums_table(const problem& p) {
  const std::int64_t slots = table_slots(p);
  memory_cutter memory{static_cast<std::byte*>(p.table)};
  memory.cut(keys, slots);
  memory.cut(counts, slots);
  memory.cut(sums, slots * p.features);
  bytes = memory.used;
}

std::size_t table_bytes(const problem& p) { return sums_table(p).bytes; }

}  // namespace ablate::voxel_mean
