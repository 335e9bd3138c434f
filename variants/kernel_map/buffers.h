#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/kernel_map/checked_problem.h"

namespace ablate::kernel_map {

bound_buffers buffers(checked_problem&);

}  // namespace ablate::kernel_map
