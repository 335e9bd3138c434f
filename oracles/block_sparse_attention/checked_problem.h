#pragma once

#include <cstdint>

#include "kernels/block_sparse_attention/block_sparse_attention.h"
#include "oracles/block_sparse_selection/checked_problem.h"
#include "oracles/block_sparse_selection/mean_findings.h"
#include "oracles/compression_attention/checked_problem.h"
#include "oracles/compression_attention/int8_findings.h"
#include "oracles/global_attention/checked_layer.h"

namespace ablate::block_sparse_attention {

using global_attention::sampled_row;

/// Of the parts. All but `wrongly_moved` is of tokens in the order of blocks.
struct findings {
  block_sparse_selection::mean_findings means[2];  ///< of q and k
  block_sparse_selection::findings kept;
  compression_attention::findings attention;  ///< without lists
  /// Elements that are others in the order of blocks, or back from it; where tokens are moved.
  unsigned long long wrongly_moved;
  compression_attention::int8_findings int8;
};

struct checks : global_attention::checks {
  const sampled_row* block_samples = nullptr;  ///< [block_sample_count]: block of 128 queries, and head
  std::int64_t block_sample_count = 0;
  findings* found = nullptr;               ///< [1], by the comparison; also all that follows
  std::uint32_t* sampled_kept = nullptr;   ///< [block_sample_count][words]
  std::int32_t* sampled_counts = nullptr;  ///< [block_sample_count]
};

struct checked_problem : problem, checks {
  global_attention::checked_layer as_layer() const { return {*this, *this}; }
};

/// choice_of, with what its comparison needs.
block_sparse_selection::checked_problem checked_choice_of(const checked_problem&);
/// kept_of in the same way. Special tokens attend by a launch of their own, and are compared with the others.
compression_attention::checked_problem checked_kept_of(const checked_problem&);

}  // namespace ablate::block_sparse_attention
