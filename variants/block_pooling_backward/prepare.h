#pragma once

#include "harness/registry/operation.h"
#include "kernels/block_pooling_backward/block_pooling_backward.h"

namespace ablate::block_pooling_backward {

/// Weights of the norm and the rotations, sampled rows, the check against plain arithmetic (fp32, all rows,
/// on the device; fp64, sampled rows, on the host), and the work.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::block_pooling_backward
