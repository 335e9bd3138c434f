#pragma once

#include "harness/registry/bound_buffers.h"
#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

bound_buffers buffers(problem&);

}  // namespace ablate::kernel_map
