#pragma once

#include "harness/registry/operation.h"
#include "oracles/pool/checked_problem.h"

namespace ablate::pool {

/// Inputs, the check, quality, and the work. Clusters in buckets depend on the order of atomics where cells
/// are equal, so the check tests properties, and features against the variant's own index.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::pool
