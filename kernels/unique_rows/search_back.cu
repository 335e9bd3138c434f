// As published (WarpConvNet, "Packed Hash Table"): the table is searched for each of its own rows, which
// yields the same row for all copies of a coordinate; the answers are sorted and deduplicated. The published
// code drops misses as well; a table with a slot for every coordinate has none. Costs a random read of a key
// and of a row per row, and a radix sort of as many 4-byte numbers, by only the bits of the greatest. Should
// move: the sort's bytes, 8 per row for each 8 bits.
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "kernels/common/min_max.h"
#include "kernels/unique_rows/phases.cuh"

namespace ablate::unique_rows {

void search_back(launcher& to, const problem& p) {
  if (p.rows == 0) return list_nothing(to, p);
  const scratch s(p);
  hash_table::problem search = table_problem(p);
  search.found = s.rows[0];
  hash_table::search_all<rows_table, 1>(to, search, p.coordinates, p.rows);

  cub::DoubleBuffer<std::int32_t> found(s.rows[0], s.rows[1]);
  const int bits = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(p.rows - 1))));
  call_cub(to, "cub::DeviceRadixSort", s.temporary, s.temporary_bytes,
           [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceRadixSort::SortKeys(memory, bytes, found, static_cast<int>(p.rows), 0, bits,
                                                   stream);
           });
  call_cub(to, "cub::DeviceSelect", s.temporary, s.temporary_bytes,
           [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceSelect::Unique(memory, bytes, found.Current(), p.list, p.count, p.rows,
                                              stream);
           });
}

}  // namespace ablate::unique_rows
