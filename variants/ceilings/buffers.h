#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/ceilings/ceilings.h"

namespace ablate::ceilings {

bound_buffers buffers(problem&);

}  // namespace ablate::ceilings
