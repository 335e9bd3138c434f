#pragma once

#include "harness/registry/operation.h"
#include "kernels/gated_attention/gated_attention.h"

namespace ablate::gated_attention {

/// The workload of attention to pooled keys: samples, what the oracle knows of them, check, figures and work.
workload prepare_pooled_keys(const problem&, const input_library&);

}  // namespace ablate::gated_attention
