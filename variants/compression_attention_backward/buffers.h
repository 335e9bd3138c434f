#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/compression_attention_backward/compression_attention_backward.h"

namespace ablate::compression_attention_backward {

/// The buffers of a problem.
bound_buffers buffers(problem&);

}  // namespace ablate::compression_attention_backward
