#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/jacobian/jacobian.h"

// The launch functions of jacobian, by the file that defines them.

namespace ablate::jacobian {

// parameters.cu
void global_parameters(launcher&, const problem&, const switches&);
void smem_parameters(launcher&, const problem&, const switches&);
void constant_parameters(launcher&, const problem&, const switches&);

// smem_rows.cu
void smem_rows(launcher&, const problem&, const switches&);

}  // namespace ablate::jacobian
