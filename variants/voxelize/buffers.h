#pragma once

#include <cstddef>

#include "harness/registry/bound_buffers.h"
#include "kernels/voxelize/voxelize.h"

namespace ablate::voxelize {

bound_buffers buffers(problem&);

/// Size of all clouds' grid counters.
std::size_t grid_bytes(const problem&);

}  // namespace ablate::voxelize
