// What running_lists.cuh is seeded by: a bound on each list, from keys that are met ahead of the pass.
#pragma once

#include "kernels/attention_core/lazy_softmax.cuh"

namespace ablate::compression_attention::by_warpgroup {

/// What of a lane's two rows is known before the first pass: its eight best cells of four keys, or 16 of them
/// where lists have 64 places. The least of the 32 of a row's four lanes is a bound: at least 32 keys score
/// as much.
template <int Halves>
class best_cells {
 public:
  __device__ best_cells() {
    for (auto& of_row : best_)
      for (float& x : of_row) x = -INFINITY;
  }

  template <int Groups>
  __device__ void see(const float (&most)[Groups][2]) {
#pragma unroll
    for (int group = 0; group < Groups; ++group)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        float x = fmaxf(most[group][j], -INFINITY);  // four keys of NaN are none
#pragma unroll
        for (float& kept : best_[j]) {
          const float lesser = fminf(kept, x);
          kept = fmaxf(kept, x);
          x = lesser;
        }
      }
  }

  /// What at least `selected` keys of row j reach.
  __device__ float reached_by(int selected, int j) const {
    const int place = (selected - 1) / 4;
    float of_lane = best_[j][0];
#pragma unroll
    for (int i = 1; i < kept_cells; ++i)
      if (i == place) of_lane = best_[j][i];
    of_lane = fminf(of_lane, __shfl_xor_sync(~0u, of_lane, 1));
    return fminf(of_lane, __shfl_xor_sync(~0u, of_lane, 2));
  }

 private:
  static constexpr int kept_cells = 32 * Halves / 4;
  float best_[2][kept_cells];  ///< in descending order
};

}  // namespace ablate::compression_attention::by_warpgroup
