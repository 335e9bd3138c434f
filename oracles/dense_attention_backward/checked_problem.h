#pragma once

#include "kernels/dense_attention_backward/dense_attention_backward.h"
#include "oracles/dense_attention/checked_problem.h"
#include "oracles/global_attention_backward/checks.h"

namespace ablate::dense_attention_backward {

using findings = window_attention_backward::deviations;
using global_attention_backward::sampled_row;

/// samples: [2 · forward_checks.sample_count]: rows whose dQ the check reads, then rows whose dK and dV it
/// reads; their batch is a head, counted from the first one that is compared.
struct checks : global_attention_backward::checks_among_all {
  findings* found = nullptr;  ///< [1], by the comparison: of the compared heads
};

/// A layer that is trained, with what its comparison needs besides.
struct checked_problem : problem, checks {
  dense_attention::checks forward_checks;  ///< seed, contents and samples are the whole layer's

  dense_attention::checked_problem checked_forward() const { return {forward, forward_checks}; }
  global_attention_backward::compared_heads compared_heads() const {
    return global_attention_backward::compared_heads_of(forward.tokens, forward.heads, sampled_head);
  }
};

/// rows_of, of the compared heads alone, with what its comparison needs.
window_attention_backward::checked_problem compared_rows_of(const checked_problem&);

}  // namespace ablate::dense_attention_backward
