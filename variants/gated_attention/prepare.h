#pragma once

#include <cstdint>
#include <memory>

#include "harness/registry/operation.h"
#include "oracles/gated_attention/checked_problem.h"
#include "variants/gated_attention/check.h"

namespace ablate::gated_attention {

/// Of sampled blocks, neighboring_lists each.
constexpr std::int64_t max_groups = 8;
std::int64_t groups_of_samples(const problem&);

/// Samples, and what the oracle knows of them.
known_layer know(const checked_problem&, std::uint64_t seed);

/// The check of these (check.h), and the work.
workload workload_of(const checked_problem&, const std::shared_ptr<const known_layer>&);

/// Both.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::gated_attention
