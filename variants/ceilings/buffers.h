#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/ceilings/ceilings.h"

namespace ablate::ceilings {

/// The buffers of a problem, in order.
enum place { in, out, memory, places };

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::ceilings
