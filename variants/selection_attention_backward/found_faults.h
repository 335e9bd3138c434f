#pragma once

#include <cstddef>
#include <optional>

#include "harness/registry/operation.h"
#include "oracles/selection_attention_backward/checked_problem.h"

// What is wrong with the gradients of all rows as the device found them by the comparison, if anything.

namespace ablate::selection_attention_backward {

/// Of dQ (0), dK or dV.
std::optional<check_result> fault_of_gradient(const checked_problem&, const deviations&,
                                              std::size_t gradient);

/// Of the gates' gradients and dC; where attention is gated.
std::optional<check_result> fault_of_found_gates(const checked_problem&, const deviations&);

}  // namespace ablate::selection_attention_backward
