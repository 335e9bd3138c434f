#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/backbone/checked_problem.h"

namespace ablate::backbone {

/// The buffers of a problem, in their order.
bound_buffers buffers(checked_problem&);

}  // namespace ablate::backbone
