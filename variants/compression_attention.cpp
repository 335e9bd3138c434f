// compression_attention: attention among pooled rows, and the choice of each row's key blocks. Axes, and one
// entry a variant; buffers, inputs, check and work model are in variants/compression_attention/.
#include "kernels/compression_attention/compression_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "harness/registry/define.h"
#include "kernels/compression_attention/launches.h"
#include "oracles/compression_attention/launches.h"
#include "variants/compression_attention/buffers.h"
#include "variants/compression_attention/prepare.h"
#include "variants/compression_attention/switches.h"
#include "variants/image_blocks.h"
#include "variants/phases.h"

namespace ablate::compression_attention {
namespace {

constexpr std::int64_t samples_of_a_case = 8;

constexpr word_table<scores, 8> score_words = {{{"correspondences", scores::correspondences},
                                                {"unit", scores::unit},
                                                {"integers", scores::integers},
                                                {"ascending", scores::ascending},
                                                {"descending", scores::descending},
                                                {"equal", scores::equal},
                                                {"large", scores::large},
                                                {"nan_key", scores::nan_key}}};

axis scores_axis() {
  return axis_of("scores", score_words,
                 "what q and k hold: images of one scene, whose rows match where they see one place; unit "
                 "normal numbers; integers from -4 to 4, for ties; scores that rise with the key's number, "
                 "the worst order there is, or fall; one key in all places; scores of 100 and more; NaN in "
                 "one key of each head");
}

constexpr word_table<comparison, 2> comparison_words = {
    {{"fp32", comparison::fp32}, {"bf16", comparison::bf16}}};

std::optional<std::string> refuses(const axis_values& at) {
  const block_layout layout = layout_at(at, geometry_at(at));
  if (at.word("lists") == "none" && at.word("first_frame") != "competes")
    return "lists=none: the first frame has a rule of its own in lists alone";
  if (at.word("compared") == "bf16") {
    if (at.word("lists") == "none") return "compared=bf16: only lists compare scores";
    if (at.integer("selected") > 32)
      return fmt::format("selected={}: scores compared as bf16 are listed in 32 places at most",
                         at.integer("selected"));
    if (layout.blocks() > 1 << 16)
      return fmt::format("images={}: beside scores of bf16, {} rows are numbered in 16 bits",
                         at.integer("images"), layout.blocks());
  }
  return refuses_blocks(layout);
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  const block_layout layout = layout_at(at, geometry_at(at));
  p.rows = layout.blocks();
  p.rows_of_image = std::max(
      layout.is_cut() ? block_layout::blocks_of_vggt : block_layout::tokens_of_s3r / layout.block, 7);
  p.heads = at.integer("heads");
  p.selected = static_cast<int>(at.integer("selected"));
  p.lists = at.word("lists") != "none";
  p.by_index = at.word("lists") == "by_index";
  p.compared = meaning_of(comparison_words, at.word("compared"));
  p.first_listed = at.word("first_frame") == "forced" ? layout.blocks_of_first_image() : 0;
  p.seed = inputs.seed();
  p.what = meaning_of(score_words, at.word("scores"));
  p.sample_count = std::min(samples_of_a_case, p.rows);
  return p;
}

const switches on_hopper = {{"core", "hopper"},
                            {"choice", "threshold"},
                            {"groups", "by_rows"},
                            {"first_keys", "near"},
                            {"seeds", "on"}};
const switches without_choice =
    on_hopper.with({{"choice", "none"}, {"first_keys", "lowest"}, {"seeds", "off"}});
const axis_conditions without_lists = {{"lists", {"none"}}};
const axis_conditions with_lists_of_any_scores = {{"lists", {"by_score", "by_index"}}};
const axis_conditions with_lists = {{"lists", {"by_score", "by_index"}}, {"compared", {"fp32"}}};
const axis_conditions with_rounded_scores = {{"lists", {"by_score", "by_index"}}, {"compared", {"bf16"}}};
const axis_conditions with_lists_of_32 = with_short_lists(with_lists);
const switches sorted = {{"core", "mma"}, {"choice", "sorted_tiles"}};

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "compression_attention",
     .description = "attention among pooled blocks, and the blocks that each selects, forward, bf16",
     .axes = {images_axis(), heads_axis(), block_axis("tokens that are pooled into a row"),
              axis::of_integers("selected", 1, max_selected, 32, "entries of a row's list"),
              axis::of_words(
                  "lists", {"by_score", "by_index", "none"},
                  "order of a list's entries: by descending score, ties by row; ascending rows; or "
                  "attention alone, without lists"),
              scores_axis(),
              first_frame_axis({"competes", "forced"},
                               "rows of the first image: listed as all others are; or in no list, since what "
                               "reads the lists attends to them anyway"),
              geometry_axis(),
              axis_of("compared", comparison_words,
                      "how lists compare scores: as fp32; or rounded down to bf16, so that lists differ and "
                      "ranks fit 32 bits")
                  .silent_at_default()},
     .baseline = "sorted_tiles",
     .presets = {.published = {"sorted_tiles"},
                 .best = {"hopper_attention_only", "hopper_threshold", "two_pass",
                          "sorted_tiles_in_32_bits"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = switches_of_compression_attention(),
     .variants = {
         {"sorted_tiles",
          ABLATE_LAUNCH(attend),
          sorted,
          "as published: every tile's 64 scores of a row sorted and merged into its list, inside the "
          "attention kernel",
          {.only_where = with_lists_of_any_scores}},
         {"sorted_tiles_in_32_bits",
          ABLATE_LAUNCH(attend),
          sorted.with({{"rank_bits", "32"}}),
          "sorted_tiles, with a bf16 score and its row number packed into one 32-bit word: one shuffle an "
          "exchange, not two",
          {.only_where = with_rounded_scores}},
         {"threshold",
          ABLATE_LAUNCH(attend),
          {{"core", "mma"}, {"choice", "threshold"}},
          "only scores above a full list's lowest are kept as candidates, and merged "
          "into the list 32 at a time",
          {.only_where = with_lists}},
         {"two_pass",
          ABLATE_LAUNCH(attend),
          {{"core", "mma"}, {"choice", "two_pass"}},
          "attention writes its scores to memory by chunks of rows; a second kernel selects "
          "each row's list from them",
          {.only_where = with_lists}},
         {"recomputed",
          ABLATE_LAUNCH(attend),
          {{"core", "mma"}, {"choice", "recomputed"}},
          "attention writes each tile's greatest score of a row; a second kernel recomputes the tiles that "
          "reach a row's bound and lists from them",
          {.only_where = with_lists}},
         {"attention_only",
          ABLATE_LAUNCH(attend),
          {{"core", "mma"}, {"choice", "none"}},
          "attention by mma.sync without lists, which shows what they cost",
          {.only_where = without_lists}},
         {"hopper_threshold",
          ABLATE_LAUNCH(attend),
          on_hopper,
          "threshold by warpgroup MMAs: keys near the queries first, lists seeded with a bound from 832 "
          "keys; two or three warpgroups, by size",
          {.only_where = with_lists,
           .minimum_compute_capability = 90,
           .takes = {{"groups", {"2", "3"}, 90, with_lists_of_32},
                     {"first_keys", {"lowest"}},
                     {"seeds", {"off"}, 90, with_lists_of_32}}}},
         {"hopper_threshold_2_groups",
          ABLATE_LAUNCH(attend),
          on_hopper.with({{"groups", "2"}}),
          "hopper_threshold, always with two warpgroups of queries",
          {.only_where = with_lists_of_32,
           .minimum_compute_capability = 90,
           .takes = {{"first_keys", {"lowest"}}}}},
         {"hopper_threshold_3_groups",
          ABLATE_LAUNCH(attend),
          on_hopper.with({{"groups", "3"}}),
          "hopper_threshold, always with three warpgroups of queries",
          {.only_where = with_lists_of_32,
           .minimum_compute_capability = 90,
           .takes = {{"tile_keys", {"64"}}, {"first_keys", {"lowest"}}, {"seeds", {"off"}}}}},
         {"hopper_threshold_3_groups_of_64",
          ABLATE_LAUNCH(attend),
          on_hopper.with({{"groups", "3"}, {"tile_keys", "64"}}),
          "hopper_threshold_3_groups, with a ring of four tiles of 64 keys in place of three tiles of 96",
          {.only_where = with_lists_of_32,
           .minimum_compute_capability = 90,
           .takes = {{"first_keys", {"lowest"}}}}},
         {"hopper_threshold_skipping",
          ABLATE_LAUNCH(attend),
          on_hopper.with({{"search", "while_multiplying"}}),
          "hopper_threshold that searches for candidates while outputs are multiplied, warpgroups by turns: "
          "a tile without candidates costs a vote",
          {.only_where = with_lists_of_32,
           .minimum_compute_capability = 90,
           .takes = {{"groups", {"2", "3"}}}}},
         {"hopper_attention_only",
          ABLATE_LAUNCH(attend),
          without_choice,
          "attention by warpgroup MMAs without lists, which shows what those of hopper_threshold cost",
          {.only_where = without_lists, .minimum_compute_capability = 90, .takes = {{"groups", {"2", "3"}}}}},
     }});

}  // namespace ablate::compression_attention
