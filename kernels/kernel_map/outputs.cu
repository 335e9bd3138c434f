// What other consumers derive from the dense table T[offset][out row] instead of lists: masks, one
// bit per entry in words of 32 offsets, and the reverse table, from in rows to out rows. A thread
// makes one word of one out row, so a warp reads 128 bytes of T per offset and writes 128 bytes of
// words: 4 bytes read and an eighth of a byte written per entry. The reverse table is filled with −1
// and T's pairs are scattered into it: an in row has at most one out row per offset, so no two writes
// collide. Should move: bytes written to device memory; for the scattered writes also sectors per
// request.
#include "kernels/hash_table/hashes.cuh"
#include "kernels/kernel_map/view.cuh"

namespace ablate::kernel_map {

constexpr int table_threads = 256;

/// The masks or the reverse table, which follow T.
__device__ std::int32_t* behind_dense(const view& v) { return v.scratch.dense + v.offsets * v.outs; }

__global__ __launch_bounds__(table_threads) void mask_pairs(view v) {
  const long long out = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  if (out >= v.outs) return;
  const int word = static_cast<int>(blockIdx.y), first = 32 * word;
  unsigned mask = 0;
  for (int bit = 0; bit < 32 && first + bit < v.offsets; ++bit)
    if (v.scratch.dense[(first + bit) * v.outs + out] >= 0) mask |= 1u << bit;
  behind_dense(v)[word * v.outs + out] = static_cast<int>(mask);
}

__global__ __launch_bounds__(table_threads) void clear_reverse(view v) {
  const long long count = v.offsets * v.rows;
  for (long long i = blockIdx.x * static_cast<long long>(table_threads) + threadIdx.x; i < count;
       i += static_cast<long long>(gridDim.x) * table_threads)
    behind_dense(v)[i] = -1;
}

__global__ __launch_bounds__(table_threads) void reverse_pairs(view v) {
  const long long out = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  if (out >= v.outs) return;
  const int q = static_cast<int>(blockIdx.y), row = v.scratch.dense[q * v.outs + out];
  if (row >= 0) behind_dense(v)[q * v.rows + row] = static_cast<int>(out);
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
__global__ __launch_bounds__(table_threads) void add_table_digests(view v) {
  const int q = static_cast<int>(blockIdx.y);
  const long long entries = Wanted == output::reverse ? v.rows : v.outs;
  unsigned long long sum = 0, count = 0;
  for (long long at = blockIdx.x * static_cast<long long>(table_threads) + threadIdx.x; at < entries;
       at += static_cast<long long>(gridDim.x) * table_threads) {
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
  atomicAdd(reinterpret_cast<unsigned long long*>(v.digest) + q, sum);
}

__global__ __launch_bounds__(table_threads) void clear_digests(view v) {
  for (int q = static_cast<int>(threadIdx.x); q < v.offsets; q += table_threads) v.digest[q] = 0;
}

/// Counts and digests of one table: the last one wanted, which is T itself for output::dense.
void sum_table(launcher& to, const problem& p) {
  constexpr unsigned blocks_per_offset = 64;
  clear_counts(to, p);
  launch(to, clear_digests, dim3(1), dim3(table_threads), 0, view(p));
  launch(to,
         p.wanted == output::masks     ? add_table_digests<output::masks>
         : p.wanted == output::reverse ? add_table_digests<output::reverse>
                                       : add_table_digests<output::dense>,
         dim3(blocks_per_offset, static_cast<unsigned>(p.offsets())), dim3(table_threads), 0, view(p));
}

void outputs_from_dense(launcher& to, const problem& p, bool mirrored) {
  const unsigned blocks = blocks_for(p.outs, table_threads);
  const view v(p);
  switch (p.wanted) {
    case output::lists:
      lists_from_dense(to, p, mirrored);
      break;
    case output::dense:
      break;
    case output::masks:
      launch(to, mask_pairs, dim3(blocks, static_cast<unsigned>(p.mask_words())), dim3(table_threads), 0, v);
      break;
    case output::reverse:
      launch(to, clear_reverse, dim3(8 * to.device().multiprocessors), dim3(table_threads), 0, v);
      launch(to, reverse_pairs, dim3(blocks, static_cast<unsigned>(p.offsets())), dim3(table_threads), 0, v);
      break;
  }
}

void sum_table_digests(launcher& to, const problem& p) {
  if (p.has_table_behind_dense()) {
    problem dense = p;
    dense.wanted = output::dense;
    dense.digest += p.offsets();
    sum_table(to, dense);
  }
  sum_table(to, p);    // last, so that the counts are of this one
  problem tables = p;  // a table has room for every pair
  tables.capacity = p.offsets() * p.outs;
  sum_counts(to, tables);
}

}  // namespace ablate::kernel_map
