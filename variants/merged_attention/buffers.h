#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/merged_attention/checked_problem.h"

namespace ablate::merged_attention {

/// The buffers of a problem and of what its comparison needs besides.
bound_buffers buffers(checked_problem&);

}  // namespace ablate::merged_attention
