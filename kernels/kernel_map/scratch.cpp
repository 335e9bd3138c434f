#include "kernels/kernel_map/scratch.h"

#include <algorithm>
#include <bit>

#include "kernels/common/cub_memory.h"
#include "kernels/common/memory_cutter.h"
#include "kernels/hash_table/hash_table.h"

namespace ablate::kernel_map {
namespace {

void cut_sort_buffers(memory_cutter& memory, sort_buffers& order, std::int64_t rows) {
  memory.cut(order.keys, rows);
  memory.cut(order.sorted_keys, rows);
  memory.cut(order.rows, rows);
  memory.cut(order.sorted_rows, rows);
}

/// A sort that preserves its input copies keys and rows again.
std::size_t sort_bytes_of(std::int64_t rows) {
  return cub_memory_bytes(rows) +
         static_cast<std::size_t>(rows) * (sizeof(std::uint64_t) + sizeof(std::int32_t));
}

}  // namespace

scratch::scratch(const problem& p) {
  memory_cutter memory{static_cast<std::byte*>(p.scratch)};
  const std::int64_t offsets = p.offsets();
  coarse_slots = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(16, 2 * p.rows))));
  std::byte* bytes_of_table = nullptr;
  memory.cut(bytes_of_table, static_cast<std::int64_t>(hash_table::table_bytes(p.slots, p.rows)));
  table = bytes_of_table;
  memory.cut(table_status, 1);
  dense = p.tables;
  if (p.wanted == output::lists) memory.cut(dense, offsets * p.outs);
  memory.cut(counts, offsets);
  memory.cut(cursors, offsets);
  memory.cut(coarse_keys, coarse_slots);
  memory.cut(coarse_ids, coarse_slots);
  memory.cut(coarse_maps, 2 * coarse_slots);
  memory.cut(cell_count, 2);
  memory.cut(cell_of_row, p.rows);
  memory.cut(cell_coordinates, 4 * p.rows);
  memory.cut(cell_bits, p.rows);
  memory.cut(cell_begin, p.rows);
  memory.cut(cell_rows, p.rows);
  memory.cut(block_counts, std::max(cell_groups(p.rows), list_blocks(p.outs)) * offsets);
  memory.cut(chunk_counts, cell_chunks(p.rows) * offsets);
  memory.cut(plans, offsets);
  memory.cut(masks, p.outs);
  cut_sort_buffers(memory, in_order, p.rows);
  out_order = in_order;
  if (!p.same) cut_sort_buffers(memory, out_order, p.outs);
  sort_bytes = sort_bytes_of(std::max(p.rows, p.outs));
  memory.cut(sort_memory, static_cast<std::int64_t>(sort_bytes));
  memory.cut(survey, 1);
  bytes = memory.used;
}

std::size_t scratch_bytes(const problem& p) { return scratch(p).bytes; }

std::array<int, 3> offset_of(const problem& p, int q) {
  const std::array<int, 3> index = {q / p.kernel[2] / p.kernel[1], q / p.kernel[2] % p.kernel[1],
                                    q % p.kernel[2]};
  std::array<int, 3> offset;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int center = p.kernel[axis] % 2 == 1 ? (p.kernel[axis] - 1) / 2 : 0;
    offset[axis] = (index[axis] - center) * p.dilation[axis];
  }
  return offset;
}

}  // namespace ablate::kernel_map
