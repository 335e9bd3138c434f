#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

/// The buffers of a problem, in order.
enum place {
  coordinates,
  out_coordinates,
  ends,
  digest,
  status,
  in_rows,
  out_rows,
  scratch,
  events,
  tables,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::kernel_map
