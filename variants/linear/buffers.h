#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/linear/linear.h"

namespace ablate::linear {

/// The buffers of a problem, in their order.
bound_buffers buffers(problem&);

}  // namespace ablate::linear
