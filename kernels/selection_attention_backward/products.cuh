// What the gradients' kernels have in common: P and dS of 16 queries and 16 keys in the registers of a warp,
// and products with them. Rows come from global memory straight into fragments (selection_attention/direct.cu
// says how): by rows, where their elements are summed over, and by columns, where they are what is added up.
#pragma once

#include "kernels/common/mma.cuh"
#include "kernels/common/reduce_four.cuh"
#include "kernels/common/softmax_math.cuh"
#include "kernels/selection_attention/fragments.cuh"
#include "kernels/selection_attention_backward/view.cuh"

namespace ablate::selection_attention_backward {

using selection_attention::multiply_tile;
using selection_attention::row_fragments;
using selection_attention::row_part;
using selection_attention::value_fragments;

constexpr int columns = width / 8;  ///< tiles of 8 columns of a gradient

/// Where a lane's parts of a tile of 16 rows begin, from the tile's first byte.
struct lane_places {
  unsigned quad, in_quad;
  __device__ lane_places() : quad(threadIdx.x % 32 / 4), in_quad(threadIdx.x % 4) {}
  __device__ unsigned by_rows() const { return quad * row_bytes + in_quad * 16; }
  __device__ unsigned by_columns() const { return 2 * in_quad * row_bytes + quad * 16; }
};

/// Scores, two tiles of 8 columns, and products of dO and V at the same places, to P and dS as fragments of
/// A. `statistics(n, e)`: of the query at place e of tile n.
template <class Statistics>
__device__ inline void differentiate_tile(const float (&s)[2][4], const float (&dp)[2][4], float scale_log2,
                                          Statistics statistics, unsigned (&p)[4], unsigned (&ds)[4]) {
  float weight[2][4], gradient[2][4];
#pragma unroll
  for (int n = 0; n < 2; ++n)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const row_statistics of = statistics(n, e);
      weight[n][e] = exp2_of(fmaf(s[n][e], scale_log2, -of.lse_log2));
      gradient[n][e] = weight[n][e] * (dp[n][e] - of.delta);
    }
#pragma unroll
  for (int n = 0; n < 2; ++n)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      p[2 * n + half] = packed(weight[n][2 * half], weight[n][2 * half + 1]);
      ds[2 * n + half] = packed(gradient[n][2 * half], gradient[n][2 * half + 1]);
    }
}

/// A gradient of 16 rows += A · rows: column j of product n is element 8 j + n, so a lane's 16 numbers of a
/// row follow each other.
__device__ inline void add_product(float (&sums)[columns][4], const unsigned (&a)[4],
                                   const value_fragments& rows) {
#pragma unroll
  for (int n = 0; n < columns; ++n) mma::multiply_add(sums[n], a, rows.pair(0, n), rows.pair(2, n));
}

/// 16 x 16 numbers as a fragment of A, their rows and columns exchanged (PTX ISA: movmatrix).
__device__ inline void transpose(unsigned (&to)[4], const unsigned (&from)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
                 : "=r"(to[i])
                 : "r"(from[i % 2 * 2 + i / 2]));
}

/// Where element 4 · `four` of a lane's part of its row l / 4 + 8 · `half` stands in a tile of 16 fp32 rows.
__device__ inline int place_in_sums(const lane_places& at, int half, int four) {
  return static_cast<int>(at.quad + 8 * half) * width + static_cast<int>(at.in_quad) * 16 + 4 * four;
}
/// The lane's number i of 16 of that row: column 0 of the products first, then column 1.
__device__ inline float number_of(const float (&sums)[columns][4], int half, int i) {
  return sums[i % columns][2 * half + i / columns];
}

/// Adds A · rows to a tile of 16 fp32 rows in device memory, by reductions; half of the columns at a time.
__device__ inline void reduce_product(float* to, const lane_places& at, const unsigned (&a)[4],
                                      const value_fragments& rows) {
#pragma unroll
  for (int first = 0; first < columns; first += 4) {
    float sums[4][4];
#pragma unroll
    for (int n = 0; n < 4; ++n) mma::multiply(sums[n], a, rows.pair(0, first + n), rows.pair(2, first + n));
#pragma unroll
    for (int e = 0; e < 4; ++e)
      reduce_four(to + place_in_sums(at, e / 2, e % 2 * 2 + first / 4), sums[0][e], sums[1][e], sums[2][e],
                  sums[3][e]);
  }
}

/// A gradient of 16 rows, times `factor`, to a tile of bf16 rows; and `share` of their block's pooled row,
/// where there is one.
__device__ inline void store_rows(unsigned char* to, const lane_places& at, const float (&sums)[columns][4],
                                  float factor, const unsigned char* pooled, float share) {
  row_part added{};
  if (pooled != nullptr) added.load(pooled + at.in_quad * 32);
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      const auto number = [&](int i) {
        return fmaf(share, added[8 * part + i], number_of(sums, half, 8 * part + i) * factor);
      };
      const auto pair = [&](int i) { return packed(number(i), number(i + 1)); };
      *reinterpret_cast<uint4*>(to + (at.quad + 8 * half) * row_bytes + at.in_quad * 32 + part * 16) = {
          pair(0), pair(2), pair(4), pair(6)};
    }
}

}  // namespace ablate::selection_attention_backward
