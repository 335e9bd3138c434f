// hopper_fixed_max at 16 and 32 elements a head with 4 or 6 of 16 powers of two computed as pairs in 16-bit
// arithmetic (kernels/common/packed_exp2.cuh), instead of 2 by a polynomial in fp32. There the
// exponential unit has the most to do: a warp's 32 powers take it 8 cycles, the products of so many scores
// take 2 to 4. A pair takes 14 instructions where that polynomial takes 21, so more of them pay.
// Error: the maximum over the first 128 keys is subtracted in fp32, x = c · s − m, before anything is
// rounded, and P = 2^x in bf16 is off by e of itself: |e| up to 4.08e-3, and 9e-5 more where |m| comes to
// 2^10. P that is computed in fp32 and rounded is off by up to 3.91e-3; the root mean square is 1.7e-3 for
// both. Sums come from the product, so of the same P: one key with all the weight moves the log-sum-exp by
// |e|, which stays below the 4.39e-3 that the check accepts, and leaves O as it is. Rows with |m| beyond
// 2^10, and those with scores that are not finite or 128 above m, have infinite sums, and are done again
// online. Should move, against hopper_fixed_max: operations of the exponential unit, 14 to 12 or 10 of 16;
// cycles. The backward pass takes P in fp32, for dS, and is bound by shared memory and instructions: no pairs
// there.
// With `tiles`, at 16 elements, tiles of 192 queries, by three warpgroups, where rounds of these take less
// than rounds of tiles of 256 whose last one leaves most multiprocessors idle (wave_fit.h), as in
// hopper_wave_fit, but with tiles that overflowed on a list. wave_fit_overlapped: there the next scores'
// product goes out together with that of these outputs, so that a warpgroup waits once for both, not for
// each; of three a thread has 160 registers, of four 112, too few for scores beside what the other product
// reads. Should move: SM active, time of layers with few tiles; overlapped also issue slots used.
#include "kernels/window_attention/hopper_run.cuh"
#include "kernels/window_attention/wave_fit.h"

namespace ablate::window_attention {

// Not in an unnamed namespace: GCC would give kernels of these configurations no exported symbol.

constexpr softmax_config in_pairs(int packed_exp2) {
  return {.packed_exp2 = packed_exp2, .sums_by_product = true, .form = softmax_form::fixed_max};
}

constexpr block_shape overlapped(block_shape block) {
  block.overlaps = true;
  return block;
}
static_assert(small_listed_block_16.query_rows() == small_tile_rows);

void attend_in_small_tiles(launcher& to, const problem& p, const switches& s, run_form form) {
  if (s.word("tiles") == "wave_fit_overlapped")
    run_and_redo<forward_config{.block = overlapped(small_listed_block_16), .softmax = in_pairs(6)}>(to, p,
                                                                                                     form);
  else
    run_and_redo<forward_config{.block = small_listed_block_16, .softmax = in_pairs(6)}>(to, p, form);
}

template <int PackedExp2>
void attend_in_pairs(launcher& to, const problem& p, run_form form) {
  if (p.width == 16)
    run_and_redo<forward_config{.block = block_16, .softmax = in_pairs(PackedExp2)}>(to, p, form);
  else
    run_and_redo<forward_config{.block = block_32, .softmax = in_pairs(PackedExp2)}>(to, p, form);
}

void attend_in_pairs_on_hopper(launcher& to, const problem& p, const switches& s, run_form form) {
  if (s.has("tiles") && p.width == 16 &&
      small_tiles_take_less(p, to.device().multiprocessors, measured_small_row_time))
    return attend_in_small_tiles(to, p, s, form);
  if (s.word("exp2") == "bf16x2_4of16")
    attend_in_pairs<4>(to, p, form);
  else
    attend_in_pairs<6>(to, p, form);
}

}  // namespace ablate::window_attention
