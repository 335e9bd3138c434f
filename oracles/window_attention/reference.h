#pragma once

#include <array>
#include <cstdint>

#include "oracles/window_attention/checked_problem.h"

namespace ablate::window_attention {

/// Row of token `t` of window `w`; shared by all batches.
std::int64_t row_of(const problem&, std::int64_t w, std::int64_t t);

/// The window that a row belongs to and its token there; shared by all batches.
struct window_place {
  std::int64_t window, token;
};
window_place place_of_row(const problem&, std::int64_t row);

/// The generated input element of token `at`, in this row of its batch.
double generated_value(const checked_problem&, tensor of, const token_place& at, std::int64_t row,
                       int element);

constexpr int max_width = 128;
/// The oracle: fp64 attention of one query, computed from the generated inputs (generated_inputs.h): its
/// output [width], the log-sum-exp of its scores and the divisor of its error (deviation).
struct exact_row {
  std::array<double, max_width> out;
  double lse, scale;
};
exact_row reference_row(const checked_problem&, const sampled_row&);

}  // namespace ablate::window_attention
