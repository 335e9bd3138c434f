#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/voxelize/voxelize.h"

namespace ablate::voxelize {

std::size_t grid_bytes(const problem&);

/// The buffers of a problem: points, grid, events, points as structure of arrays, scratch of sorts, bins.
std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::voxelize
