#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/window_attention/checked_problem.h"
#include "variants/attention_windows.h"

namespace ablate::window_attention {

/// The buffers of a problem, in order.
bound_buffers buffers(checked_problem&);

}  // namespace ablate::window_attention
