#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/pool/checked_problem.h"

namespace ablate::pool {

/// The buffers of a problem, in their order. The phase `order` has those of psh_bucket instead.
bound_buffers buffers(checked_problem&);

/// Whether the phases, or those ahead of them, read features.
bool reads_features(const problem&);

}  // namespace ablate::pool
