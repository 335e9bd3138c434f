#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/window_attention/window_attention.h"
#include "variants/attention_windows.h"

namespace ablate::window_attention {

/// The buffers of a problem, in order.
enum place {
  q,
  k,
  v,
  scope,
  out,
  lse,
  samples,
  found,
  sampled_out,
  sampled_lse,
  reference,
  scratch,
  qkv,
  row_of_token,  // the first of buffers_of_index
  keys = row_of_token + buffers_of_index,
  moved,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::window_attention
