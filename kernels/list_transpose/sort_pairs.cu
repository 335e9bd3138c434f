// Lists transposed by a stable sort of (row, query block), of all heads at once: entries are in the
// order of query blocks, and a sort that keeps the order of equal rows leaves each row's ascending. Entries
// that are skipped get the row past the last. 16 bytes move for each entry and 8 bits of the row.
//   `ends`: where rows begin is found by one block of threads a head that counts all entries again, the
//   published form (count_by_head.cu); or (`neighbors`) where an entry's row is not that of the one before.
// Should move: DRAM bytes, those of the sort.
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "kernels/common/call_cub.cuh"
#include "kernels/list_transpose/launches.h"
#include "kernels/list_transpose/view.cuh"

namespace ablate::list_transpose {

__global__ __launch_bounds__(entry_threads) void write_pairs(const __grid_constant__ view v,
                                                             std::uint32_t* rows, std::int32_t* queries) {
  const long long i = blockIdx.x * static_cast<long long>(entry_threads) + threadIdx.x;
  if (i >= v.entries) return;
  const list_entry entry(v, i);
  rows[i] = static_cast<std::uint32_t>(entry.is_there ? entry.row(v) : v.rows);
  queries[i] = entry.query;
}

__global__ __launch_bounds__(entry_threads) void mark_rows(const __grid_constant__ view v,
                                                           const std::uint32_t* rows) {
  const long long i = blockIdx.x * static_cast<long long>(entry_threads) + threadIdx.x;
  if (i > v.entries) return;
  const long long before = i == 0 ? -1 : static_cast<long long>(rows[i - 1]);
  mark_beginnings(v.offsets, before, i == v.entries ? v.rows : static_cast<long long>(rows[i]), v.rows + 1,
                  i);
}

void sort_pairs(launcher& to, const problem& p, const switches& s) {
  const view v(p);
  const sort_memory memory = cut_sort_memory(p);
  // Both halves of the first array of words, and one of the second.
  auto* const rows = reinterpret_cast<std::uint32_t*>(memory.words[0]);
  auto* const queries = reinterpret_cast<std::int32_t*>(rows + (rows == nullptr ? 0 : p.entries()));
  auto* const sorted = reinterpret_cast<std::uint32_t*>(memory.words[1]);
  launch(to, write_pairs, dim3(v.grid(v.entries)), dim3(entry_threads), 0, v, rows, queries);
  call_cub(to, "cub::DeviceRadixSort", memory.temporary, memory.temporary_bytes,
           [&](void* temporary, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceRadixSort::SortPairs(
                 temporary, bytes, rows, sorted, queries, p.queries, points_to_sort(p.entries()), 0,
                 std::bit_width(static_cast<std::uint64_t>(p.rows())), stream);
           });
  if (s.word("ends") == "one_block_a_head")
    count_by_head(to, p);
  else
    launch(to, mark_rows, dim3(v.grid(v.entries + 1)), dim3(entry_threads), 0, v, sorted);
}

}  // namespace ablate::list_transpose
