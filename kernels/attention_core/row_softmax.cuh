// The softmax of a warpgroup's scores: P = 2^(c·s − m), c = log2(e) / √D. How m keeps P in range is the form
// (softmax_form.h).
#pragma once

#include "kernels/attention_core/products.cuh"
#include "kernels/common/packed_exp2.cuh"
#include "kernels/common/softmax_math.cuh"

namespace ablate::attention_core {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// The softmax of a thread's two rows (see wgmma.cuh for which), key tile by key tile.
template <softmax_config Config>
struct row_softmax {
  static constexpr softmax_form form = Config.form;
  static_assert(Config.packed_exp2 == 0 || (form == softmax_form::fixed_max && Config.sums_by_product &&
                                            Config.software_exp2 == 0 && Config.packed_exp2 % 2 == 0));
  float most[2],
      sum[2];  ///< of raw scores (fixed_max: times c, what is subtracted); of this thread's columns

  __device__ void begin() {
    most[0] = most[1] = -INFINITY;
    sum[0] = sum[1] = 0;
  }

  /// fixed_max: takes the number to subtract from the scores of the first keys. If all of them are −∞, no
  /// sum is in range.
  template <int Count>
  __device__ void look_at_first(const float (&s)[Count], float c) {
    if constexpr (form == softmax_form::fixed_max) {
#pragma unroll
      for (int i = 0; i < Count; ++i) most[i >> 1 & 1] = fmaxf(most[i >> 1 & 1], s[i]);
#pragma unroll
      for (int r = 0; r < 2; ++r) most[r] = max_of_quad(most[r]) * c;
    }
  }

  /// Turns scores into probabilities; those of pairs stay scores (pack). `rescale` is the factor for
  /// the outputs so far (online only).
  template <int Count>
  __device__ void apply(float (&s)[Count], float c, float (&rescale)[2]) {
    if constexpr (Config.packed_exp2 > 0) return;
    if constexpr (form == softmax_form::fixed_max) {
      // Clamps to the polynomial's domain: a sum that is too large shows, values that are too small do not
      // matter. The minimum comes first because min(NaN, number) is the number: so NaN, too, makes a sum that
      // is too large.
      constexpr float lowest = -127, highest = 127;
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        const float x = fmaf(s[i], c, -most[i >> 1 & 1]);
        s[i] = i % 16 < Config.software_exp2 ? exp2_by_polynomial(fmaxf(fminf(x, highest), lowest), 1)
                                             : exp2_of(x);
        if constexpr (!Config.sums_by_product) sum[i >> 1 & 1] += s[i];
      }
    } else if constexpr (form == softmax_form::bounded) {
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        s[i] = i % 16 < Config.software_exp2 ? exp2_by_polynomial(s[i], c) : exp2_of(s[i] * c);
        if constexpr (!Config.sums_by_product) sum[i >> 1 & 1] += s[i];
      }
    } else {
      float max_now[2] = {most[0], most[1]}, subtracted[2];
#pragma unroll
      for (int i = 0; i < Count; ++i) max_now[i >> 1 & 1] = fmaxf(max_now[i >> 1 & 1], s[i]);
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        max_now[r] = max_of_quad(max_now[r]);
        // All scores so far are −∞: subtract nothing; all probabilities are 0.
        subtracted[r] = max_now[r] == -INFINITY ? 0 : max_now[r] * c;
        rescale[r] = exp2_of(most[r] * c - subtracted[r]);
        sum[r] *= rescale[r];
        most[r] = max_now[r];
      }
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        s[i] = exp2_of(fmaf(s[i], c, -subtracted[i >> 1 & 1]));
        if constexpr (!Config.sums_by_product) sum[i >> 1 & 1] += s[i];
      }
    }
  }

  /// The fragments of the probabilities. Of pairs all powers are taken here, each pair packed at once: while
  /// others wait, a warpgroup of four has no registers for more.
  template <int Count>
  __device__ void pack(unsigned (&p)[Count / 2], const float (&s)[Count], float c) const {
    if constexpr (Config.packed_exp2 == 0) {
      pack_probabilities(p, s);
    } else {
      const exponent_pairs pairs(c);
      const float offset[2] = {pairs.offset_of(most[0]), pairs.offset_of(most[1])};
      const auto power_of = [&](int i) { return exp2_of(fmaf(s[i], c, -most[i >> 1 & 1])); };
#pragma unroll
      for (int i = 0; i < Count; i += 2)
        p[i / 2] = i % 16 < Config.packed_exp2 ? pairs.powers_of(s[i], s[i + 1], offset[i >> 1 & 1])
                                               : packed(power_of(i), power_of(i + 1));
    }
  }

  /// After the last tile: the whole row's sum, and its log-sum-exp.
  __device__ float whole_sum(int r) const { return sum_of_quad(sum[r]); }
  __device__ float lse(int r, float whole, float c) const {
    constexpr float ln2 = 0.693147180559945f;
    // All scores are −∞; the outputs are NaN as 0 / 0.
    if (whole == 0) return NAN;
    const float subtracted = form == softmax_form::online      ? most[r] * c
                             : form == softmax_form::fixed_max ? most[r]
                                                               : 0;
    return (subtracted + log2f(whole)) * ln2;
  }
};

#endif

}  // namespace ablate::attention_core
