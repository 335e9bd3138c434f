// What other consumers derive from the dense table T[offset][out row] instead of lists: masks, one
// bit per entry in words of 32 offsets, and the reverse table, from in rows to out rows. A thread
// makes one word of one out row, so a warp reads 128 bytes of T per offset and writes 128 bytes of
// words: 4 bytes read and an eighth of a byte written per entry. The reverse table is filled with −1
// and T's pairs are scattered into it: an in row has at most one out row per offset, so no two writes
// collide. Should move: bytes written to device memory; for the scattered writes also sectors per
// request.
#include "kernels/kernel_map/view.cuh"

namespace ablate::kernel_map {

constexpr int table_threads = 256;

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

}  // namespace ablate::kernel_map
