// gated_attention: a layer of global attention, pooled, selected and gated, forward. Axes, and one entry a
// variant; buffers, inputs, check and work model are in variants/gated_attention/.
#include "kernels/gated_attention/gated_attention.h"

#include <optional>
#include <string>

#include "harness/registry/define.h"
#include "kernels/gated_attention/launches.h"
#include "oracles/gated_attention/launches.h"
#include "variants/gated_attention/buffers.h"
#include "variants/gated_attention/check.h"
#include "variants/gated_attention/prepare.h"
#include "variants/gated_attention/switches.h"
#include "variants/global_attention/axes.h"

namespace ablate::gated_attention {
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
  p.selected = static_cast<int>(at.integer("selected"));
  p.first_frame = first_frame_at(at);
  p.block_sample_count = groups_of_samples(p) * neighboring_lists;
  return p;
}

const switches published = {
    {"pooling", "separate"},    {"load_bytes", "4"},     {"neighbors", "blocks"},  {"core", "mma"},
    {"choice", "sorted_tiles"}, {"selection", "staged"}, {"tiles_per_stage", "1"}, {"stages", "2"},
    {"copies", "past_l1"},      {"softmax", "running"},  {"warps", "4"},           {"grid", "by_head"},
    {"gate", "kernel"}};
const switches fastest = {{"pooling", "warp_per_block"},
                          {"loads_in_flight", "12"},
                          {"neighbors", "blocks"},
                          {"core", "mma"},
                          {"choice", "threshold"},
                          {"selection", "direct"},
                          {"tiles_ahead", "1"},
                          {"softmax", "lazy"},
                          {"warps", "4"},
                          {"grid", "by_head"},
                          {"gate", "epilogue"}};
const switches separate_pooling = {{"pooling", "separate"}, {"load_bytes", "4"},     {"neighbors", "blocks"},
                                   {"core", "mma"},         {"choice", "threshold"}, {"selection", "direct"},
                                   {"tiles_ahead", "1"},    {"softmax", "lazy"},     {"warps", "4"},
                                   {"grid", "by_head"},     {"gate", "epilogue"}};

const switches on_hopper =
    fastest.with({{"core", "hopper"}, {"groups", "by_rows"}, {"first_keys", "near"}, {"seeds", "on"}});

const axis_conditions is_chosen = {{"lists", {"chosen"}}};
const axis_conditions is_chosen_s3r = with_s3r(is_chosen);
// With the first frame dense, or special tokens, the first launch is another one.
const axis_conditions is_chain = {
    {"lists", {"chosen"}}, {"first_frame", {"competes", "forced", "masked"}}, {"geometry", {"s3r"}}};
