#pragma once

#include "harness/registry/operation.h"
#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

/// Coordinates of all instances, the check of the properties (kernels/psh_bucket/properties.h), and the work.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::psh_bucket
