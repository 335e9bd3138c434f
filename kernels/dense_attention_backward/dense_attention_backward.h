#pragma once

#include "kernels/dense_attention/dense_attention.h"
#include "kernels/global_attention_backward/global_attention_backward.h"

namespace ablate::dense_attention_backward {

/// Global attention of all tokens to all, trained: forward, then backward: dQ, dK and dV
/// (docs/operations/dense_attention_backward.md). Tokens are whole tiles of 128 rows.

using global_attention_backward::gradients;
using global_attention_backward::phase;
using global_attention_backward::width;

struct problem : global_attention_backward::backward_pass {
  dense_attention::problem forward;
};

/// The backward pass, of all rows.
inline compression_attention_backward::problem rows_of(const problem& p) { return among_all(p.forward, p); }

}  // namespace ablate::dense_attention_backward
