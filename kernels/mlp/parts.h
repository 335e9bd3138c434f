#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/mlp/mlp.h"

namespace ablate::mlp {

/// How far Y is from plain arithmetic.
void compare_with_plain(launcher&, const problem&);

/// Hidden columns that the fused kernels compute before they multiply them.
constexpr int hidden_step = 64;

}  // namespace ablate::mlp
