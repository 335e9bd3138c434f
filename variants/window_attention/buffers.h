#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/window_attention/window_attention.h"
#include "variants/attention_windows.h"

namespace ablate::window_attention {

/// The buffers of a problem, in order.
bound_buffers buffers(problem&);

}  // namespace ablate::window_attention
