#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/backbone/backbone.h"
#include "oracles/mlp/checked_problem.h"

namespace ablate::backbone {

/// A step's two layers, or their gradients, with what their comparison needs; `memory`: mlp_yardstick_bytes.
mlp::checked_problem checked_mlp_of(const problem&, const network&, const step&,
                                    dense_layers::comparison* found, std::byte* memory);

/// What plain arithmetic of these needs.
std::int64_t mlp_yardstick_bytes(const network&, const step&);

}  // namespace ablate::backbone
