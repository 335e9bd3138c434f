// dense_attention: global attention of all tokens to all, forward. Axes, and one entry a variant; buffers,
// inputs, check and work model are in variants/dense_attention/.
#include "kernels/dense_attention/dense_attention.h"

#include <algorithm>

#include "harness/registry/define.h"
#include "kernels/dense_attention/launches.h"
#include "oracles/dense_attention/launches.h"
#include "variants/dense_attention/buffers.h"
#include "variants/dense_attention/prepare.h"
#include "variants/global_attention/axes.h"
#include "variants/global_attention/cores.h"
#include "variants/global_attention/switches.h"

namespace ablate::dense_attention {
namespace {

/// One row in 32, whole query tiles in the middle: what it takes is a 32nd of all.
void attend_in_part(problem& p) {
  constexpr std::int64_t part = 32, tile = compression_attention::tile_queries;
  p.queries = std::min((p.tokens + part * tile - 1) / (part * tile) * tile, p.tokens);
  p.first_query = (p.tokens - p.queries) / 2 / tile * tile;
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  global_attention::put_layer(at, p);
  global_attention::put_checks(at, inputs, p);
  if (at.word("rows") != "all") attend_in_part(p);
  return p;
}

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "dense_attention",
     .description = "global attention of all tokens to all, forward, bf16",
     .axes = {images_axis(), heads_axis(),
              axis::of_words(
                  "rows", {"all", "one_in_32"},
                  "of the outputs: all; or a 32nd of them, in whole query tiles, to be multiplied"),
              global_attention::scores_axis(), geometry_axis()},
     .baseline = "mma",
     .presets = {.best = {"hopper"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = {global_attention::core_switch(), global_attention::groups_switch({{"2"}, {"3"}}),
                  global_attention::first_keys_switch({global_attention::keys_from_the_first()})},
     .variants = {
         {"mma",
          ABLATE_LAUNCH(attend),
          global_attention::by_mma(),
          "mma.sync, 128 queries per block: the core of gated_attention's compression, without lists",
          {}},
         {"hopper",
          ABLATE_LAUNCH(attend),
          global_attention::by_warpgroups(),
          "warpgroup MMAs (wgmma) with TMA and warp specialization; two or three warpgroups, by size",
          {.minimum_compute_capability = 90, .takes = {{"groups", {"2", "3"}}}}},
     }});

}  // namespace ablate::dense_attention
