// Lists transposed by counting, without a sort of all entries.
//   1 counts[row] += 1 for each entry; 2 offsets = exclusive sums of the counts; 3 each entry's query block
//   is put where its row has room.
// An entry takes one reduction and 12 bytes, scattered by row, instead of 16 bytes for each 8 bits of a
// sort's key. `ranks`: an entry's place in its row comes from a second atomic, which counts the row down to
// where it began; or (`kept`) is what the first one returned, kept for 4 bytes an entry, and the last pass
// has no atomics. Either way it depends on which thread came first, so rows are in any order; `rows=ordered`
// sorts each after it (sort_rows.cu).
// Should move, against a sort: DRAM bytes, to a fraction;
// L2 atomics, from none to one or two an entry.
#include <cub/device/device_scan.cuh>

#include "kernels/common/call_cub.cuh"
#include "kernels/common/fill.h"
#include "kernels/list_transpose/launches.h"
#include "kernels/list_transpose/view.cuh"

namespace ablate::list_transpose {

/// Where an entry's place in its row comes from.
enum class entry_ranks { second_atomic, kept };

template <entry_ranks Ranks>
__global__ __launch_bounds__(entry_threads) void count_entries(const __grid_constant__ view v,
                                                               std::uint32_t* counts, std::uint32_t* ranks) {
  const long long i = blockIdx.x * static_cast<long long>(entry_threads) + threadIdx.x;
  if (i >= v.entries) return;
  const list_entry entry(v, i);
  if (!entry.is_there) return;
  const std::uint32_t before = atomicAdd(counts + entry.row(v), 1u);
  if constexpr (Ranks == entry_ranks::kept) ranks[i] = before;
}

template <entry_ranks Ranks>
__global__ __launch_bounds__(entry_threads) void put_entries(const __grid_constant__ view v,
                                                             std::uint32_t* counts,
                                                             const std::uint32_t* ranks) {
  const long long i = blockIdx.x * static_cast<long long>(entry_threads) + threadIdx.x;
  if (i >= v.entries) return;
  const list_entry entry(v, i);
  if (!entry.is_there) return;
  const long long row = entry.row(v);
  const std::uint32_t rank = Ranks == entry_ranks::kept ? ranks[i] : atomicSub(counts + row, 1u) - 1;
  v.queries[v.offsets[row] + rank] = entry.query;
}

void sum_counts(launcher& to, const problem& p) {
  const count_memory memory = cut_count_memory(p);
  call_cub(to, "cub::DeviceScan", memory.temporary, memory.temporary_bytes,
           [&](void* temporary, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceScan::ExclusiveScan(
                 temporary, bytes, memory.counts, reinterpret_cast<long long*>(p.offsets),
                 ::cuda::std::plus<>{}, 0ll, points_to_sort(p.rows() + 1), stream);
           });
}

template <entry_ranks Ranks>
void count_and_put(launcher& to, const problem& p) {
  const view v(p);
  const count_memory memory = cut_count_memory(p);
  fill(to, {{memory.counts, p.rows() + 1, 0}});
  launch(to, count_entries<Ranks>, dim3(v.grid(v.entries)), dim3(entry_threads), 0, v, memory.counts,
         memory.ranks);
  sum_counts(to, p);
  launch(to, put_entries<Ranks>, dim3(v.grid(v.entries)), dim3(entry_threads), 0, v, memory.counts,
         memory.ranks);
}

void count(launcher& to, const problem& p, const switches& s) {
  (s.word("ranks") == "kept" ? count_and_put<entry_ranks::kept>
                             : count_and_put<entry_ranks::second_atomic>)(to, p);
  if (s.word("rows") == "ordered") sort_rows(to, p);
  if (s.word("rows") == "ordered_by_bitmaps") sort_rows_by_bitmaps(to, p);
}

}  // namespace ablate::list_transpose
