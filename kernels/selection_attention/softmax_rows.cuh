// The running softmax of a warp's 16 rows, of heads of 64 elements (attention_core/mma_lazy_softmax.cuh).
#pragma once

#include "kernels/attention_core/mma_lazy_softmax.cuh"
#include "kernels/selection_attention/selection_attention.h"

namespace ablate::selection_attention {

using attention_core::softmax_form;

template <softmax_form Form>
using softmax_rows = attention_core::softmax_rows<Form, width>;

constexpr int columns = width / 8;  ///< tiles of 8 outputs

}  // namespace ablate::selection_attention
