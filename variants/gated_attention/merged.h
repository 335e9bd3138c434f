#pragma once

#include "harness/registry/operation.h"
#include "oracles/gated_attention/checked_problem.h"

namespace ablate::gated_attention {

/// Sampled matches.
constexpr std::int64_t sampled_sources = 4;

/// The workload of attention among merged tokens: samples, what the oracle knows of them, check, figures and
/// work.
workload prepare_merged(const checked_problem&, const input_library&);

}  // namespace ablate::gated_attention
