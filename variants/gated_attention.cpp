// gated_attention: a layer of global attention by one of five methods, forward. Axes, and one entry a
// variant; buffers, inputs, check and work model stand in variants/gated_attention/.
#include "kernels/gated_attention/gated_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "harness/registry/define.h"
#include "kernels/gated_attention/launches.h"
#include "kernels/gated_attention/parts.h"
#include "kernels/token_merging/partition_lists.h"
#include "oracles/gated_attention/launches.h"
#include "variants/gated_attention/axes.h"
#include "variants/gated_attention/buffers.h"
#include "variants/gated_attention/check.h"
#include "variants/gated_attention/merged.h"
#include "variants/gated_attention/prepare.h"
#include "variants/merging_axes.h"
#include "variants/phases.h"

namespace ablate::gated_attention {
namespace {

constexpr word_table<method, 5> method_words = {{{"sparse", method::sparse},
                                                 {"dense", method::dense},
                                                 {"block_sparse", method::block_sparse},
                                                 {"merged", method::merged},
                                                 {"pooled_keys", method::pooled_keys}}};

constexpr word_table<patch_order, 3> order_words = {
    {{"natural", patch_order::natural}, {"rows", patch_order::rows}, {"hilbert", patch_order::hilbert}}};

/// What stands on an axis that only another method has.
std::optional<std::string> refuses_setting(const axis_values& at, const char* axis, const char* default_value,
                                           const char* method) {
  if (at.word("method") == method || at.word(axis) == default_value) return std::nullopt;
  return fmt::format("{}={}: of the method {} alone", axis, at.word(axis), method);
}

std::optional<std::string> refuses_block_sparse(const axis_values& at) {
  if (at.word("first_frame") != "competes")
    return fmt::format("first_frame={}: Block-Sparse attention has no rule of its own for the first frame",
                       at.word("first_frame"));
  problem p;
  p.geometry = geometry_at(at);
  p.tokens = layout_at(at, p.geometry).tokens;
  const std::int64_t keys = choice_of(p).keys, most = block_sparse_selection::most_keys;
  if (keys <= most) return std::nullopt;
  return fmt::format("images={}: {} key blocks, expected at most {}", at.word("images"), keys, most);
}

std::optional<std::string> refuses_merged(const axis_values& at) {
  if (at.word("first_frame") != "competes")
    return fmt::format("first_frame={}: where tokens are merged, those of the first frame are destinations",
                       at.word("first_frame"));
  if (at.integer("images") < 2) return "images=1: all tokens of the first image are destinations";
  if (at.word("scores") == "ascending")
    return "scores=ascending: tokens are matched by what they look like, which has no such order";
  if (at.word("scores") == "plane") return "scores=plane: what tokens are matched by shows a scene alone";
  return std::nullopt;
}

std::optional<std::string> refuses_pooled_keys(const axis_values& at) {
  if (at.word("first_frame") == "competes") return std::nullopt;
  return fmt::format("first_frame={}: means of the first frame are as all others", at.word("first_frame"));
}

std::optional<std::string> refuses_of_method(const axis_values& at) {
  for (const auto& [axis, default_value, method] : {std::tuple{"mass", "70", "block_sparse"},
                                                    {"kept", "50", "block_sparse"},
                                                    {"order", "natural", "block_sparse"},
                                                    {"products", "bf16", "block_sparse"},
                                                    {"protected", "twice", "merged"},
                                                    {"metric", "channels", "merged"}})
    if (auto reason = refuses_setting(at, axis, default_value, method)) return reason;
  if (at.word("method") == "block_sparse") return refuses_block_sparse(at);
  if (at.word("method") == "merged") return refuses_merged(at);
  if (at.word("method") == "pooled_keys") return refuses_pooled_keys(at);
  return std::nullopt;
}

std::optional<std::string> refuses_region(const axis_values& at) {
  if (at.word("region") == "layer") return std::nullopt;
  if (at.word("method") == "dense") return "region=ahead: nothing goes ahead of dense attention";
  if (at.word("lists") == "given") return "region=ahead: what is given goes ahead of any region";
  return std::nullopt;
}

std::optional<std::string> refuses(const axis_values& at) {
  const bool is_dense = at.word("method") == "dense";
  if (auto reason = refuses_of_method(at)) return reason;
  if (auto reason = refuses_region(at)) return reason;
  if (auto reason = refuses_blocks(layout_at(at, geometry_at(at)))) return reason;
  if (is_dense && at.word("lists") != "chosen")
    return fmt::format("lists={}: dense attention has no lists", at.word("lists"));
  if (is_dense && at.word("first_frame") != "competes")
    return fmt::format("first_frame={}: all that dense attention knows is all tokens",
                       at.word("first_frame"));
  if (!is_dense && at.word("rows") != "all")
    return fmt::format("rows={}: the method {} is always of all rows", at.word("rows"), at.word("method"));
  return std::nullopt;
}

/// One row in 32, whole query tiles in the middle: what it takes is a 32nd of all.
void attend_in_part(problem& p) {
  constexpr std::int64_t part = 32, tile = compression_attention::tile_queries;
  p.queries = std::min((p.tokens + part * tile - 1) / (part * tile) * tile, p.tokens);
  p.first_query = (p.tokens - p.queries) / 2 / tile * tile;
}

/// The partition of the layer's tokens.
token_merging::problem merging_at(const axis_values& at, const checked_problem& p) {
  token_merging::problem of;
  of.layout = {p.geometry, at.integer("images"), p.seed, at.word("protected") == "twice"};
  of.heads = p.heads;
  of.metric = token_merging::metric_at(at);
  const token_merging::partition_lists lists = lists_of(of.layout);
  of.sources = static_cast<std::int64_t>(lists.sources.size());
  of.destinations = static_cast<std::int64_t>(lists.destinations.size());
  of.appended = static_cast<std::int64_t>(lists.appended.size());
  return of;
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  p.geometry = geometry_at(at);
  p.tokens = layout_at(at, p.geometry).tokens;
  p.heads = at.integer("heads");
  p.block = static_cast<int>(at.integer("block"));
  p.selected = static_cast<int>(at.integer("selected"));
  p.method = meaning_of(method_words, at.word("method"));
  p.mass_percent = static_cast<int>(at.integer("mass"));
  p.kept_percent = static_cast<int>(at.integer("kept"));
  p.order = meaning_of(order_words, at.word("order"));
  p.multiplies_int8 = at.word("products") == "int8";
  p.lists_are_given = at.word("lists") == "given";
  p.stops_ahead = at.word("region") == "ahead";
  if (at.word("rows") != "all") attend_in_part(p);
  p.seed = inputs.seed();
  p.what = scores_at(at);
  p.first_frame = first_frame_at(at);
  p.sample_count = sampled_tokens;
  if (p.is_sparse()) p.block_sample_count = groups_of_samples(p) * neighboring_lists;
  if (p.method == method::block_sparse) p.block_sample_count = p.sample_count;
  if (p.method == method::merged) {
    p.merging = merging_at(at, p);
    p.source_sample_count = sampled_sources;
  }
  return p;
}

/// Lists that are given are chosen ahead of the region.
std::optional<checked_problem> ahead(const checked_problem& p) {
  if (!p.lists_are_given) return std::nullopt;
  return in_phase(p, phase::choose);
}

const switches published = {
    {"pooling", "separate"},    {"load_bytes", "4"},     {"neighbors", "blocks"}, {"core", "mma"},
    {"choice", "sorted_tiles"}, {"selection", "staged"}, {"tiles_a_stage", "1"},  {"stages", "2"},
    {"copies", "past_l1"},      {"softmax", "running"},  {"warps", "4"},          {"grid", "by_head"},
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

const axis_conditions is_sparse = {{"method", {"sparse"}}, {"lists", {"chosen"}}};
const axis_conditions is_sparse_s3r = with_s3r(is_sparse);
// With the first frame dense, or special tokens, the first launch is another one.
const axis_conditions is_chain = {{"method", {"sparse"}},
                                  {"lists", {"chosen"}},
                                  {"first_frame", {"competes", "forced", "masked"}},
                                  {"geometry", {"s3r"}}};
const axis_conditions is_forced =
    with_s3r({{"method", {"sparse"}}, {"lists", {"chosen"}}, {"first_frame", {"forced"}}});
const axis_conditions is_given = {{"method", {"sparse"}}, {"lists", {"given"}}};
const axis_conditions is_dense = {{"method", {"dense"}}};
const axis_conditions keeps_blocks = {{"method", {"block_sparse"}}};
const axis_conditions is_merged = {{"method", {"merged"}}};
const axis_conditions pools_keys = {{"method", {"pooled_keys"}}};
const axis_conditions keeps_blocks_chosen = {{"method", {"block_sparse"}}, {"lists", {"chosen"}}};

const switches by_mma = {{"core", "mma"}};
const switches by_warpgroups = {{"core", "hopper"}, {"groups", "by_rows"}, {"first_keys", "lowest"}};
switches merging(const switches& core, const char* sums, const char* passes) {
  return core.with({{"sums", sums}, {"passes", passes}});
}
switches sorted(const switches& core) { return core.with({{"choice", "sort"}}); }
switches searched(const switches& core) {
  return core.with({{"choice", "descent"}, {"descent", "histogram"}, {"rows_a_block", "2"}});
}

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "gated_attention",
     .description =
         "a layer of global attention: pooled, selected and gated; dense; to kept blocks; among merged "
         "tokens; or to pooled keys; forward, bf16",
     .axes =
         {images_axis(), heads_axis(),
          axis_of("method", method_words,
                  "attention among pooled blocks and to the tokens of selected ones, gated; or to all "
                  "tokens; or, as Block-Sparse attention, to the blocks of 64 tokens that each 128 queries "
                  "keep; or, as FastVGGT, among tokens that are merged where they look alike; or to means of "
                  "blocks alone. Their outputs differ"),
          block_axis(
              "tokens of a block, pooled and, where the method is sparse, selected together; sparse and "
              "pooled_keys alone"),
          axis::of_integers("selected", 1, most_selected, 32,
                            "key blocks that a query block selects; sparse alone"),
          axis::of_words("lists", {"chosen", "given"},
                         "the blocks are chosen in the timed region; or ahead of it, which shows what a "
                         "choice that costs nothing would leave"),
          mass_axis(), kept_axis(),
          axis_of("order", order_words,
                  "patches of an image as they are cut into blocks: 4 x 4 after 4 x 4, as they stand; row by "
                  "row; or along a Hilbert curve. Moved ahead of all and back, in the timed region; "
                  "block_sparse alone")
              .silent_at_default(),
          axis::of_words("products", {"bf16", "int8"},
                         "of queries with keys: as they are; or as int8 with a scale a block, the mean of k "
                         "taken away, as published. Outputs differ; block_sparse alone")
              .silent_at_default(),
          axis::of_words("protected", {"twice", "once"},
                         "destinations that are protected attend as such and once more, as published; or as "
                         "destinations alone; merged alone")
              .silent_at_default(),
          token_merging::metric_axis("; merged alone"),
          axis::of_words("region", {"layer", "ahead"},
                         "all of it; or what goes ahead of attention alone: pooling; means and the choice of "
                         "blocks; or matches and merging")
              .silent_at_default(),
          axis::of_words("rows", {"all", "one_in_32"},
                         "of the outputs: all; or, where attention is dense, a 32nd of them, in whole query "
                         "tiles, to be multiplied"),
          scores_axis(),
          first_frame_axis({"competes", "forced", "masked", "dense"},
                           "blocks of the first image: selected as all others are; or attended to by all "
                           "queries and in no list; or in lists, and their tokens attended to by none; or "
                           "selected as all others are, and their queries attend to all tokens, ungated"),
          geometry_axis()},
     .baseline = "published",
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .ahead = ahead,
     .keeps_ahead = true,
     .compare = ABLATE_LAUNCH(compare_parts),
     .fill = ABLATE_LAUNCH(make_inputs),
     .variants = {
         {"published",
          ABLATE_LAUNCH(sparse),
          published,
          "sparse, as published: pooling in three launches, every tile's scores sorted, selected tokens "
          "staged in shared memory, gated by a separate kernel",
          {.only_where = is_sparse_s3r, .without = {"scratch"}}},
         {"threshold_staged",
          ABLATE_LAUNCH(sparse),
          published.with({{"choice", "threshold"}}),
          "published, with only scores above a full list's lowest kept as candidates",
          {.only_where = is_sparse_s3r, .without = {"scratch"}}},
         {"threshold",
          ABLATE_LAUNCH(sparse),
          fastest,
          "sparse: a warp pools q, k and v of a block, lists by threshold, selected tokens straight into MMA "
          "fragments, gated in the epilogue",
          {.only_where = is_sparse, .without = {"scratch"}}},
         {"threshold_separate_pooling",
          ABLATE_LAUNCH(sparse),
          separate_pooling,
          "threshold, with the published pooling, a launch for each tensor",
          {.only_where = is_sparse_s3r, .without = {"scratch"}}},
         {"threshold_gate_apart",
          ABLATE_LAUNCH(sparse),
          fastest.with({{"gate", "kernel"}}),
          "threshold, gated by a separate kernel",
          {.only_where = is_sparse_s3r, .without = {"scratch"}}},
         {"two_pass",
          ABLATE_LAUNCH(sparse),
          fastest.with({{"choice", "two_pass"}}),
          "threshold, with compression's scores written to memory and listed by a separate kernel",
          {.only_where = is_sparse}},
         {"given_lists",
          ABLATE_LAUNCH(sparse),
          fastest.with({{"choice", "given"}}),
          "threshold without choosing blocks: lists are given, which shows what the choice costs",
          {.only_where = is_given, .without = {"scratch"}}},
         {"hopper",
          ABLATE_LAUNCH(sparse),
          on_hopper,
          "threshold, with compression by warpgroup MMAs, near keys first, lists "
          "seeded with a bound from them",
          {.only_where = is_sparse, .minimum_compute_capability = 90, .without = {"scratch"}}},
         {"threshold_union",
          ABLATE_LAUNCH(sparse),
          fastest.with({{"selection", "union"}, {"warps", "8"}}),
          "threshold; 8 neighboring query tiles load each block in the union of their lists once",
          {.only_where = is_sparse_s3r, .without = {"scratch"}}},
         {"hopper_union",
          ABLATE_LAUNCH(sparse),
          on_hopper.with({{"selection", "union"}, {"warps", "8"}}),
          "hopper, with the selection of threshold_union",
          {.only_where = is_sparse_s3r, .minimum_compute_capability = 90, .without = {"scratch"}}},
         {"hopper_skipping",
          ABLATE_LAUNCH(sparse),
          on_hopper.with({{"search", "while_multiplying"}}),
          "hopper that searches for candidates while outputs of compression are multiplied",
          {.only_where = with_short_lists(is_sparse),
           .minimum_compute_capability = 90,
           .without = {"scratch"}}},
         {"hopper_dependent",
          ABLATE_LAUNCH(sparse),
          on_hopper.with({{"launch", "overlapped"}}),
          "hopper, each part launched while the one before it ends",
          {.only_where = is_chain, .minimum_compute_capability = 90, .without = {"scratch"}}},
         {"hopper_by_heads",
          ABLATE_LAUNCH(sparse_by_heads),
          on_hopper.with({{"branches", "in_turn"}, {"heads_a_turn", "4"}}),
          "hopper, with compression and selection of four heads at a time",
          {.only_where = is_chain, .minimum_compute_capability = 90, .without = {"scratch"}}},
         {"hopper_side_by_side",
          ABLATE_LAUNCH(sparse_by_heads),
          on_hopper.with({{"branches", "side_by_side"}, {"heads_a_turn", "4"}}),
          "hopper_by_heads, with the selection of four heads on a second stream, beside the "
          "compression of the next four",
          {.only_where = is_chain, .minimum_compute_capability = 90, .without = {"scratch"}}},
         {"threshold_side_by_side",
          ABLATE_LAUNCH(sparse_by_heads),
          fastest.with({{"branches", "side_by_side"}, {"heads_a_turn", "4"}}),
          "threshold by four heads at a time, their selection on a second stream beside the "
          "compression of the next four",
          {.only_where = is_chain, .without = {"scratch"}}},
         {"hopper_given_lists",
          ABLATE_LAUNCH(sparse),
          on_hopper.with({{"choice", "given"}}),
          "hopper without choosing blocks: lists are given",
          {.only_where = is_given, .minimum_compute_capability = 90, .without = {"scratch"}}},
         {"threshold_forced_by_core",
          ABLATE_LAUNCH(sparse),
          fastest.with({{"forced", "dense_core"}}),
          "threshold, with all queries attending to the first frame by the dense core; the selection's "
          "epilogue merges that output by log-sum-exp",
          {.only_where = is_forced, .without = {"scratch"}}},
         {"hopper_forced_by_core",
          ABLATE_LAUNCH(sparse),
          on_hopper.with({{"forced", "dense_core"}}),
          "hopper, with the first frame as in threshold_forced_by_core, by warpgroup MMAs",
          {.only_where = is_forced, .minimum_compute_capability = 90, .without = {"scratch"}}},
         {"hopper_dense",
          ABLATE_LAUNCH(dense),
          by_warpgroups,
          "dense attention of all tokens to all, by warpgroup MMAs",
          {.only_where = is_dense, .minimum_compute_capability = 90}},
         {"dense",
          ABLATE_LAUNCH(dense),
          by_mma,
          "dense attention of all tokens to all, by the mma.sync core that compression uses",
          {.only_where = is_dense}},
         {"block_sparse_sorted",
          ABLATE_LAUNCH(block_sparse),
          sorted(by_mma),
          "Block-Sparse attention by mma.sync; blocks chosen by a sort of whole rows of scores, as published",
          {.only_where = keeps_blocks_chosen}},
         {"block_sparse",
          ABLATE_LAUNCH(block_sparse),
          searched(by_mma),
          "block_sparse_sorted, with a search for each row's lowest kept score in place of the sort",
          {.only_where = keeps_blocks, .without = {"scratch"}}},
         {"hopper_block_sparse_sorted",
          ABLATE_LAUNCH(block_sparse),
          sorted(by_warpgroups),
          "block_sparse_sorted by warpgroup MMAs, whose tiles of 128 keys are two blocks",
          {.only_where = keeps_blocks_chosen, .minimum_compute_capability = 90}},
         {"hopper_block_sparse",
          ABLATE_LAUNCH(block_sparse),
          searched(by_warpgroups),
          "block_sparse by warpgroup MMAs, whose tiles of 128 keys are two blocks",
          {.only_where = keeps_blocks, .minimum_compute_capability = 90, .without = {"scratch"}}},
         {"merged_published",
          ABLATE_LAUNCH(merged),
          merging(by_mma, "atomics", "3"),
          "FastVGGT's merging as published: sums by atomics, outputs in three passes; attention by mma.sync",
          {.only_where = is_merged}},
         {"merged",
          ABLATE_LAUNCH(merged),
          merging(by_mma, "chains", "1"),
          "merged_published, with each destination's sources in a linked list, and outputs in one pass",
          {.only_where = is_merged}},
         {"hopper_merged",
          ABLATE_LAUNCH(merged),
          merging(by_warpgroups, "chains", "1"),
          "merged, with attention by warpgroup MMAs",
          {.only_where = is_merged, .minimum_compute_capability = 90}},
         {"hopper_merged_matches",
          ABLATE_LAUNCH(merged),
          merging(by_warpgroups, "chains", "1").with({{"matches", "hopper"}}),
          "hopper_merged, with matches by warpgroup MMAs, too",
          {.only_where = is_merged, .minimum_compute_capability = 90}},
         {"pooled_keys",
          ABLATE_LAUNCH(pooled_keys),
          by_mma,
          "all queries attend to pooled keys and values, by the dense mma.sync core",
          {.only_where = pools_keys}},
         {"hopper_pooled_keys",
          ABLATE_LAUNCH(pooled_keys),
          by_warpgroups,
          "pooled_keys by warpgroup MMAs",
          {.only_where = pools_keys, .minimum_compute_capability = 90}},
     }});

}  // namespace ablate::gated_attention
