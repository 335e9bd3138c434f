#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/compression_attention/checked_problem.h"

namespace ablate::compression_attention {

/// The buffers of a problem.
bound_buffers buffers(checked_problem&);

}  // namespace ablate::compression_attention
