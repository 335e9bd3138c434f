#pragma once

#include <cstdint>

#include "kernels/linear/linear.h"
#include "kernels/mlp/parts.h"
#include "kernels/network/problem.h"
#include "kernels/row_norm/row_norm.h"
#include "kernels/window_attention_backward/window_attention_backward.h"

namespace ablate::backbone {

/// Gradient steps as problems of the operations that compute them, in the pass's memory
/// (kernels/network/parts.h).
row_norm::problem normalization_of(const problem&, const network&, const step&);
row_norm::problem norm_gradient_of(const problem&, const network&, const step&);
/// With the variance of the statistics after its scratch.
row_norm::problem batch_gradient_of(const problem&, const network&, const step&);
linear::problem linear_gradient_of(const problem&, const network&, const step&);
mlp::problem mlp_gradient_of(const problem&, const network&, const step&);
/// Of a network that works beside.
mlp::memory_beside mlp_memory_beside_of(const problem&, const network&, const step&);
window_attention_backward::problem attention_gradient_of(const problem&, const network&, const step&);

/// Scratch of these steps.
std::int64_t norm_gradient_scratch_bytes(const network&, const step&);
std::int64_t embed_gradient_scratch_bytes(const network&, const step&);
std::int64_t linear_gradient_scratch_bytes(const network&, const step&);
std::int64_t mlp_gradient_scratch_bytes(const network&, const step&);
std::int64_t attention_gradient_scratch_bytes(const network&, const step&);

/// Blocks that keep sums of the embedding's gradient, [blocks][4][channels]: of x, y, z and the bias.
constexpr int embed_gradient_parts = 64;
}  // namespace ablate::backbone
