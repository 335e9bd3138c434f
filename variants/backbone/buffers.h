#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/backbone/backbone.h"

namespace ablate::backbone {

/// The buffers of a problem, in their order.
enum place {
  coordinates,
  cells,
  positions,
  ends,
  windows,
  probe_steps,
  x,
  matrices,
  vectors,
  out_gradient,
  arena,
  workspace,
  tickets,
  index,
  out,
  x_gradient,
  gradients,
  found,
  attended,
  differentiated,
  facts,
  yardstick,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::backbone
