#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/linear/checked_problem.h"

namespace ablate::linear {

/// The buffers of a problem, in their order.
bound_buffers buffers(checked_problem&);

}  // namespace ablate::linear
