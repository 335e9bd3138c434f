#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/pooled_key_attention/pooled_key_attention.h"

// The launch functions of pooled_key_attention, by the file that defines them.

namespace ablate::pooled_key_attention {

// attend.cu
void attend(launcher&, const problem&, const switches&);

}  // namespace ablate::pooled_key_attention
