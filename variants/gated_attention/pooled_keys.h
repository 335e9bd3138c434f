#pragma once

#include "harness/registry/operation.h"
#include "oracles/gated_attention/checked_problem.h"

namespace ablate::gated_attention {

/// The workload of attention to pooled keys: samples, what the oracle knows of them, check, figures and work.
workload prepare_pooled_keys(const checked_problem&, const input_library&);

}  // namespace ablate::gated_attention
