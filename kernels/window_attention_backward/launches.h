#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/window_attention_backward/window_attention_backward.h"

// The launch functions of window_attention_backward, by the file that defines them.

namespace ablate::window_attention_backward {

// contiguous.cu
void hopper_contiguous(launcher&, const problem&, const switches&);
void mma_contiguous(launcher&, const problem&, const switches&);

// gather.cu
void hopper_gathered(launcher&, const problem&, const switches&);
void hopper_gathered_vectorized(launcher&, const problem&, const switches&);

// hopper_bulk.cu
void hopper_bulk(launcher&, const problem&, const switches&);

// hopper_per_shape_best.cu
void hopper_per_shape_best(launcher&, const problem&, const switches&);

// hopper_four_groups.cu
void hopper_four_groups(launcher&, const problem&, const switches&);
void hopper_private_dq(launcher&, const problem&, const switches&);

// hopper_window_per_cta.cu
void hopper_window_per_cta(launcher&, const problem&, const switches&);
void hopper_window_per_cta_inline_delta(launcher&, const problem&, const switches&);

// hopper_persistent.cu
void hopper_persistent(launcher&, const problem&, const switches&);

// hopper_reduced.cu
void hopper_reduced(launcher&, const problem&, const switches&);

// hopper_rounded.cu
void hopper_bulk_rounded(launcher&, const problem&, const switches&);
void hopper_persistent_rounded(launcher&, const problem&, const switches&);

// hopper_split_kv.cu
void hopper_split_kv(launcher&, const problem&, const switches&);

// hopper_two_pass.cu
void hopper_two_pass(launcher&, const problem&, const switches&);

// mma_atomic.cu
void mma_atomic(launcher&, const problem&, const switches&);

// mma_window_per_cta.cu
void mma_window_per_cta(launcher&, const problem&, const switches&);

// mma_rounded.cu
void mma_atomic_rounded(launcher&, const problem&, const switches&);

// mma_split_kv.cu
void mma_split_kv(launcher&, const problem&, const switches&);

// mma_two_pass.cu
void mma_two_pass(launcher&, const problem&, const switches&);

// sorted.cu
void hopper_sorted(launcher&, const problem&, const switches&);

}  // namespace ablate::window_attention_backward
