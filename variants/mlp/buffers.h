#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/mlp/mlp.h"

namespace ablate::mlp {

/// The buffers of a problem, in their order.
bound_buffers buffers(problem&);

}  // namespace ablate::mlp
