#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/voxelize/voxelize.h"

namespace ablate::voxelize {

/// The buffers of a problem, in order.
enum place {
  points_aos,  // not `points`, which is an event
  grid,
  events,
  points_soa,
  scratch,
  bins,
  queues,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

/// Size of all clouds' grid counters.
std::size_t grid_bytes(const problem&);

}  // namespace ablate::voxelize
