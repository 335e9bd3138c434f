// pooled_key_attention: global attention of all tokens to means of blocks, forward. Axes, and one entry a
// variant; buffers, inputs, check and work model are in variants/pooled_key_attention/.
#include "kernels/pooled_key_attention/pooled_key_attention.h"

#include <optional>
#include <string>

#include "harness/registry/define.h"
#include "kernels/pooled_key_attention/launches.h"
#include "oracles/pooled_key_attention/launches.h"
#include "variants/global_attention/axes.h"
#include "variants/global_attention/core_switches.h"
#include "variants/global_attention/cores.h"
#include "variants/pooled_key_attention/buffers.h"
#include "variants/pooled_key_attention/prepare.h"

namespace ablate::pooled_key_attention {
namespace {

std::optional<std::string> refuses(const axis_values& at) {
  if (auto reason = global_attention::refuses_region(at)) return reason;
  return refuses_blocks(layout_at(at, geometry_at(at)));
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  global_attention::put_layer(at, p);
  global_attention::put_preparation(at, p);
  global_attention::put_checks(at, inputs, p);
  p.block = static_cast<int>(at.integer("block"));
  return p;
}

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "pooled_key_attention",
     .description = "global attention of all tokens to means of blocks' keys and values, forward, bf16",
     .axes = {images_axis(), heads_axis(), block_axis("tokens of a block, whose keys and values are pooled"),
              global_attention::lists_axis("means are taken"),
              global_attention::region_axis("means of keys and values"), global_attention::scores_axis(),
              geometry_axis()},
     .baseline = "mma",
     .presets = {.best = {"hopper"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .ahead = global_attention::ahead_of<checked_problem>,
     .keeps_ahead = true,
     .compare = ABLATE_LAUNCH(compare_parts),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = global_attention::switches_of_cores(),
     .variants = {
         {"mma",
          ABLATE_LAUNCH(attend),
          global_attention::by_mma(),
          "all queries attend to pooled keys and values by mma.sync",
          {}},
         {"hopper",
          ABLATE_LAUNCH(attend),
          global_attention::by_warpgroups(),
          "all queries attend to pooled keys and values by wgmma",
          {.minimum_compute_capability = 90, .takes = global_attention::ranges_of_groups()}},
     }});

}  // namespace ablate::pooled_key_attention
