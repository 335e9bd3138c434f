#pragma once

#include "kernels/pooled_key_attention/pooled_key_attention.h"
#include "oracles/block_sparse_selection/mean_findings.h"
#include "oracles/compression_attention/checked_problem.h"
#include "oracles/global_attention/checked_layer.h"

namespace ablate::pooled_key_attention {

using global_attention::sampled_row;

struct findings {
  block_sparse_selection::mean_findings means[4];  ///< as means_of has them
  compression_attention::findings attention;       ///< without lists
};

struct checks : global_attention::checks {
  findings* found = nullptr;  ///< [1], by the comparison
};

struct checked_problem : problem, checks {
  global_attention::checked_layer as_layer() const { return {*this, *this}; }
};

/// attention_of, with what its comparison needs.
compression_attention::checked_problem checked_attention_of(const checked_problem&);

}  // namespace ablate::pooled_key_attention
