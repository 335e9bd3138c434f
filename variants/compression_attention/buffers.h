#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/compression_attention/compression_attention.h"

namespace ablate::compression_attention {

/// The buffers of a problem.
bound_buffers buffers(problem&);

}  // namespace ablate::compression_attention
