#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/compression_attention_backward/checked_problem.h"

namespace ablate::compression_attention_backward {

/// The buffers of a problem.
bound_buffers buffers(checked_problem&);

}  // namespace ablate::compression_attention_backward
