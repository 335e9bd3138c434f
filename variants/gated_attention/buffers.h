#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/gated_attention/checked_problem.h"

namespace ablate::gated_attention {

/// The buffers of a problem and of what its comparison needs besides; or of both in one.
bound_buffers buffers_of(problem&, checks&);
bound_buffers buffers(checked_problem&);

}  // namespace ablate::gated_attention
