#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/row_norm/row_norm.h"

// The launch functions of row_norm, by the file that defines them.

namespace ablate::row_norm {

// rows.cu
void rows(launcher&, const problem&, const switches&);
void separate(launcher&, const problem&, const switches&);

}  // namespace ablate::row_norm
