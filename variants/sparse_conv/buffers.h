#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/sparse_conv/checked_problem.h"

namespace ablate::sparse_conv {

/// The buffers of a problem, in their order.
bound_buffers buffers(checked_problem&);

}  // namespace ablate::sparse_conv
