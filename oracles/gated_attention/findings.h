#pragma once

#include "oracles/block_pooling/checked_problem.h"
#include "oracles/compression_attention/checked_problem.h"
#include "oracles/selection_attention/checked_problem.h"

namespace ablate::gated_attention {

/// Of the three parts.
struct findings {
  block_pooling::deviation pooled[2 * block_pooling::tensors];  ///< q, k, v; the rest is not used
  compression_attention::findings compression;
  selection_attention::deviations selection;
};

}  // namespace ablate::gated_attention
