#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/sparse_conv/sparse_conv.h"

namespace ablate::sparse_conv {

/// The buffers of a problem, in their order.
bound_buffers buffers(problem&);

}  // namespace ablate::sparse_conv
