#pragma once

#include <cstdint>

#include "kernels/gated_attention/gated_attention.h"
#include "oracles/window_attention/deviation.h"

namespace ablate::gated_attention {

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

/// Whether fp32 holds every pooled score exactly, or all of them are the same.
ABLATE_ON_BOTH inline bool are_exact(scores what) {
  return what == scores::integers || what == scores::ascending || what == scores::equal;
}

struct findings;  ///< of the comparison: findings.h

/// What the comparison, the oracle and the making of inputs take beside a layer. Apart from it, because a
/// layer that is trained holds both.
struct checks {
  std::uint64_t seed = 1;
  scores what = scores::scene;

  /// [block_sample_count]: block and head; sparse; of block_sparse, blocks of 128 queries.
  const sampled_row* block_samples = nullptr;
  const sampled_row* samples = nullptr;          ///< [sample_count]: token and head, all of one head
  const std::int32_t* source_samples = nullptr;  ///< [source_sample_count]: sources by number; merged alone
  std::int64_t block_sample_count = 0, sample_count = 0, source_sample_count = 0;
  findings* found = nullptr;  ///< [1], by the comparison; also all that follows
  float *sampled_compressed = nullptr, *sampled_compressed_lse = nullptr;  ///< [block_sample_count][64], [ ]
  std::int32_t* sampled_table = nullptr;                                   ///< [block_sample_count][selected]
  std::uint32_t* sampled_kept = nullptr;                 ///< [block_sample_count][words], block_sparse alone
  std::int32_t* sampled_counts = nullptr;                ///< [block_sample_count], likewise
  std::int32_t* sampled_best = nullptr;                  ///< [source_sample_count], merged alone
  float* sampled_similarity = nullptr;                   ///< likewise
  float *sampled_out = nullptr, *sampled_lse = nullptr;  ///< [sample_count][64], [sample_count]
  void* row_reference = nullptr;                         ///< of compression, or of attention to all or kept
  void* selection_reference = nullptr;                   ///< sparse alone
};

struct checked_problem : problem, checks {};

}  // namespace ablate::gated_attention
