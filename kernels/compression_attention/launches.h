#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/compression_attention/compression_attention.h"

// The launch function of compression_attention, and the forms that it picks among, which layers also call by
// name: each by the file that defines it.

namespace ablate::compression_attention {

// forms.cu
void attend(launcher&, const problem&, const switches&);

// fused.cu
void attention_only(launcher&, const problem&, const switches&);
void sorted_tiles(launcher&, const problem&, const switches&);
void sorted_tiles_in_32_bits(launcher&, const problem&, const switches&);
void threshold(launcher&, const problem&, const switches&);

// hopper.cu
void hopper_attention_only(launcher&, const problem&, const switches&);
void hopper_threshold(launcher&, const problem&, const switches&);
void hopper_threshold_skipping(launcher&, const problem&, const switches&);

// kept.cu
void kept_by_mma(launcher&, const problem&, const switches&);
void kept_on_hopper(launcher&, const problem&, const switches&);

// recomputed.cu
void recomputed(launcher&, const problem&, const switches&);

// two_pass.cu
void two_pass(launcher&, const problem&, const switches&);

}  // namespace ablate::compression_attention
