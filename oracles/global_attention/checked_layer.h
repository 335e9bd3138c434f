#pragma once

#include <cstdint>

#include "kernels/global_attention/global_attention.h"
#include "oracles/window_attention/deviation.h"

namespace ablate::global_attention {

using window_attention::sampled_row;

/// What q and k hold; v is unit normal.
enum class scores {
  /// Images see overlapping stretches of one scene. q and k have standard deviation 1: 0.8 of what the
  /// token's place looks like (three quarters of it the place's, which changes smoothly from patch block to
  /// patch block, one quarter the token's own place in it) and 0.6 of noise.
  scene,
  /// The same, of one plane: an image shows 36 or 37 columns of patches of it, 3 of them new; what a place
  /// looks like changes smoothly in both directions.
  plane,
  unit,       ///< unit normal
  integers,   ///< whole numbers from −4 to 4; pooled scores are exact in fp32, and have ties
  ascending,  ///< every key block beats all before it, the worst order for a running top-k
  equal       ///< one key for all tokens of a head
};

/// Whether every pooled score is exact in fp32, or all of them are the same.
ABLATE_ON_BOTH inline bool are_exact(scores what) {
  return what == scores::integers || what == scores::ascending || what == scores::equal;
}

/// What the comparison, the oracle and the making of inputs take beside any layer. Apart from it, because a
/// layer that is trained holds both.
struct checks {
  std::uint64_t seed = 1;
  scores what = scores::scene;

  const sampled_row* samples = nullptr;  ///< [sample_count]: token and head, all of one head
  std::int64_t sample_count = 0;
  float *sampled_out = nullptr, *sampled_lse = nullptr;  ///< [sample_count][64], [ ], by the comparison
  void* row_reference = nullptr;                         ///< of attention among rows
};

/// As much of an operation's checked problem as generated inputs depend on.
struct checked_layer : layer, checks {};

}  // namespace ablate::global_attention
