#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/backbone/backbone.h"
#include "oracles/linear/checked_problem.h"

namespace ablate::backbone {

/// A step's layer, or its gradients, with what their comparison needs; `memory`: linear_yardstick_bytes.
linear::checked_problem checked_linear_of(const problem&, const network&, const step&,
                                          dense_layers::comparison* found, std::byte* memory);
linear::checked_problem checked_linear_gradient_of(const problem&, const network&, const step&,
                                                   dense_layers::comparison* found);

/// What plain arithmetic of a layer needs; of its gradients none.
std::int64_t linear_yardstick_bytes(const network&, const step&);

}  // namespace ablate::backbone
