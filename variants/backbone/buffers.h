#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/backbone/backbone.h"

namespace ablate::backbone {

/// The buffers of a problem, in their order.
bound_buffers buffers(problem&);

}  // namespace ablate::backbone
