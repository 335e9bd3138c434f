#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/gated_attention_backward/gated_attention_backward.h"

namespace ablate::gated_attention_backward {

/// The buffers of a problem: the forward pass's first, as there.
bound_buffers buffers(problem&);

}  // namespace ablate::gated_attention_backward
