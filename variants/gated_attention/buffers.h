#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/gated_attention/gated_attention.h"

namespace ablate::gated_attention {

/// The buffers of a problem.
bound_buffers buffers(problem&);

}  // namespace ablate::gated_attention
