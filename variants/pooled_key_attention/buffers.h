#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/pooled_key_attention/checked_problem.h"

namespace ablate::pooled_key_attention {

/// The buffers of a problem and of what its comparison needs besides.
bound_buffers buffers(checked_problem&);

}  // namespace ablate::pooled_key_attention
