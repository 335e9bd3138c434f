#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/mlp/checked_problem.h"

namespace ablate::mlp {

/// The buffers of a problem, in their order.
bound_buffers buffers(checked_problem&);

}  // namespace ablate::mlp
