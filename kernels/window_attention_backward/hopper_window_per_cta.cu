// hopper_persistent with all keys of a window's head in one block: 128 of them, then the next 128, past the
// same queries. So the sums of dQ are one block's: it stores them with its first keys, adds to them with the
// next ones and rounds them with its last ones, in L2, where they stay until the block's next window takes
// their place. No kernel clears or rounds them, no other block adds to them, and the bits are the same each
// time. What blocks read over and over, a window's Q and dO and its sums, has to fit L2 for all
// multiprocessors at once: window · width up to some 40 000. Should move, against hopper_persistent:
// launches, by two; DRAM bytes, down by dQ in fp32 written and read twice; with long windows L2's hit rate,
// down.
// hopper_window_per_cta_inline_delta: the warps beside the producer's compute the row statistics of the
// block's next window during this one, and all warps those of the first one: one launch. Should move, against
// hopper_window_per_cta: dO, read from DRAM once, not twice.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/persistent_shapes.cuh"

namespace ablate::window_attention_backward {

void differentiate_by_windows(launcher& to, const problem& p) {
  compute_row_statistics(to, p, statistics_order::quads);
  launch_persistent_on_hopper<query_gradient_way::own_sums, persistent_form{.staggered = false}>(to, p);
}

void differentiate_by_windows_in_one_launch(launcher& to, const problem& p) {
  launch_persistent_on_hopper<query_gradient_way::own_sums,
                              persistent_form{.staggered = false, .sums_rows = true}>(to, p);
}

}  // namespace ablate::window_attention_backward
