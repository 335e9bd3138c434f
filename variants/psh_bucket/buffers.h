#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

bound_buffers buffers(problem&);

}  // namespace ablate::psh_bucket
