#pragma once

#include "oracles/block_pooling/checked_problem.h"
#include "oracles/block_sparse_selection/checked_problem.h"
#include "oracles/block_sparse_selection/mean_findings.h"
#include "oracles/compression_attention/checked_problem.h"
#include "oracles/compression_attention/int8_findings.h"
#include "oracles/selection_attention/checked_problem.h"
#include "oracles/token_merging/checked_problem.h"

namespace ablate::gated_attention {

/// Of the sparse method's three parts; of the others `compression`, without lists, and of block_sparse what
/// its choice left as well.
struct findings {
  block_pooling::deviation pooled[2 * block_pooling::tensors];  ///< q, k, v; the rest is not used
  compression_attention::findings compression;
  selection_attention::deviations selection;
  /// Of q and k; or, where keys are pooled, as pooled_keys_of has them.
  block_sparse_selection::mean_findings means[4];
  block_sparse_selection::findings kept;
  token_merging::findings merging[3];  ///< by step
  /// Elements that are others in the order of blocks, or back from it; where tokens are moved.
  unsigned long long wrongly_moved;
  compression_attention::int8_findings int8;
};

}  // namespace ablate::gated_attention
