#pragma once

#include <array>
#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/window_attention_backward/window_attention_backward.h"
#include "variants/attention_windows.h"

namespace ablate::window_attention_backward {

/// The check has a deviation and sampled rows for each.
inline constexpr std::array gradients = {"dQ", "dK", "dV"};

/// The buffers of a problem, in order.
enum place {
  q,
  k,
  v,
  out_gradient,
  scope,
  out,
  lse,
  plain_delta,
  q_gradient,
  k_gradient,
  v_gradient,
  samples,
  found,
  sampled_gradients,
  reference,
  scratch,
  kept_sums,
  row_of_token,  // the first of buffers_of_index
  moved = row_of_token + window_attention::buffers_of_index,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::window_attention_backward
