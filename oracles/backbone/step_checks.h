#pragma once

#include <cstddef>

#include "kernels/common/launcher.h"
#include "oracles/backbone/checked_problem.h"

// Compare what a step left with plain arithmetic on its inputs, index steps aside.

namespace ablate::backbone {

// ptv3_check.cu
/// Of a forward step that only PTv3 has.
void compare_ptv3_step(launcher&, const checked_problem&, const network&, const step&);

// gradient_check.cu
/// Of a step of training; `memory`: what that needs.
void compare_gradient_step(launcher&, const checked_problem&, const network&, const step&, std::byte* memory);
/// Keeps all gradients, and counts what differs from them.
void copy_gradients(launcher&, const problem&, const network&, std::byte* to);
void compare_gradients(launcher&, const checked_problem&, const network&, const std::byte* before);

// gradient_rows_check.cu
/// Of steps whose rows are pooled, embedded or put back.
void compare_rows_gradient(launcher&, const checked_problem&, const network&, const step&);

// ptv3_gradient_check.cu
/// Of steps that only PTv3 has: of rows that were moved to windows and back, and of convolutions.
void compare_ptv3_gradient(launcher&, const checked_problem&, const network&, const step&);

}  // namespace ablate::backbone
