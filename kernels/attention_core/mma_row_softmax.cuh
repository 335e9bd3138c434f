// The softmax of scores by mma.sync, on the accumulators of S = Q·Kᵀ in their register layout
// (window_attention/mma_forward.cuh), in the forms of softmax_form.h.
#pragma once

#include <cfloat>

#include "kernels/attention_core/fixed_maximum.cuh"
#include "kernels/attention_core/mma_config.h"
#include "kernels/common/packed_exp2.cuh"
#include "kernels/common/softmax_math.cuh"

namespace ablate::attention_core {

/// What is subtracted from the scores, as exponents: the running maximum, or a number fixed after the first
/// tile of keys. If a fixed one leads out of range (fixed_maximum.cuh), the block immediately repeats its
/// work with a running one. Finite scores stay below 2^30, as in softmax_form.h.
enum class mma_maximum { running, fixed };

/// For a warp's 32 rows and tiles of `Config.block.keys`.
template <mma_config Config>
struct mma_row_softmax {
  using scores = float[2][Config.block.keys / 8][4];    ///< of 16 queries each, 8 keys
  using outputs = float[2][Config.block.width / 8][4];  ///< of 16 queries each, 8 columns
  using numbers = float[2][2];  ///< one number per row of the thread: 16 i + 8 j + lane / 4
  static constexpr softmax_form form = Config.softmax.form;
  template <mma_maximum Maximum>
  static constexpr bool subtracts = Maximum == mma_maximum::running || form == softmax_form::fixed_max;
  static_assert(Config.softmax.packed_exp2 == 0 ||
                (form == softmax_form::fixed_max && Config.softmax.packed_exp2 % 2 == 0));

  float scale_log2;

  /// The factor that turns a score into an exponent; and the power function of that exponent's base.
  __device__ float scale() const {
    if constexpr (form == softmax_form::natural)
      return Config.block.width == 16   ? 0.25f
             : Config.block.width == 32 ? 0.176776695f
             : Config.block.width == 64 ? 0.125f
                                        : 0.0883883476f;
    else
      return scale_log2;
  }
  __device__ static float power_of(float x) {
    if constexpr (form == softmax_form::natural)
      return __expf(x);
    else
      return exp2_of(x);
  }

  /// Raises the running maxima, kept as exponents, to include these scores, and rescales sums and outputs.
  __device__ void raise(const scores& s, numbers& most, numbers& sum, outputs& o) const {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        float now = s[i][0][2 * j];
#pragma unroll
        for (int n = 0; n < Config.block.keys / 8; ++n)
          now = fmaxf(now, fmaxf(s[i][n][2 * j], s[i][n][2 * j + 1]));
        now = fmaxf(most[i][j], max_of_quad(now) * scale());
        const float rescale = power_of(most[i][j] - now);
        most[i][j] = now;
        sum[i][j] *= rescale;
#pragma unroll
        for (int n = 0; n < Config.block.width / 8; ++n) {
          o[i][n][2 * j] *= rescale;
          o[i][n][2 * j + 1] *= rescale;
        }
      }
  }

  /// Takes the maxima of the first tile's scores, as exponents; they stay fixed.
  __device__ void look_at_first(const scores& s, numbers& most) const {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        float now = -FLT_MAX;
#pragma unroll
        for (int n = 0; n < Config.block.keys / 8; ++n)
          now = fmaxf(now, fmaxf(s[i][n][2 * j], s[i][n][2 * j + 1]));
        most[i][j] = max_of_quad(now) * scale_log2;
      }
  }

  /// Turns scores into probabilities divided by the row's sum up to this tile, and rescales outputs to match;
  /// `sum` covers the whole row.
  __device__ void divide(scores& s, numbers& most, numbers& sum, outputs& o) const {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        float now = s[i][0][2 * j], of_tile = 0;
#pragma unroll
        for (int n = 0; n < Config.block.keys / 8; ++n)
          now = fmaxf(now, fmaxf(s[i][n][2 * j], s[i][n][2 * j + 1]));
        now = fmaxf(most[i][j], max_of_quad(now) * scale_log2);
        const float before = sum[i][j] * exp2_of(most[i][j] - now);
        most[i][j] = now;
#pragma unroll
        for (int n = 0; n < Config.block.keys / 8; ++n)
#pragma unroll
          for (int e = 2 * j; e < 2 * j + 2; ++e) {
            s[i][n][e] = exp2_of(fmaf(s[i][n][e], scale_log2, -now));
            of_tile += s[i][n][e];
          }
        sum[i][j] = before + sum_of_quad(of_tile);
        const float inverse = 1 / sum[i][j], rescale = before * inverse;
#pragma unroll
        for (int n = 0; n < Config.block.keys / 8; ++n) {
          s[i][n][2 * j] *= inverse;
          s[i][n][2 * j + 1] *= inverse;
        }
#pragma unroll
        for (int n = 0; n < Config.block.width / 8; ++n) {
          o[i][n][2 * j] *= rescale;
          o[i][n][2 * j + 1] *= rescale;
        }
      }
  }

  __device__ static bool are_in_range(const outputs& o, const numbers& sum) {
    bool all = all_finite(o);
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) all = sum_is_in_range(sum_of_quad(sum[i][j])) && all;
    return all;
  }

  /// The score's probability before the division by the row's sum; element e of the accumulator of the n-th
  /// group of 8 keys.
  template <mma_maximum Maximum>
  __device__ float probability(float score, float most, int n, int e) const {
    if constexpr (subtracts<Maximum>)
      return power_of(fmaf(score, scale(), -most));
    else if (4 * e + n % 4 < Config.softmax.software_exp2)
      return exp2_by_polynomial(score, scale_log2);
    else
      return exp2_of(score * scale_log2);
  }

  /// Whether element e of the accumulator of the n-th group of 8 keys gets its probability in a pair.
  template <mma_maximum Maximum>
  __device__ static constexpr bool is_in_pair(int n, int e) {
    return Maximum == mma_maximum::fixed && (4 * n + e) % 16 < Config.softmax.packed_exp2;
  }
  /// The probabilities of two scores of a row, packed. What is added to the sum are the rounded ones.
  __device__ unsigned pair_of_probabilities(float low, float high, float most, float& sum) const {
    const unsigned pair = exponent_pairs(scale_log2).powers_of(low, high, exponent_pairs::offset_of(most));
    sum += __uint_as_float(pair << 16);
    sum += __uint_as_float(pair & 0xffff0000);
    return pair;
  }
};

}  // namespace ablate::attention_core
