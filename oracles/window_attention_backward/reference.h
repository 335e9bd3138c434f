#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracles/window_attention/checked_problem.h"

namespace ablate::window_attention_backward {

/// The oracle, in fp64: one head of one window, [tokens][width] each.
struct window_values {
  int tokens = 0, width = 0;
  std::vector<double> q, k, v, out_gradient;
};
/// The inputs as generated (generated_inputs.h).
window_values values_of(const window_attention::checked_problem&, std::int64_t batch, std::int64_t window,
                        std::int64_t head);
/// [width]: dQ of one token.
std::vector<double> exact_query_gradient(const window_values&, std::int64_t token);
/// [tokens.size()][width]: dK and dV of these tokens.
struct key_gradients {
  std::vector<double> k, v;
};
key_gradients exact_key_gradients(const window_values&, std::span<const std::int64_t> tokens);

}  // namespace ablate::window_attention_backward
