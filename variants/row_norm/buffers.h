#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/row_norm/checked_problem.h"

namespace ablate::row_norm {

/// The buffers of a problem, in their order.
bound_buffers buffers(checked_problem&);

}  // namespace ablate::row_norm
