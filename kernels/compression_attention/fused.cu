// Attention among pooled rows in one kernel (attend.cuh), alone or with the choice of blocks
// (with_choice.cuh). Should move: instructions a score (a sort of each tile has some 20 more, the threshold
// less than 2), and with them the tensor pipe's share.
#include "kernels/compression_attention/launches.h"
#include "kernels/compression_attention/with_choice.cuh"

namespace ablate::compression_attention {

void attention_only(launcher& to, const problem& p, const switches&) {
  run_attention<no_choice>(to, view(p));
}

void sorted_tiles(launcher& to, const problem& p, const switches&) {
  if (p.compared == comparison::bf16)
    run_attention<sort_rounded_tiles>(to, view(p));
  else if (p.selected > 32)
    run_attention<sort_tiles_to_64>(to, view(p));
  else
    run_attention<sort_tiles>(to, view(p));
}

void sorted_tiles_in_32_bits(launcher& to, const problem& p, const switches&) {
  run_attention<sort_short_ranks>(to, view(p));
}

void threshold(launcher& to, const problem& p, const switches&) {
  if (p.selected > 32)
    run_attention<above_threshold_of_64>(to, view(p));
  else
    run_attention<above_threshold>(to, view(p));
}

}  // namespace ablate::compression_attention