const axis_conditions is_forced = with_s3r({{"lists", {"chosen"}}, {"first_frame", {"forced"}}});
const axis_conditions is_given = {{"lists", {"given"}}};

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "gated_attention",
     .description = "a layer of global attention, pooled, selected and gated; forward, bf16",
     .axes =
         {images_axis(), heads_axis(), block_axis("tokens of a block, pooled and selected together"),
          axis::of_integers("selected", 1, max_selected, 32, "key blocks that a query block selects"),
          global_attention::lists_axis("the blocks are chosen"), global_attention::region_axis("pooling"),
          global_attention::scores_axis(),
          first_frame_axis(
              {"competes", "forced", "masked", "dense"},
              "blocks of the first image: selected as all others are; or attended to by all queries and in "
              "no list; or in lists, and their tokens attended to by none; or selected as all others are, "
              "and their queries attend to all tokens, ungated"),
          geometry_axis()},
     .baseline = "published",
     .presets = {.published = {"published"}, .best = {"hopper", "hopper_given_lists"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .ahead = global_attention::ahead_of<checked_problem>,
     .keeps_ahead = true,
     .compare = ABLATE_LAUNCH(compare_parts),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = switches_of_gated_attention(),
     .variants = {
         {"published",
          ABLATE_LAUNCH(attend),
          published,
          "as published: pooling in three launches, every tile's scores sorted, selected tokens "
          "staged in shared memory, gated by a separate kernel",
          {.only_where = is_chosen_s3r,
           .without = {"scratch"},
           .takes = {{"choice", {"threshold"}}, {"load_bytes", {"16"}}, {"softmax", {"lazy"}}}}},
         {"threshold_staged",
          ABLATE_LAUNCH(attend),
          published.with({{"choice", "threshold"}}),
          "published, with only scores above a full list's lowest kept as candidates",
          {.only_where = is_chosen_s3r,
           .without = {"scratch"},
           .takes = {{"load_bytes", {"16"}}, {"softmax", {"lazy"}}}}},
         {"threshold",
          ABLATE_LAUNCH(attend),
          fastest,
          "a warp pools q, k and v of a block, lists by threshold, selected tokens straight into MMA "
          "fragments, gated in the epilogue",
          {.only_where = is_chosen, .without = {"scratch"}}},
         {"threshold_separate_pooling",
          ABLATE_LAUNCH(attend),
          separate_pooling,
          "threshold, with the published pooling, a launch for each tensor",
          {.only_where = is_chosen_s3r, .without = {"scratch"}, .takes = {{"load_bytes", {"16"}}}}},
         {"threshold_gate_apart",
          ABLATE_LAUNCH(attend),
          fastest.with({{"gate", "kernel"}}),
          "threshold, gated by a separate kernel",
          {.only_where = is_chosen_s3r, .without = {"scratch"}}},
         {"two_pass",
          ABLATE_LAUNCH(attend),
          fastest.with({{"choice", "two_pass"}}),
          "threshold, with compression's scores written to memory and listed by a separate kernel",
          {.only_where = is_chosen}},
         {"given_lists",
          ABLATE_LAUNCH(attend),
          fastest.with({{"choice", "given"}}),
          "threshold without choosing blocks: lists are given, which shows what the choice costs",
          {.only_where = is_given, .without = {"scratch"}}},
         {"hopper",
          ABLATE_LAUNCH(attend),
          on_hopper,
          "threshold, with compression by warpgroup MMAs, near keys first, lists "
          "seeded with a bound from them",
          {.only_where = is_chosen,
           .minimum_compute_capability = 90,
           .without = {"scratch"},
           .takes = {{"groups", {"2", "3"}, 90, with_short_lists({})},
                     {"first_keys", {"lowest"}},
                     {"seeds", {"off"}, 90, with_short_lists({})},
                     {"gate", {"kernel"}, 90, with_s3r({})}}}},
         {"threshold_union",
          ABLATE_LAUNCH(attend),
          fastest.with({{"selection", "union"}, {"warps", "8"}}),
          "threshold; 8 neighboring query tiles load each block in the union of their lists once",
          {.only_where = is_chosen_s3r, .without = {"scratch"}}},
         {"hopper_union",
          ABLATE_LAUNCH(attend),
          on_hopper.with({{"selection", "union"}, {"warps", "8"}}),
          "hopper, with the selection of threshold_union",
          {.only_where = is_chosen_s3r, .minimum_compute_capability = 90, .without = {"scratch"}}},
         {"hopper_skipping",
          ABLATE_LAUNCH(attend),
          on_hopper.with({{"search", "while_multiplying"}}),
          "hopper that searches for candidates while outputs of compression are multiplied",
          {.only_where = with_short_lists(is_chosen),
           .minimum_compute_capability = 90,
           .without = {"scratch"},
           .takes = {{"groups", {"2", "3"}}, {"first_keys", {"lowest"}}}}},
         {"hopper_pdl",
          ABLATE_LAUNCH(attend),
          on_hopper.with({{"pdl", "on"}}),
          "hopper, each part launched while the one before it ends",
          {.only_where = is_chain, .minimum_compute_capability = 90, .without = {"scratch"}}},
         {"hopper_by_heads",
          ABLATE_LAUNCH(attend),
          on_hopper.with({{"branches", "one_stream"}, {"heads_per_stream", "4"}}),
          "hopper, with compression and selection of four heads at a time",
          {.only_where = is_chain,
           .minimum_compute_capability = 90,
           .without = {"scratch"},
           .takes = {{"branches", {"two_streams"}}, {"heads_per_stream", {"2", "8"}}}}},
         {"hopper_two_streams",
          ABLATE_LAUNCH(attend),
          on_hopper.with({{"branches", "two_streams"}, {"heads_per_stream", "4"}}),
          "hopper_by_heads, with the selection of four heads on a second stream, beside the "
          "compression of the next four",
          {.only_where = is_chain,
           .minimum_compute_capability = 90,
           .without = {"scratch"},
           .takes = {{"heads_per_stream", {"2", "8"}}}}},
         {"threshold_two_streams",
          ABLATE_LAUNCH(attend),
          fastest.with({{"branches", "two_streams"}, {"heads_per_stream", "4"}}),
          "threshold by four heads at a time, their selection on a second stream beside the "
          "compression of the next four",
          {.only_where = is_chain,
           .without = {"scratch"},
           .takes = {{"branches", {"one_stream"}}, {"heads_per_stream", {"2", "8"}}}}},
         {"hopper_given_lists",
          ABLATE_LAUNCH(attend),
          on_hopper.with({{"choice", "given"}}),
          "hopper without choosing blocks: lists are given",
          {.only_where = is_given, .minimum_compute_capability = 90, .without = {"scratch"}}},
         {"threshold_forced_by_core",
          ABLATE_LAUNCH(attend),
          fastest.with({{"forced", "dense_core"}}),
          "threshold, with all queries attending to the first frame by the dense core; the selection's "
          "epilogue merges that output by log-sum-exp",
          {.only_where = is_forced, .without = {"scratch"}}},
         {"hopper_forced_by_core",
          ABLATE_LAUNCH(attend),
          on_hopper.with({{"forced", "dense_core"}}),
          "hopper, with the first frame as in threshold_forced_by_core, by warpgroup MMAs",
          {.only_where = is_forced, .minimum_compute_capability = 90, .without = {"scratch"}}},
     }});

}  // namespace ablate::gated_attention
