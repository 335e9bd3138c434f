#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/selection_attention_backward/selection_attention_backward.h"

namespace ablate::selection_attention_backward {

/// The buffers of a problem.
bound_buffers buffers(problem&);

}  // namespace ablate::selection_attention_backward
