#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/gated_attention_backward/gated_attention_backward.h"

namespace ablate::gated_attention_backward {

/// Pooled rows, their outputs, log-sum-exps and dC into whole tiles, padded with zeros (moved_rows).
void move_pooled_rows(launcher&, const problem&);

/// Their gradients back, without what follows the last row.
void move_pooled_gradients_back(launcher&, const problem&);

}  // namespace ablate::gated_attention_backward
