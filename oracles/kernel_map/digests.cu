// What the check reads of a map: how many pairs each offset has, and a sum of their mixed numbers, which does
// not depend on their order. Of lists from `ends`; of tables entry by entry, with the ends that the lists
// would have.
#include "kernels/common/switches.h"
#include "kernels/hash_table/hashes.cuh"
#include "kernels/kernel_map/view.cuh"
#include "oracles/kernel_map/launches.h"

namespace ablate::kernel_map {

constexpr int digest_threads = 256;

__global__ __launch_bounds__(digest_threads) void clear_digests(std::uint64_t* digest, int offsets) {
  for (int q = static_cast<int>(threadIdx.x); q < offsets; q += digest_threads) digest[q] = 0;
}

/// Where the list of offset q begins in in_rows and out_rows.
enum class list_layout {
  dense,  ///< at ends[q]
  slabs   ///< at q · outs
};

__global__ __launch_bounds__(digest_threads) void add_digests(view v, std::uint64_t* digest,
                                                              list_layout layout) {
  const int q = static_cast<int>(blockIdx.y);
  const long long begin = layout == list_layout::slabs ? q * v.outs : v.ends[q];
  const long long end = min(begin + v.ends[q + 1] - v.ends[q], v.capacity);
  unsigned long long sum = 0;
  for (long long at = begin + blockIdx.x * digest_threads + threadIdx.x; at < end;
       at += static_cast<long long>(gridDim.x) * digest_threads) {
    sum += hash_table::splitmix_of(static_cast<std::uint64_t>(static_cast<unsigned>(v.in_rows[at])) << 32 |
                                   static_cast<unsigned>(v.out_rows[at]));
  }
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(~0u, sum, lane);
  if (threadIdx.x % 32 == 0 && sum != 0) atomicAdd(reinterpret_cast<unsigned long long*>(digest) + q, sum);
}

/// A table's entry at an offset: anything but −1 counts as a pair, so memory never written does too.
struct table_entry {
  bool is_pair;
  unsigned in, out;
};

template <output Wanted>
__device__ table_entry entry_of(const view& v, int q, long long at) {
  const auto here = static_cast<unsigned>(at);
  if constexpr (Wanted == output::masks) {
    const int word = behind_dense(v)[q / 32 * v.outs + at];
    return {(static_cast<unsigned>(word) >> q % 32 & 1) != 0, ~0u, here};
  } else if constexpr (Wanted == output::reverse) {
    const int out = behind_dense(v)[q * v.rows + at];
    return {out != -1, here, static_cast<unsigned>(out)};
  } else {
    const int row = v.scratch.dense[q * v.outs + at];
    return {row != -1, static_cast<unsigned>(row), here};
  }
}

/// counts[q] += entries of offset q, digest[q] += their mixed pairs.
template <output Wanted>
__global__ __launch_bounds__(digest_threads) void add_table_digests(view v, std::uint64_t* digest) {
  const int q = static_cast<int>(blockIdx.y);
  const long long entries = Wanted == output::reverse ? v.rows : v.outs;
  unsigned long long sum = 0, count = 0;
  for (long long at = blockIdx.x * static_cast<long long>(digest_threads) + threadIdx.x; at < entries;
       at += static_cast<long long>(gridDim.x) * digest_threads) {
    const table_entry entry = entry_of<Wanted>(v, q, at);
    if (entry.is_pair) {
      ++count;
      sum += hash_table::splitmix_of(static_cast<std::uint64_t>(entry.in) << 32 | entry.out);
    }
    // Bits beyond the last offset must be 0: each one set counts as an extra pair.
    if (Wanted == output::masks && q == v.offsets - 1)
      for (int bit = q + 1; bit % 32 != 0; ++bit) count += entry_of<Wanted>(v, bit, at).is_pair;
  }
  for (int lane = 16; lane > 0; lane /= 2) {
    sum += __shfl_down_sync(~0u, sum, lane);
    count += __shfl_down_sync(~0u, count, lane);
  }
  if (threadIdx.x % 32 != 0 || count == 0) return;
  atomicAdd(v.scratch.counts + q, count);
  atomicAdd(reinterpret_cast<unsigned long long*>(digest) + q, sum);
}

void clear_digests_of(launcher& to, const checked_problem& p) {
  launch(to, clear_digests, dim3(1), dim3(digest_threads), 0, p.digest, p.offsets());
}

/// Counts and digests of one table: the last one wanted, which is T itself for output::dense.
void sum_table(launcher& to, const checked_problem& p) {
  constexpr unsigned blocks_per_offset = 64;
  clear_counts(to, p);
  clear_digests_of(to, p);
  launch(to,
         p.wanted == output::masks     ? add_table_digests<output::masks>
         : p.wanted == output::reverse ? add_table_digests<output::reverse>
                                       : add_table_digests<output::dense>,
         dim3(blocks_per_offset, static_cast<unsigned>(p.offsets())), dim3(digest_threads), 0, view(p),
         p.digest);
}

/// `ends`, `digest` and `status` of the wanted tables.
void sum_table_digests(launcher& to, const checked_problem& p) {
  if (p.has_table_behind_dense()) {
    checked_problem dense = p;
    dense.wanted = output::dense;
    dense.digest += p.offsets();
    sum_table(to, dense);
  }
  sum_table(to, p);    // last, so that the counts are of this one
  problem tables = p;  // a table has room for every pair
  tables.capacity = p.offsets() * p.outs;
  sum_counts(to, tables);
}

void sum_digests_in(list_layout layout, launcher& to, const checked_problem& p) {
  if (p.wanted != output::lists) return sum_table_digests(to, p);
  constexpr unsigned blocks_per_list = 64;
  clear_digests_of(to, p);
  launch(to, add_digests, dim3(blocks_per_list, static_cast<unsigned>(p.offsets())), dim3(digest_threads), 0,
         view(p), p.digest, layout);
}

void sum_digests(launcher& to, const checked_problem& p, const switches& s) {
  const bool has_slabs = s.has("lists") && s.word("lists") == "slabs";
  sum_digests_in(has_slabs ? list_layout::slabs : list_layout::dense, to, p);
}

}  // namespace ablate::kernel_map
