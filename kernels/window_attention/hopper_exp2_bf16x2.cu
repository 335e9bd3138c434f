// hopper_fixed_max at 16 and 32 elements a head with 4 or 6 of 16 powers of two computed as pairs in 16-bit
// arithmetic (kernels/common/packed_exp2.cuh), instead of 2 by a polynomial in fp32. At these widths the
// exponential unit is the bottleneck: a warp's 32 powers take 8 cycles, the products of as many scores 2 to
// 4. A pair takes 14 instructions, two polynomials 21, so more powers can move. Error: the maximum over the
// first 128 keys is subtracted in fp32, x = c · s − m, before anything is rounded, and P = 2^x in bf16 has a
// relative error e: |e| up to 4.08e-3, and 9e-5 more for |m| near 2^10. P computed in fp32 and rounded is off
// by up to 3.91e-3; the root mean square is 1.7e-3 for both. Row sums come from the product, hence from the
// same P: one key with all the weight moves the log-sum-exp by |e|, below the accepted 4.39e-3, and leaves O
// unchanged. Rows with |m| above 2^10, or with scores that are not finite or 128 above m, have infinite sums
// and are recomputed online. Should move, against hopper_fixed_max: operations of the exponential unit, 14 to
// 12 or 10 of 16; cycles. The backward pass needs P in fp32, for dS, and is limited by shared memory and
// instructions: no pairs there.
// With `tiles`, at 16 elements: tiles of 192 queries by three warpgroups, if the last wave of 256-query tiles
// would leave most multiprocessors idle (wave_fit.h), as in hopper_wave_fit, but with overflowing tiles on a
// list. wave_fit_overlapped issues the next scores' product together with that of these outputs, so a
// warpgroup waits once for both. With three warpgroups a thread has 160 registers; with four it has 112, too
// few for the scores next to the other product's operands. Should move: SM active, time of layers with few
// tiles; overlapped also issue slots used.
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
