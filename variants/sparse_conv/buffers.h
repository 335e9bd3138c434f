#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/sparse_conv/sparse_conv.h"

namespace ablate::sparse_conv {

/// The buffers of a problem, in their order.
enum place {
  table,
  masks,
  order,
  ends,
  in_rows,
  out_rows,
  tiles,
  splits,
  part_ends,
  x,
  weights,
  bias,
  out_gradient,
  y,
  x_gradient,
  weight_gradient,
  bias_gradient,
  weights_by_offset,
  gathered,
  products,
  workspace,
  sums,
  parts,
  bias_sums,
  expected,
  is_kept,
  samples,
  found,
  sampled_out,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::sparse_conv
