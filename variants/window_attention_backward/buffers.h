#pragma once

#include <array>

#include "harness/registry/bound_buffers.h"
#include "oracles/window_attention_backward/checked_problem.h"
#include "variants/attention_windows.h"

namespace ablate::window_attention_backward {

/// The check has a deviation and sampled rows for each.
inline constexpr std::array gradients = {"dQ", "dK", "dV"};

/// The buffers of a problem, in order.
bound_buffers buffers(checked_problem&);

}  // namespace ablate::window_attention_backward
