#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/row_norm/row_norm.h"

namespace ablate::row_norm {

/// The buffers of a problem, in their order.
bound_buffers buffers(problem&);

}  // namespace ablate::row_norm
