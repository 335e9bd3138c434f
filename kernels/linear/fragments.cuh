// What becomes of accumulators: the epilogue of a product, on fragments as mma.sync and wgmma leave them
// alike. A quad of lanes shares 8 neighboring columns of a row, 2 each; of 4 such groups of columns it
// exchanges its parts, so that each lane has 8 neighboring columns of one group, and loads or stores them as
// 16 bytes.
#pragma once

#include "kernels/common/dense/fast_activation.cuh"
#include "kernels/common/dense/row_chunk.cuh"
#include "kernels/common/softmax_math.cuh"
#include "kernels/linear/linear.h"

namespace ablate::linear {

/// Register i of lane j of a quad becomes register j of lane i. By all lanes of the warp.
__device__ inline void exchange_in_quad(unsigned (&r)[4]) {
  const bool is_odd = threadIdx.x & 1, is_high = threadIdx.x & 2;
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    const unsigned got = __shfl_xor_sync(~0u, is_odd ? r[i] : r[i + 1], 1);
    r[i] = is_odd ? got : r[i];
    r[i + 1] = is_odd ? r[i + 1] : got;
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const unsigned got = __shfl_xor_sync(~0u, is_high ? r[i] : r[i + 2], 2);
    r[i] = is_high ? got : r[i];
    r[i + 2] = is_high ? r[i + 2] : got;
  }
}

/// Where Y, its bias and its residual are, and what is done with Z.
struct epilogue_view {
  const float* bias;
  const std::uint16_t* residual;
  std::uint16_t* y;
  long long rows;
  int outputs, third;  ///< third: columns of a part of a split Y; else 0
  epilogue behind;

  /// In elements.
  __device__ long long place(long long row, int column, int columns) const {
    if (third == 0) return row * columns + column;
    return (column / third * rows + row) * third + column % third;
  }
};

inline epilogue_view view_of(const problem& p) {
  return {p.bias, p.residual, p.y, p.rows, p.outputs, p.is_split ? p.outputs / 3 : 0, p.behind};
}

/// Stores 32 columns, from `column` on, of a row: z[j][i] is column 8 · j + 2 · (lane % 4) + i. By all lanes
/// of the warp; rows past the last are unused.
__device__ inline void store_columns(const epilogue_view& v, long long row, int column, int columns,
                                     const float (&z)[4][2]) {
  unsigned pairs[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) pairs[j] = packed(z[j][0], z[j][1]);
  exchange_in_quad(pairs);
  if (row >= v.rows) return;
  const int first = column + 8 * static_cast<int>(threadIdx.x % 4);
  *reinterpret_cast<uint4*>(v.y + v.place(row, first, columns)) = {pairs[0], pairs[1], pairs[2], pairs[3]};
}

/// 32 columns of Z without their bias: adds it, the residual or applies the activation, and stores.
__device__ inline void finish_columns(const epilogue_view& v, long long row, int column, float (&z)[4][2]) {
  const int quad = static_cast<int>(threadIdx.x % 4);
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const float2 bias = *reinterpret_cast<const float2*>(v.bias + column + 8 * j + 2 * quad);
    z[j][0] += bias.x;
    z[j][1] += bias.y;
  }
  if (v.behind == epilogue::residual) {
    uint4 raw{};
    if (row < v.rows) raw = *reinterpret_cast<const uint4*>(v.residual + row * v.outputs + column + 8 * quad);
    unsigned pairs[4] = {raw.x, raw.y, raw.z, raw.w};
    exchange_in_quad(pairs);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      z[j][0] += __uint_as_float(pairs[j] << 16);
      z[j][1] += __uint_as_float(pairs[j] & 0xffff0000u);
    }
  } else if (v.behind == epilogue::gelu_erf) {
#pragma unroll
    for (int j = 0; j < 8; ++j) z[j / 2][j % 2] = fast_gelu_erf(z[j / 2][j % 2]);
  } else if (v.behind == epilogue::gelu_tanh) {
#pragma unroll
    for (int j = 0; j < 8; ++j) z[j / 2][j % 2] = fast_gelu_tanh(z[j / 2][j % 2]);
  }
  store_columns(v, row, column, v.outputs, z);
}

/// 32 columns of a gated Y from `column` on: gate and up without their biases.
__device__ inline void finish_gated_columns(const epilogue_view& v, long long row, int column,
                                            float (&gate)[4][2], const float (&up)[4][2]) {
  const int columns = v.outputs / 2, first = column + 2 * static_cast<int>(threadIdx.x % 4);
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const float2 of_gate = *reinterpret_cast<const float2*>(v.bias + first + 8 * j);
    const float2 of_up = *reinterpret_cast<const float2*>(v.bias + columns + first + 8 * j);
    gate[j][0] = fast_silu(gate[j][0] + of_gate.x) * (up[j][0] + of_up.x);
    gate[j][1] = fast_silu(gate[j][1] + of_gate.y) * (up[j][1] + of_up.y);
  }
  store_columns(v, row, column, columns, gate);
}

/// Of swiglu, the rows of W that are adjacent in a tile: 8 of the gate, the 8 of the other half
/// that they multiply, and so on, so that one thread has both. Row `at` of the tile's order as a row of W.
ABLATE_ON_BOTH inline int gated_row(int at, int outputs) {
  return at / 16 * 8 + at % 8 + (at / 8 % 2) * (outputs / 2);
}

/// A row's part of a warp's accumulators, `Groups` groups of 8 columns from `column` on: d(group, i) gives
/// accumulator i of a group's row.
template <int Groups, class Accumulators>
__device__ inline void finish_plain_row(const epilogue_view& v, long long row, int column, Accumulators d) {
#pragma unroll
  for (int first = 0; first < Groups; first += 4) {
    float z[4][2];
#pragma unroll
    for (int j = 0; j < 8; ++j) z[j / 2][j % 2] = d(first + j / 2, j % 2);
    if (column + 8 * first < v.outputs) finish_columns(v, row, column + 8 * first, z);
  }
}

/// The same of swiglu, columns in the order of gated_row.
template <int Groups, class Accumulators>
__device__ inline void finish_gated_row(const epilogue_view& v, long long row, int column, Accumulators d) {
#pragma unroll
  for (int first = 0; first < Groups; first += 8) {
    float gate[4][2], up[4][2];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      gate[j / 2][j % 2] = d(first + j / 2 * 2, j % 2);
      up[j / 2][j % 2] = d(first + j / 2 * 2 + 1, j % 2);
    }
    if (column + 8 * first < v.outputs) finish_gated_columns(v, row, column / 2 + 4 * first, gate, up);
  }
}

/// Either; narrow tiles are never gated.
template <int Groups, class Accumulators>
__device__ inline void finish_row(const epilogue_view& v, long long row, int column, Accumulators d) {
  if constexpr (Groups % 8 == 0)
    if (v.behind == epilogue::swiglu) return finish_gated_row<Groups>(v, row, column, d);
  finish_plain_row<Groups>(v, row, column, d);
}

}  // namespace ablate::linear
