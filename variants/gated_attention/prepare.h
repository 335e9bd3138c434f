#pragma once

#include "harness/registry/operation.h"
#include "kernels/gated_attention/gated_attention.h"

namespace ablate::gated_attention {

/// Sampled blocks and tokens.
constexpr std::int64_t most_groups = 8, sampled_tokens = 16;
std::int64_t groups_of_samples(const problem&);

/// Samples, what the oracle knows of them, the check (check.h), and the work.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::gated_attention
