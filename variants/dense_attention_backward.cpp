// dense_attention_backward: global attention of all tokens to all, trained: forward and backward, or backward
// alone. Axes, and one entry a variant; buffers, inputs, check and work model are in
// variants/dense_attention_backward/.
#include "kernels/dense_attention_backward/dense_attention_backward.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "harness/registry/define.h"
#include "kernels/dense_attention_backward/launches.h"
#include "oracles/dense_attention_backward/launches.h"
#include "variants/dense_attention_backward/buffers.h"
#include "variants/dense_attention_backward/prepare.h"
#include "variants/global_attention/axes.h"
#include "variants/global_attention/cores.h"
#include "variants/global_attention/switches.h"
#include "variants/global_attention_backward/axes.h"

namespace ablate::dense_attention_backward {
namespace {

std::optional<std::string> refuses(const axis_values& at) {
  constexpr int tile = compression_attention_backward::rows_of_tile;
  constexpr std::int64_t most = compression_attention_backward::max_rows;
  const std::int64_t tokens = tokens_at(at);
  if (tokens % tile != 0)
    return fmt::format("images={}: {} tokens, expected whole tiles of {}", at.integer("images"), tokens,
                       tile);
  if (tokens > most)
    return fmt::format("images={}: {} tokens, expected at most {}", at.integer("images"), tokens, most);
  return std::nullopt;
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  p.forward.tokens = tokens_at(at);
  p.forward.heads = at.integer("heads");
  global_attention::put_checks(at, inputs, p.forward_checks);
  p.sampled_head = global_attention::sampled_head(p.forward, inputs.seed());
  p.work = global_attention_backward::work_at(at);
  return p;
}

switches with_dq(const switches& core, const char* dq) { return core.with({{"dq", dq}}); }

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "dense_attention_backward",
     .description = "global attention of all tokens to all, trained: forward and backward, bf16",
     .axes = {images_axis(), heads_axis(), global_attention::scores_axis(),
              global_attention_backward::region_axis()},
     .baseline = "mma",
     .presets = {.best = {"hopper_bulk"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .ahead = global_attention_backward::ahead_of<checked_problem>,
     .keeps_ahead = true,
     .compare = ABLATE_LAUNCH(compare_parts),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = {global_attention::core_switch(), global_attention::groups_switch(),
                  global_attention::first_keys_switch({global_attention::keys_from_the_first()}),
                  global_attention::dq_switch({global_attention::in_two_passes(),
                                               global_attention::by_reductions(),
                                               global_attention::by_bulk_copies()})},
     .variants = {
         {"mma",
          ABLATE_LAUNCH(train),
          with_dq(global_attention::by_mma(), "two_pass"),
          "mma.sync, gradients in two passes without atomics: every run gives the same bits",
          {.same_bits = true}},
         {"mma_reduced",
          ABLATE_LAUNCH(train),
          with_dq(global_attention::by_mma(), "reductions"),
          "mma, with gradients in one pass, dQ by reductions",
          {}},
         {"hopper",
          ABLATE_LAUNCH(train),
          with_dq(global_attention::by_warpgroups(), "two_pass"),
          "warpgroup MMAs (wgmma), gradients in two passes without atomics: every run gives the same bits",
          {.minimum_compute_capability = 90, .same_bits = true}},
         {"hopper_bulk",
          ABLATE_LAUNCH(train),
          with_dq(global_attention::by_warpgroups(), "bulk"),
          "hopper, with gradients in one pass, dQ by bulk copies that add",
          {.minimum_compute_capability = 90, .takes = {{"dq", {"reductions"}}}}},
     }});

}  // namespace ablate::dense_attention_backward
