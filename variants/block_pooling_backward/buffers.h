#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/block_pooling_backward/block_pooling_backward.h"

namespace ablate::block_pooling_backward {

/// The buffers of a problem.
bound_buffers buffers(problem&);

}  // namespace ablate::block_pooling_backward
