#pragma once

#include <cstdint>

#include "kernels/gated_attention_backward/gated_attention_backward.h"
#include "oracles/gated_attention/checked_problem.h"
#include "oracles/global_attention_backward/checks.h"

namespace ablate::gated_attention_backward {

using gated_attention::sampled_row;

struct findings;  ///< of the comparison: findings.h

/// samples: [2 · forward_checks.sample_count]: tokens whose dQ and gates the check reads, those of
/// forward_checks.samples; then tokens whose dK and dV it reads. plain_delta is of dC∘C.
struct checks : global_attention_backward::checks_among_all {
  findings* found = nullptr;              ///< [1], by the comparison; also all that follows
  float* sampled_gates = nullptr;         ///< [sample_count][2 + 64]: dγ_c, dγ_s, dC
  std::int32_t* sampled_lists = nullptr;  ///< [blocks][selected] of the samples' head; knows_keys() alone
  void* gradient_reference = nullptr;     ///< of the selection's gradients
};

/// A layer that is trained, with what its comparison needs besides.
struct checked_problem : problem, checks {
  gated_attention::checks forward_checks;  ///< seed, contents and samples are the whole layer's

  /// dK and dV of a row need the weights of all others, which the oracle computes of pooled rows of 32 images
  /// at most. Beyond, they are compared with plain gradients alone.
  bool knows_keys() const { return forward.blocks() <= 2016; }
  global_attention_backward::compared_heads compared_heads() const {
    return global_attention_backward::compared_heads_of(padded_rows(), forward.heads, sampled_head);
  }

  gated_attention::checked_problem checked_forward() const { return {forward, forward_checks}; }
};

}  // namespace ablate::gated_attention_backward
