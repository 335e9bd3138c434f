#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/selection_attention/checked_problem.h"

namespace ablate::selection_attention {

/// The buffers of a problem.
bound_buffers buffers(checked_problem&);

}  // namespace ablate::selection_attention
