// gated_attention_backward: the layer of gated_attention, trained: forward and backward, or backward alone.
// Axes, and one entry a variant; buffers, inputs, check and work model are in
// variants/gated_attention_backward/.
#include "kernels/gated_attention_backward/gated_attention_backward.h"

#include <optional>
#include <string>
#include <vector>

#include "harness/registry/define.h"
#include "kernels/gated_attention_backward/launches.h"
#include "oracles/gated_attention_backward/launches.h"
#include "variants/gated_attention/prepare.h"
#include "variants/gated_attention_backward/buffers.h"
#include "variants/gated_attention_backward/prepare.h"
#include "variants/gated_attention_backward/switches.h"
#include "variants/global_attention/axes.h"
#include "variants/global_attention_backward/axes.h"
#include "variants/list_axes.h"

namespace ablate::gated_attention_backward {
namespace {

std::optional<std::string> refuses(const axis_values& at) {
  if (auto reason = refuses_blocks(layout_at(at))) return reason;
  return refuses_length_of_lists(at);
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  gated_attention::problem& f = p.forward;
  f.tokens = tokens_at(at);
  f.heads = at.integer("heads");
  f.block = static_cast<int>(at.integer("block"));
  f.selected = static_cast<int>(at.integer("selected"));
  f.keeps_selected = true;
  global_attention::put_checks(at, inputs, p.forward_checks);
  p.forward_checks.block_sample_count =
      gated_attention::groups_of_samples(f) * gated_attention::neighboring_lists;
  p.sampled_head = global_attention::sampled_head(f, inputs.seed());
  p.work = global_attention_backward::work_at(at);
  return p;
}

const switches published = {{"pooling", "separate"},
                            {"load_bytes", "4"},
                            {"neighbors", "blocks"},
                            {"core", "mma"},
                            {"choice", "sorted_tiles"},
                            {"selection", "staged"},
                            {"tiles_per_stage", "1"},
                            {"stages", "2"},
                            {"copies", "past_l1"},
                            {"softmax", "running"},
                            {"warps", "4"},
                            {"grid", "by_head"},
                            {"gate", "kernel"},
                            {"inversion", "sort"},
                            {"ends", "one_block_a_head"},
                            {"backward", "one_stream"},
                            {"dq", "two_pass"},
                            {"tiles_ahead", "1"},
                            {"cut", "none"},
                            {"pieces", "in_order"},
                            {"adjoint", "kernel"}};
const switches by_mma = {{"pooling", "warp_per_block"},
                         {"loads_in_flight", "12"},
                         {"neighbors", "blocks"},
                         {"core", "mma"},
                         {"choice", "threshold"},
                         {"selection", "direct"},
                         {"tiles_ahead", "1"},
                         {"softmax", "lazy"},
                         {"warps", "4"},
                         {"grid", "by_head"},
                         {"gate", "epilogue"},
                         {"inversion", "count"},
                         {"ranks", "kept"},
                         {"rows", "ordered"},
                         {"backward", "one_stream"},
                         {"dq", "two_pass"},
                         {"cut", "long_rows"},
                         {"pieces", "in_order"},
                         {"adjoint", "epilogue"}};
const switches on_hopper =
    by_mma.with({{"core", "hopper"}, {"groups", "by_rows"}, {"first_keys", "near"}, {"seeds", "on"}});
switches with_adjoint_apart(const switches& s) { return s.with({{"adjoint", "kernel"}, {"warp", "block"}}); }
switches with_reductions(const switches& s, const char* dq) {
  return s.with({{"dq", dq}, {"rows", "any"}, {"pieces", "reductions"}});
}
switches side_by_side(const switches& s) {
  return with_adjoint_apart(s).with(
      {{"backward", "two_streams"}, {"branches", "two_streams"}, {"heads_per_stream", "4"}});
}

/// Of a layer with two streams: what each of them does, and how often.
const std::vector<switch_range> in_turns = {
    {"backward", {"one_stream"}}, {"branches", {"one_stream"}}, {"heads_per_stream", {"2", "8"}}};

/// Lists are counted, not sorted, and no scores are written.
const std::vector<std::string> unsorted = {"scratch", "sort_memory"};

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "gated_attention_backward",
     .description = "the layer of gated_attention trained: forward and backward, bf16",
     .axes = {images_axis(), heads_axis(), block_axis("tokens of a block, pooled and selected together"),
              length_of_lists_axis(), global_attention::scores_axis(),
              global_attention_backward::region_axis()},
     .baseline = "published",
     .presets = {.published = {"published"}, .best = {"hopper_bulk"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .ahead = global_attention_backward::ahead_of<checked_problem>,
     .keeps_ahead = true,
     .compare = ABLATE_LAUNCH(compare_parts),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = switches_of_gated_attention_backward(),
     .variants = {
         {"published",
          ABLATE_LAUNCH(train),
          published,
          "as published: gated_attention's `published` forward; lists inverted by sorting pairs, a warp an "
          "inverted row, pooled gradients spread by separate kernels; same bits each time",
          {.without = {"scratch"},
           .same_bits = true,
           .takes = {{"load_bytes", {"16"}}, {"ends", {"neighbors"}}, {"adjoint", {"epilogue"}}}}},
         {"threshold",
          ABLATE_LAUNCH(train),
          by_mma,
          "gated_attention's `threshold` forward; lists inverted by counting, then ordered; long rows cut; "
          "pooled gradients added in the selection's store; the same bits each time",
          {.without = unsorted,
           .same_bits = true,
           .takes = {{"ranks", {"second_atomic"}}, {"cut", {"none"}}}}},
         {"threshold_adjoint_apart",
          ABLATE_LAUNCH(train),
          with_adjoint_apart(by_mma),
          "threshold, with pooled rows' gradients added to their tokens' by a later kernel, in place",
          {.without = unsorted,
           .takes = {{"dq", {"reductions"}}, {"backward", {"two_streams"}}, {"warp", {"tensor"}}}}},
         {"threshold_reduced",
          ABLATE_LAUNCH(train),
          with_reductions(by_mma, "reductions"),
          "threshold, with inverted rows in any order, and dQ of pooled rows and pieces of "
          "long rows added by reductions",
          {.without = unsorted, .takes = {{"rows", {"ordered"}}, {"pieces", {"in_order"}}}}},
         {"threshold_two_streams",
          ABLATE_LAUNCH(train),
          side_by_side(by_mma),
          "threshold_adjoint_apart on two streams: four heads' selection beside the next four's compression; "
          "backward, pooled rows' gradients beside the selection's",
          {.without = unsorted, .takes = in_turns}},
         {"hopper",
          ABLATE_LAUNCH(train),
          on_hopper,
          "threshold, with attention among pooled rows by warpgroup MMAs, forward and "
          "backward; the same bits each time",
          {.minimum_compute_capability = 90,
           .without = unsorted,
           .same_bits = true,
           .takes = {{"ranks", {"second_atomic"}},
                     {"cut", {"none"}},
                     {"first_keys", {"lowest"}},
                     {"seeds", {"off"}, 90, with_short_lists({})}}}},
         {"hopper_adjoint_apart",
          ABLATE_LAUNCH(train),
          with_adjoint_apart(on_hopper),
          "hopper, with pooled rows' gradients added to their tokens' by a later kernel, in place",
          {.minimum_compute_capability = 90,
           .without = unsorted,
           .takes = {{"dq", {"reductions", "bulk"}}, {"backward", {"two_streams"}}, {"warp", {"tensor"}}}}},
         {"hopper_bulk",
          ABLATE_LAUNCH(train),
          with_reductions(on_hopper, "bulk"),
          "hopper, with inverted rows in any order, dQ of pooled rows by bulk copies that add, pieces of "
          "long rows by reductions",
          {.minimum_compute_capability = 90,
           .without = unsorted,
           .takes = {{"dq", {"reductions"}},
                     {"rows", {"ordered"}},
                     {"pieces", {"in_order"}},
                     {"groups", {"2", "3"}, 90, with_short_lists({})}}}},
         {"hopper_two_streams",
          ABLATE_LAUNCH(train),
          side_by_side(on_hopper),
          "hopper_adjoint_apart, with the two streams of threshold_two_streams",
          {.minimum_compute_capability = 90, .without = unsorted, .takes = in_turns}},
     }});

}  // namespace ablate::gated_attention_backward
