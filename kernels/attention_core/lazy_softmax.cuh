// The softmax of a thread's two rows, tile by tile: what is subtracted from scores is raised only when one
// exceeds it by 8 powers of two, so that most tiles rescale nothing.
#pragma once

#include <cfloat>

#include "kernels/common/softmax_math.cuh"

namespace ablate::attention_core {

/// Of a thread (see wgmma.cuh): score i is of row 8 · (i / 2 % 2) + lane / 4 of the warp's 16, of the tile's
/// key 8 · (i / 4) + 2 · (lane % 4) + i % 2.
template <int TileKeys>
using warpgroup_scores = float[TileKeys / 2];

/// 16 keys by 8 rows are a group: the greatest of a thread's four scores, [group][row / 8].
constexpr int keys_per_group = 16;
template <int Groups>
using warpgroup_maxima = float[Groups][2];

template <int Groups>
__device__ inline void find_maxima(const float (&s)[keys_per_group / 2 * Groups], float (&most)[Groups][2]) {
#pragma unroll
  for (int group = 0; group < Groups; ++group)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int i = keys_per_group / 2 * group + 2 * j;
      most[group][j] = fmaxf(fmaxf(s[i], s[i + 1]), fmaxf(s[i + 4], s[i + 5]));
    }
}

/// The greatest of a tile's scores in this thread, of row j.
template <int Groups>
__device__ inline float greatest_of(const float (&of_tile)[Groups][2], int j) {
  float most = of_tile[0][j];
#pragma unroll
  for (int group = 1; group < Groups; ++group) most = fmaxf(most, of_tile[group][j]);
  return most;
}

class lazy_softmax {
 public:
  explicit __device__ lazy_softmax(float scale_log2) : scale_log2_(scale_log2) {}

  __device__ void begin() {
    most_[0] = most_[1] = -FLT_MAX;  // finite, so that differences to it are numbers
    sum_[0] = sum_[1] = 0;
  }

  /// Whether any row of the warp needs its outputs so far times `rescale`.
  template <int Groups>
  __device__ bool raise(const float (&of_tile)[Groups][2], float (&rescale)[2]) {
    constexpr float slack = 8;
    float now[2];
#pragma unroll
    for (int j = 0; j < 2; ++j) now[j] = greatest_of(of_tile, j) * scale_log2_;
    if (!__any_sync(~0u, now[0] > most_[0] + slack || now[1] > most_[1] + slack)) return false;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const float most = fmaxf(most_[j], max_of_quad(now[j]));
      rescale[j] = exp2_of(most_[j] - most);
      sum_[j] *= rescale[j];
      most_[j] = most;
    }
    return true;
  }

  /// Turns scores into probabilities.
  template <int Count>
  __device__ void apply(float (&s)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      s[i] = exp2_of(fmaf(s[i], scale_log2_, -most_[i >> 1 & 1]));
      sum_[i >> 1 & 1] += s[i];
    }
  }

  /// After the last tile. A row whose scores are all −∞ comes out as NaN, as 0 / 0 would.
  __device__ void finish(float (&inverse)[2], float (&lse)[2]) const {
    constexpr float ln2 = 0.693147180559945f;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const float sum = sum_of_quad(sum_[j]);
      inverse[j] = sum == 0 ? NAN : 1 / sum;
      lse[j] = sum == 0 ? NAN : (most_[j] + log2f(sum)) * ln2;
    }
  }

 private:
  float scale_log2_;
  float most_[2];  ///< what is subtracted, in powers of two
  float sum_[2];   ///< of this thread's columns
};

}  // namespace ablate::attention_core
