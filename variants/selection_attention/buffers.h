#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/selection_attention/selection_attention.h"

namespace ablate::selection_attention {

/// The buffers of a problem.
bound_buffers buffers(problem&);

}  // namespace ablate::selection_attention
