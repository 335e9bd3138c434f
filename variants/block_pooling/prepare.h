#pragma once

#include "harness/registry/operation.h"
#include "oracles/block_pooling/checked_problem.h"

namespace ablate::block_pooling {

/// Weights of the norm and the rotations, sampled rows, the check against plain arithmetic (fp32, all rows,
/// on the device; fp64, sampled rows, on the host), and the work.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::block_pooling
