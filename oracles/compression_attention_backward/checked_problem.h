#pragma once

#include <cstdint>

#include "kernels/compression_attention_backward/compression_attention_backward.h"
#include "oracles/window_attention_backward/checked_problem.h"

namespace ablate::compression_attention_backward {

/// Gradients among pooled rows with what their comparison needs besides: that of
/// window_attention_backward.
struct checked_problem : problem, window_attention_backward::checked_gradients {};

/// The dense backward pass that computes and compares them.
inline window_attention_backward::checked_problem checked_gradients_of(const checked_problem& p) {
  return {p.gradients, p};
}

/// Sizes, and what inputs are made of; pointers still null.
checked_problem generated_problem_of_rows(std::int64_t rows, std::int64_t heads, std::uint64_t seed,
                                          float score_spread);

}  // namespace ablate::compression_attention_backward
