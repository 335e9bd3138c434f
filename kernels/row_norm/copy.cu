// y = x: a lower bound for any norm of rows, with the same reads and writes. 16-byte loads, `Chunks` loads of
// a thread before the first store, no arithmetic.
// Should move: nothing against a norm, if that is limited by memory.
#include "kernels/row_norm/layer_rows.cuh"

namespace ablate::row_norm {

struct copy_view {
  const std::uint16_t* in;
  std::uint16_t* out;
  long long chunks, valid_chunks;
};

template <int Chunks>
__global__ __launch_bounds__(threads_of_block) void copy_chunks(copy_view v) {
  const long long first = static_cast<long long>(blockIdx.x) * (Chunks * threads_of_block) + threadIdx.x;
  uint4 raw[Chunks];
#pragma unroll
  for (int c = 0; c < Chunks; ++c) {
    const long long at = first + c * threads_of_block;
    raw[c] = at < v.valid_chunks ? load_chunk(v.in, at) : uint4{};
  }
#pragma unroll
  for (int c = 0; c < Chunks; ++c) {
    const long long at = first + c * threads_of_block;
    if (at < v.chunks) store_chunk(v.out, at, raw[c]);
  }
}

void copy_rows(launcher& to, const problem& p, int rows_in_flight) {
  const copy_view v = {p.in, p.out, p.elements() / chunk, p.valid * p.channels / chunk};
  const dim3 blocks(blocks_for(v.chunks, rows_in_flight * threads_of_block)), threads(threads_of_block);
  if (rows_in_flight == 4)
    launch(to, copy_chunks<4>, blocks, threads, 0, v);
  else if (rows_in_flight == 2)
    launch(to, copy_chunks<2>, blocks, threads, 0, v);
  else
    launch(to, copy_chunks<1>, blocks, threads, 0, v);
}

}  // namespace ablate::row_norm
