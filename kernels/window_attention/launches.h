#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/window_attention/window_attention.h"

// The launch functions of window_attention, by the file that defines them.

namespace ablate::window_attention {

// contiguous.cu
void hopper_contiguous(launcher&, const problem&, const switches&);
void hopper_first_tile_contiguous(launcher&, const problem&, const switches&);
void hopper_warp_contiguous(launcher&, const problem&, const switches&);

// first_tile_gathered.cu
void hopper_first_tile_gathered(launcher&, const problem&, const switches&);

// gather.cu
void hopper_gathered(launcher&, const problem&, const switches&);
void hopper_gathered_vectorized(launcher&, const problem&, const switches&);

// hopper_at_once.cu
void hopper_at_once(launcher&, const problem&, const switches&);
void hopper_by_rounds(launcher&, const problem&, const switches&);

// hopper_forward.cu
void hopper_first_tile(launcher&, const problem&, const switches&);
void hopper_online(launcher&, const problem&, const switches&);
void hopper_first_tile_on_empty_list(launcher&, const problem&);
void hopper_bounded(launcher&, const problem&, const switches&);

// hopper_indexed.cu
void hopper_indexed(launcher&, const problem&, const switches&);

// hopper_ladder.cu
void hopper_step_one_group(launcher&, const problem&, const switches&);
void hopper_step_ring(launcher&, const problem&, const switches&);
void hopper_step_two_groups(launcher&, const problem&, const switches&);
void hopper_step_all_groups(launcher&, const problem&, const switches&);
void hopper_step_one_tile_a_block(launcher&, const problem&, const switches&);
void hopper_step_turns(launcher&, const problem&, const switches&);
void hopper_step_first_tile(launcher&, const problem&, const switches&);
void hopper_step_software_exp2(launcher&, const problem&, const switches&);
void hopper_step_sums_by_product(launcher&, const problem&, const switches&);

// hopper_packed.cu
void hopper_packed(launcher&, const problem&, const switches&);
void hopper_packed_on_empty_list(launcher&, const problem&, const switches&);

// hopper_streamed.cu
void hopper_streamed(launcher&, const problem&, const switches&);
void hopper_streamed_overlapped(launcher&, const problem&, const switches&);

// hopper_warp_forward.cu
void hopper_warp_first_tile(launcher&, const problem&, const switches&);

// mma_forward.cu
void mma_online(launcher&, const problem&, const switches&);
void mma_contiguous(launcher&, const problem&, const switches&);
void mma_bounded(launcher&, const problem&, const switches&);

// mma_packed.cu
void mma_packed(launcher&, const problem&, const switches&);

// mma_softmax.cu
void mma_eager(launcher&, const problem&, const switches&);
void mma_natural_exp(launcher&, const problem&, const switches&);
void mma_first_tile(launcher&, const problem&, const switches&);

// published.cu
void mma_published(launcher&, const problem&, const switches&);

// sorted.cu
void hopper_sorted(launcher&, const problem&, const switches&);

// split.cu
void hopper_split(launcher&, const problem&, const switches&);

}  // namespace ablate::window_attention
