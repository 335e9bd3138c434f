#pragma once

#include "harness/registry/operation.h"
#include "oracles/gated_attention_backward/checked_problem.h"

namespace ablate::gated_attention_backward {

/// Device memory that the layer needs, forward and backward: what the forward pass reads, hands on and
/// writes; dO, dQ, dK and dV; the transposed lists. Nothing is added up beside
/// (docs/operations/gated_attention_backward.md, Work).
double modelled_bytes(const problem&);

/// Samples, what the oracle knows of them, the checks of the forward pass and of the gradients, and the work.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::gated_attention_backward
