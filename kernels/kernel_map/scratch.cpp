#include "kernels/kernel_map/scratch.h"

#include <algorithm>
#include <bit>

#include "kernels/common/memory_cutter.h"
#include "kernels/hash_table/hash_table.h"

namespace ablate::kernel_map {

scratch::scratch(const problem& p) {
  memory_cutter memory{static_cast<std::byte*>(p.scratch)};
  const std::int64_t offsets = p.offsets();
  coarse_slots = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(16, 2 * p.rows))));
  std::byte* bytes_of_table = nullptr;
  memory.cut(bytes_of_table, static_cast<std::int64_t>(hash_table::table_bytes(p.slots, p.rows)));
  table = bytes_of_table;
  memory.cut(table_status, 1);
  memory.cut(dense, offsets * p.outs);
  memory.cut(counts, offsets);
  memory.cut(cursors, offsets);
  memory.cut(coarse_keys, coarse_slots);
  memory.cut(coarse_ids, coarse_slots);
  memory.cut(cell_count, 2);
  memory.cut(cell_of_row, p.rows);
  memory.cut(cell_coordinates, 4 * p.rows);
  memory.cut(cell_bits, p.rows);
  memory.cut(cell_begin, p.rows);
  memory.cut(cell_rows, p.rows);
  memory.cut(block_counts, cell_groups(p.rows) * offsets);
  memory.cut(contributions, contributions_per_offset * offsets);
  memory.cut(masks, p.outs);
  bytes = memory.used;
}

std::size_t scratch_bytes(const problem& p) { return scratch(p).bytes; }

}  // namespace ablate::kernel_map
