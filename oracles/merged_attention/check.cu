// The steps of attention among merged tokens against plain arithmetic on the device, each from what the one
// before it left, and the inputs, made there. Nothing here is measured.
#include "kernels/common/switches.h"
#include "oracles/compression_attention/launches.h"
#include "oracles/global_attention/launches.h"
#include "oracles/merged_attention/launches.h"
#include "oracles/token_merging/launches.h"

namespace ablate::merged_attention {

using token_merging::step;

void compare_parts(launcher& to, const checked_problem& p, const switches&) {
  token_merging::judge_with_fp64(to, checked_merging_of(p, step::match), {});
  token_merging::judge_with_fp64(to, checked_merging_of(p, step::merge), {});
  if (p.stops_ahead) return;
  compression_attention::compare_with_plain(to, checked_among_merged_of(p), {});
  token_merging::judge_with_fp64(to, checked_merging_of(p, step::unmerge), {});
}

void make_inputs(launcher& to, const checked_problem& p, const switches& s) {
  global_attention::make_inputs(to, p.as_layer());
  token_merging::make_inputs(to, checked_merging_of(p, step::match), s);
}

}  // namespace ablate::merged_attention
