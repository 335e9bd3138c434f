// The inner products of attention by mma.sync, of a warp's 32 rows with tiles of rows in shared memory: every
// fragment that is loaded feeds two products.
#pragma once

#include "kernels/common/mma.cuh"

namespace ablate::mma {

/// One step, 16 elements (of int8, 32), of S = Q·Kᵀ. `query`: the step's fragments of both groups of 16 rows.
/// `keys`: where Rows::place_by_columns, moved to the step, points in the tile. The first step sets S, later
/// ones add to it.
template <class Rows, int Tiles, class Sum>
__device__ inline void multiply_step(Sum (&s)[2][Tiles][4], const unsigned (&query)[2][4], unsigned keys,
                                     bool is_first) {
#pragma unroll
  for (int j = 0; j < Tiles / 2; ++j) {
    unsigned b[4];
    load_matrices(b, keys + j * 16 * Rows::row_bytes);
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        if (is_first)
          multiply(s[i][2 * j + half], query[i], b[2 * half], b[2 * half + 1]);
        else
          multiply_add(s[i][2 * j + half], query[i], b[2 * half], b[2 * half + 1]);
  }
}

/// O += P·V for 16 rows of V. `p`: fragments of both groups of rows. `values`: where Rows::place_by_rows
/// points in the tile, and `bytes` how far after it the 16 rows begin.
template <class Rows, int Tiles>
__device__ inline void add_products(float (&o)[2][Tiles][4], const unsigned (&p)[2][4], unsigned values,
                                    unsigned bytes) {
#pragma unroll
  for (int step = 0; step < Tiles / 2; ++step) {
    unsigned b[4];
    load_matrices_transposed(b, Rows::moved(values, step) + bytes);
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        multiply_add(o[i][2 * step + half], p[i], b[2 * half], b[2 * half + 1]);
  }
}

}  // namespace ablate::mma
