#pragma once

#include "kernels/dense_attention/dense_attention.h"
#include "oracles/compression_attention/checked_problem.h"
#include "oracles/global_attention/checked_layer.h"

namespace ablate::dense_attention {

using compression_attention::findings;
using global_attention::sampled_row;

struct checks : global_attention::checks {
  findings* found = nullptr;  ///< [1], by the comparison: of attention, without lists
};

struct checked_problem : problem, checks {
  global_attention::checked_layer as_layer() const { return {*this, *this}; }
};

/// attention_of, with what its comparison needs.
compression_attention::checked_problem checked_attention_of(const checked_problem&);

}  // namespace ablate::dense_attention
