#pragma once

#include "kernels/window_attention_backward/moved_rows.h"
#include "kernels/window_attention_backward/view.cuh"

namespace ablate::window_attention_backward {

/// Phase arrange: Q, K, V, O and log-sum-exp to moved rows, where a forward pass that gathers or sorts its
/// rows leaves them.
void gather_saved_tensors(launcher&, const problem&, const moved_rows&);

/// The gradients from moved rows to those of the problem, in one launch, in 16-byte vectors.
void gather_gradients(launcher&, const problem&, const moved_rows&);

}  // namespace ablate::window_attention_backward
