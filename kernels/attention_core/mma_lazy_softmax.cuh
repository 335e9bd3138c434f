// Softmax of a warp's 16 rows over tiles of 16 keys, on the fragments of mma.sync (kernels/common/mma.cuh): a
// lane has four scores each of rows l / 4 and l / 4 + 8. P = 2^(c·s − m), c = log2(e) / √Width; earlier sums
// are multiplied by 2^(m before − m).
//   online: m is the greatest score so far. Each tile costs the maximum over a quad's lanes, four shuffles
//   one after another, and 34 multiplications. lazy: m is raised only when a score exceeds it by 8, by a vote
//   without shuffles, mostly in the first tile or two. P stays below 2^8, where bf16 is as exact as below 1,
//   so nothing is ever recomputed.
#pragma once

#include <cfloat>

#include "kernels/attention_core/softmax_form.h"
#include "kernels/common/mma.cuh"
#include "kernels/common/softmax_math.cuh"

namespace ablate::attention_core {

/// A warp's 16 rows: outputs so far, sums and what is subtracted.
template <softmax_form Form, int Width>
struct softmax_rows {
  static_assert(Form == softmax_form::online || Form == softmax_form::lazy);
  static constexpr int columns = Width / 8;  ///< tiles of 8 outputs

  float out[columns][4] = {};
  float most[2] = {-FLT_MAX, -FLT_MAX};  ///< as exponents; finite, so that a difference to it is a number
  float sum[2] = {};                     ///< of this lane's keys

  /// Scores of 8 · `Count` keys to probabilities, as the A of the product with their values.
  template <int Count>
  __device__ void weigh(float (&s)[Count][4], float scale_log2, unsigned (&p)[2 * Count]) {
    raise(s, scale_log2);
#pragma unroll
    for (int n = 0; n < Count; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        s[n][e] = exp2_of(fmaf(s[n][e], scale_log2, -most[e / 2]));
        sum[e / 2] += s[n][e];
      }
      p[2 * n] = packed(s[n][0], s[n][1]);
      p[2 * n + 1] = packed(s[n][2], s[n][3]);
    }
  }

  /// Outputs divided, of row l / 4 (`half` 0) or l / 4 + 8; returns the row's log-sum-exp.
  __device__ float finish(int half) {
    constexpr float ln2 = 0.693147180559945f;
    const float whole = sum_of_quad(sum[half]);
    const float inverse = whole == 0 ? 0 : 1 / whole;
#pragma unroll
    for (int n = 0; n < columns; ++n) {
      // Without keys, and where all their scores are −∞, nothing was added up.
      out[n][2 * half] = whole == 0 ? 0 : out[n][2 * half] * inverse;
      out[n][2 * half + 1] = whole == 0 ? 0 : out[n][2 * half + 1] * inverse;
    }
    return whole == 0 ? -INFINITY : (most[half] + log2f(whole)) * ln2;
  }

 private:
  template <int Count>
  __device__ void raise(const float (&s)[Count][4], float scale_log2) {
    constexpr float slack = 8;
    float now[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float greatest = fmaxf(s[0][2 * half], s[0][2 * half + 1]);
#pragma unroll
      for (int n = 1; n < Count; ++n) greatest = fmaxf(greatest, fmaxf(s[n][2 * half], s[n][2 * half + 1]));
      now[half] = scale_log2 * greatest;
    }
    if constexpr (Form == softmax_form::lazy)
      if (!__any_sync(~0u, now[0] > most[0] + slack || now[1] > most[1] + slack)) return;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      now[half] = fmaxf(most[half], max_of_quad(now[half]));
      const float rescale = exp2_of(most[half] - now[half]);
      most[half] = now[half];
      sum[half] *= rescale;
#pragma unroll
      for (int n = 0; n < columns; ++n) {
        out[n][2 * half] *= rescale;
        out[n][2 * half + 1] *= rescale;
      }
    }
  }
};

}  // namespace ablate::attention_core
