#pragma once

#include <cstdint>

#include "harness/registry/operation.h"
#include "oracles/merged_attention/checked_problem.h"

namespace ablate::merged_attention {

/// Sampled matches.
constexpr std::int64_t sampled_sources = 4;

/// Samples, what the oracle knows of them, check, figures and work.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::merged_attention
