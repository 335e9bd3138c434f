#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/block_pooling_backward/checked_problem.h"

namespace ablate::block_pooling_backward {

/// The buffers of a problem.
bound_buffers buffers(checked_problem&);

}  // namespace ablate::block_pooling_backward
