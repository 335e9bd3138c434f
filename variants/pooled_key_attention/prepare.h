#pragma once

#include "harness/registry/operation.h"
#include "oracles/pooled_key_attention/checked_problem.h"

namespace ablate::pooled_key_attention {

/// Samples, what the oracle knows of them, check, figures and work.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::pooled_key_attention
