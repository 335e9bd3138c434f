#pragma once

#include "kernels/pool/bucket_block.cuh"
#include "kernels/pool/vectors.cuh"

namespace ablate::pool {

/// Padding past the last cluster: zeros, and no winner but the first. A block of block_points threads.
template <class Reducer>
__device__ void pad_rows(const bucket_view& of, const row_view& v) {
  const unsigned lanes = v.channels / vector_channels;
  const Reducer none;
  for (unsigned item = threadIdx.x; item < (of.padded_rows - of.rows) * lanes; item += block_points) {
    *vector_of(v.finished, of.rows + item / lanes, v.channels, item % lanes) = make_uint4(0, 0, 0, 0);
    store_winners(none, v.winner, of.rows + item / lanes, v.channels, item % lanes);
  }
}

}  // namespace ablate::pool
