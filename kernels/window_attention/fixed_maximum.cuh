// Softmax that subtracts a fixed number f in the place of the row's maximum m: probabilities, their sum and
// the outputs all are 2^(m − f) times what they would be, and the division takes the factor away, unless
// something left the range of fp32 before. Then the query tile is done again, online. What tells:
//   the sum: 0 or beyond 2^120 where f is far from m, NaN where a score is NaN or both it and f are ∞;
//   the outputs, before the division: values above 1 overflow before the sum does.
// Both see what is not finite in queries, keys and values too, since no power of two here hides NaN; so it is
// always the online softmax that decides what becomes of it.
#pragma once

namespace ablate::window_attention {

__device__ inline bool sum_is_in_range(float sum) { return sum > 0 && sum < 0x1p120f; }

/// Of the accumulators of warpgroup products, and of mma.sync: 0 · x is NaN for ∞ and NaN alone. Four sums,
/// so that none waits long for itself.
template <int Count>
__device__ inline bool all_finite(const float (&x)[Count]) {
  float zeros[4] = {};
#pragma unroll
  for (int i = 0; i < Count; ++i) zeros[i % 4] = fmaf(x[i], 0.0f, zeros[i % 4]);
  return zeros[0] + zeros[1] + (zeros[2] + zeros[3]) == 0;
}
template <int Tiles, int Columns>
__device__ inline bool all_finite(const float (&x)[Tiles][Columns][4]) {
  float zeros[4] = {};
#pragma unroll
  for (int i = 0; i < Tiles; ++i)
#pragma unroll
    for (int n = 0; n < Columns; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) zeros[e] = fmaf(x[i][n][e], 0.0f, zeros[e]);
  return zeros[0] + zeros[1] + (zeros[2] + zeros[3]) == 0;
}

/// The same of divided outputs on their way to memory, pairs of bf16, where no register is left for other
/// sums: `zeros`, 0 at first, stays 0.
__device__ inline void add_zeros(unsigned& zeros, unsigned pair) {
  asm("fma.rn.bf16x2 %0, %1, %2, %0;" : "+r"(zeros) : "r"(pair), "r"(0));
}

}  // namespace ablate::window_attention
