// The parts of attention to kept blocks against plain arithmetic on the device, each from what the one before
// it left, and the inputs, made there. Nothing here is measured.
#include "kernels/common/switches.h"
#include "oracles/block_sparse_attention/launches.h"
#include "oracles/block_sparse_selection/launches.h"
#include "oracles/compression_attention/launches.h"
#include "oracles/global_attention/launches.h"

namespace ablate::block_sparse_attention {

void compare_parts(launcher& to, const checked_problem& p, const switches&) {
  const checked_problem ordered{in_order(p), p};
  if (p.moves_tokens()) judge_moves(to, p);
  const auto found = [&](int i) { return p.found == nullptr ? nullptr : &p.found->means[i]; };
  block_sparse_selection::judge_means(to, query_means_of(ordered), found(0));
  block_sparse_selection::judge_means(to, key_means_of(ordered), found(1));
  block_sparse_selection::judge_with_fp64(to, checked_choice_of(ordered), {});
  if (p.multiplies_int8)
    compression_attention::judge_int8_rows(to, quantization_of(ordered),
                                           p.found == nullptr ? nullptr : &p.found->int8);
  if (!p.stops_ahead) compression_attention::compare_with_plain(to, checked_kept_of(ordered), {});
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  global_attention::make_inputs(to, p.as_layer());
}

}  // namespace ablate::block_sparse_attention
