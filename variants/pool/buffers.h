#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/pool/pool.h"

namespace ablate::pool {

/// The buffers of a problem, in their order. The phase `order` has those of psh_bucket instead.
enum place {
  ends,
  coordinates,
  positions,
  cells,
  codes,
  orders,
  features,
  norm,
  skipped,
  down,
  row_gradient,
  point_gradient,
  start,
  member,
  cluster,
  count,
  half_out,
  position_out,
  cell_out,
  code_out,
  order_out,
  inverse_out,
  pooled,
  winner,
  finished,
  up,
  feature_gradient,
  down_gradient,
  promises,
  state,
  scratch_memory,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

/// Whether the phases, or those ahead of them, read features.
bool reads_features(const problem&);

}  // namespace ablate::pool
