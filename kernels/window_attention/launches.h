#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/window_attention/window_attention.h"

// The launch functions of window_attention, by the file that defines them.

namespace ablate::window_attention {

// contiguous.cu
void hopper_contiguous(launcher&, const problem&, const switches&);
void hopper_fixed_max_contiguous(launcher&, const problem&, const switches&);
void hopper_warp_contiguous(launcher&, const problem&, const switches&);

// fixed_max_gathered.cu
void hopper_fixed_max_gathered(launcher&, const problem&, const switches&);

// gather.cu
void hopper_gathered(launcher&, const problem&, const switches&);
void hopper_gathered_vectorized(launcher&, const problem&, const switches&);

// hopper_inline_retry.cu
void hopper_inline_retry(launcher&, const problem&, const switches&);
void hopper_wave_fit(launcher&, const problem&, const switches&);

// hopper_forward.cu
void hopper_fixed_max(launcher&, const problem&, const switches&);
void hopper_online(launcher&, const problem&, const switches&);
void hopper_fixed_max_on_empty_list(launcher&, const problem&);
void hopper_bounded(launcher&, const problem&, const switches&);

// hopper_indexed.cu
void hopper_indexed(launcher&, const problem&, const switches&);

// hopper_ladder.cu
void hopper_step_one_group(launcher&, const problem&, const switches&);
void hopper_step_ring(launcher&, const problem&, const switches&);
void hopper_step_two_groups(launcher&, const problem&, const switches&);
void hopper_step_all_groups(launcher&, const problem&, const switches&);
void hopper_step_one_tile_a_block(launcher&, const problem&, const switches&);
void hopper_step_pingpong(launcher&, const problem&, const switches&);
void hopper_step_fixed_max(launcher&, const problem&, const switches&);
void hopper_step_software_exp2(launcher&, const problem&, const switches&);
void hopper_step_sums_by_product(launcher&, const problem&, const switches&);

// hopper_exp2_bf16x2.cu
void hopper_exp2_bf16x2(launcher&, const problem&, const switches&);
void hopper_packed_on_empty_list(launcher&, const problem&, const switches&);

// hopper_cross_tile_overlap.cu
void hopper_cross_tile_overlap(launcher&, const problem&, const switches&);
void hopper_cross_tile_overlap_pdl(launcher&, const problem&, const switches&);

// hopper_warp_forward.cu
void hopper_warp_fixed_max(launcher&, const problem&, const switches&);

// mma_forward.cu
void mma_online(launcher&, const problem&, const switches&);
void mma_contiguous(launcher&, const problem&, const switches&);
void mma_bounded(launcher&, const problem&, const switches&);

// mma_exp2_bf16x2.cu
void mma_exp2_bf16x2(launcher&, const problem&, const switches&);

// mma_softmax.cu
void mma_normalize_per_tile(launcher&, const problem&, const switches&);
void mma_natural_exp(launcher&, const problem&, const switches&);
void mma_fixed_max(launcher&, const problem&, const switches&);

// published.cu
void mma_published(launcher&, const problem&, const switches&);

// sorted.cu
void hopper_sorted(launcher&, const problem&, const switches&);

// split.cu
void hopper_split_qkv(launcher&, const problem&, const switches&);

}  // namespace ablate::window_attention
