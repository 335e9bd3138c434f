#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/compression_attention_backward/compression_attention_backward.h"

namespace ablate::global_attention_backward {

/// Gradients of attention among rows of any kind: `core`.
void differentiate_rows(launcher&, const compression_attention_backward::problem&, const switches&);

}  // namespace ablate::global_attention_backward
