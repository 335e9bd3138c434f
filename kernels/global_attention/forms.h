#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/compression_attention/compression_attention.h"

namespace ablate::global_attention {

using compression_form = void (*)(launcher&, const compression_attention::problem&, const switches&);

/// Attention among rows of any kind, without lists: `core`.
compression_form dense_form_of(const switches&);

}  // namespace ablate::global_attention
