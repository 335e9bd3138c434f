#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/backbone/backbone.h"
#include "oracles/row_norm/checked_problem.h"

namespace ablate::backbone {

/// A step's norm with what its comparison needs; `memory`: norm_yardstick_bytes.
row_norm::checked_problem checked_norm_of(const row_norm::problem&, dense_layers::comparison* found,
                                          std::byte* memory);

/// What plain arithmetic of a norm, or of its gradient, needs.
std::int64_t norm_yardstick_bytes(const network&, const step&);

}  // namespace ablate::backbone
