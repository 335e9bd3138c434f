// Softmax that subtracts a fixed number f instead of the row's maximum m: probabilities, their sum and the
// outputs are all 2^(m − f) times their usual values, and the division cancels the factor, unless something
// left the range of fp32 before. In that case the query tile is recomputed online. It shows in
//   the sum: 0 or beyond 2^120 where f is far from m, NaN where a score is NaN or both it and f are ∞;
//   the outputs, before the division: values above 1 overflow before the sum does.
// Both also catch non-finite values in queries, keys and values, since no power of two here hides NaN; so the
// online softmax always decides their outcome.
#pragma once

namespace ablate::attention_core {

__device__ inline bool sum_is_in_range(float sum) { return sum > 0 && sum < 0x1p120f; }

/// For accumulators of wgmma and of mma.sync: 0 · x is NaN only for ∞ and NaN. Four sums shorten the
/// dependency chain.
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

/// The same for divided outputs on their way to memory, as bf16 pairs, where no registers are left for other
/// sums: `zeros`, initially 0, stays 0.
__device__ inline void add_zeros(unsigned& zeros, unsigned pair) {
  asm("fma.rn.bf16x2 %0, %1, %2, %0;" : "+r"(zeros) : "r"(pair), "r"(0));
}

}  // namespace ablate::attention_core
