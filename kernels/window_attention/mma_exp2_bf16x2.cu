// mma_fixed_max at 16 and 32 elements a head with 4 or 6 of 16 powers of two computed as pairs in 16-bit
// arithmetic (kernels/common/packed_exp2.cuh), the same ones as in hopper_exp2_bf16x2.cu, for sm_80 and
// later. It loses on an H100, 4 of 16 the least (results/h100/attention_narrow_heads, 16 elements): the
// exponential unit's share falls from 81 to 57 and 45 %, but a pair takes about 20 instructions, two powers
// with packing and sums 7, so instructions grow by 36 and 50 %. Error: as in hopper_exp2_bf16x2.cu, except
// that threads add the sums, pairs after rounding, the others before it: a row with all its weight in pairs
// has a log-sum-exp off by up to 4.08e-3, which the check accepts, and the same O. Blocks with infinite row
// sums restart online. Should move, against mma_fixed_max: operations of the exponential unit, 16 to 12 or 10
// of 16; cycles.
#include "kernels/window_attention/mma_forward.h"
#include "kernels/window_attention/mma_run.cuh"

namespace ablate::window_attention {

namespace {

template <int PackedExp2>
void run_in_pairs_by_mma(launcher& to, const problem& p) {
  constexpr softmax_config softmax = {.packed_exp2 = PackedExp2, .form = softmax_form::fixed_max};
  if (p.width == 16)
    run_mma<mma_config{.block = mma_block_of(16), .softmax = softmax}>(to, p);
  else if (p.width == 32)
    run_mma<mma_config{.block = mma_block_of(32), .softmax = softmax}>(to, p);
}

}  // namespace

void attend_in_pairs_by_mma(launcher& to, const problem& p, const switches& s) {
  if (s.word("exp2") == "bf16x2_4of16")
    run_in_pairs_by_mma<4>(to, p);
  else
    run_in_pairs_by_mma<6>(to, p);
}

}  // namespace ablate::window_attention
