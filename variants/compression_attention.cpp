// compression_attention: attention among pooled rows, and the choice of each row's key blocks. Axes, and one
// entry a variant; buffers, inputs, check and work model stand in variants/compression_attention/.
#include "kernels/compression_attention/compression_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "harness/registry/define.h"
#include "kernels/compression_attention/launches.h"
#include "variants/compression_attention/buffers.h"
#include "variants/compression_attention/prepare.h"
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

problem problem_at(const axis_values& at, const input_library& inputs) {
  problem p;
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

const bool defined = define<problem>(
    {.name = "compression_attention",
     .description = "attention among pooled blocks, and the blocks that each selects, forward, bf16",
     .axes =
         {images_axis(), heads_axis(), block_axis("tokens that are pooled into a row"),
          axis::of_integers("selected", 1, most_selected, 32, "entries of a row's list"),
          axis::of_words("lists", {"by_score", "by_index", "none"},
                         "order of a list's entries: by descending score, ties by row; ascending rows; or "
                         "attention alone, without lists"),
          scores_axis(),
          first_frame_axis({"competes", "forced"},
                           "rows of the first image: listed as all others are; or in no list, since what "
                           "reads the lists attends to them anyway"),
          geometry_axis(),
          axis_of(
              "compared", comparison_words,
              "what scores are to each other in lists: numbers of fp32; or these rounded down to bf16, so "
              "that lists differ and ranks fit 32 bits")
              .silent_at_default()},
     .baseline = "sorted_tiles",
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .fill = ABLATE_LAUNCH(make_inputs),
     .variants = {
         {"sorted_tiles",
          ABLATE_LAUNCH(sorted_tiles),
          sorted,
          "C1: as published, every tile's scores sorted and merged into the lists, inside the attention "
          "kernel",
          {.only_where = with_lists_of_any_scores}},
         {"sorted_tiles_in_32_bits",
          ABLATE_LAUNCH(sorted_tiles_in_32_bits),
          sorted.with({{"rank_bits", "32"}}),
          "C5: C1 with a score of bf16 and its row in one word of 32 bits",
          {.only_where = with_rounded_scores}},
         {"sorted_tiles_in_shared",
          ABLATE_LAUNCH(sorted_tiles_in_shared),
          sorted.with({{"sort", "shared_memory"}}),
          "C6, turned around: C1 sorted in shared memory, where sorted_tiles has a number a lane and "
          "shuffles",
          {.only_where = with_lists_of_32}},
         {"threshold",
          ABLATE_LAUNCH(threshold),
          {{"core", "mma"}, {"choice", "threshold"}},
          "C2: only scores above a full list's least are kept, and merged 32 at a time",
          {.only_where = with_lists}},
         {"two_pass",
          ABLATE_LAUNCH(two_pass),
          {{"core", "mma"}, {"choice", "two_pass"}},
          "C3: scores written to memory by chunks of rows, listed by a kernel of its own",
          {.only_where = with_lists}},
         {"recomputed",
          ABLATE_LAUNCH(recomputed),
          {{"core", "mma"}, {"choice", "recomputed"}},
          "C4: each tile's greatest score of a row written to memory; a second kernel computes the tiles "
          "that "
          "reach a row's bound again, and lists what does",
          {.only_where = with_lists}},
         {"attention_only",
          ABLATE_LAUNCH(attention_only),
          {{"core", "mma"}, {"choice", "none"}},
          "C0: attention without lists, which shows what they cost",
          {.only_where = without_lists}},
         {"hopper_threshold",
          ABLATE_LAUNCH(hopper_threshold),
          on_hopper,
          "C2d by warpgroup MMAs: keys from 384 before the queries on and around, lists seeded by a bound "
          "from "
          "the first 832; three groups of 64 queries where they are four tiles and more a multiprocessor, "
          "else two, and two for lists of more than 32 places",
          {.only_where = with_lists, .minimum_compute_capability = 90}},
         {"hopper_threshold_2_groups",
          ABLATE_LAUNCH(hopper_threshold),
          on_hopper.with({{"groups", "2"}}),
          "the same, always two groups",
          {.only_where = with_lists_of_32, .minimum_compute_capability = 90}},
         {"hopper_threshold_3_groups",
          ABLATE_LAUNCH(hopper_threshold),
          on_hopper.with({{"groups", "3"}}),
          "the same, always three",
          {.only_where = with_lists_of_32, .minimum_compute_capability = 90}},
         {"hopper_threshold_3_groups_of_64",
          ABLATE_LAUNCH(hopper_threshold),
          on_hopper.with({{"groups", "3"}, {"tile_keys", "64"}}),
          "hopper_threshold_3_groups by tiles of 64 keys, four of them on their way, where it has three of "
          "96",
          {.only_where = with_lists_of_32, .minimum_compute_capability = 90}},
         {"hopper_threshold_lowest_first",
          ABLATE_LAUNCH(hopper_threshold),
          on_hopper.with({{"first_keys", "lowest"}}),
          "hopper_threshold with keys from the first one on",
          {.only_where = with_lists_of_32, .minimum_compute_capability = 90}},
         {"hopper_threshold_unseeded",
          ABLATE_LAUNCH(hopper_threshold),
          on_hopper.with({{"groups", "3"}, {"seeds", "off"}}),
          "hopper_threshold_3_groups with lists that start empty",
          {.only_where = with_lists_of_32, .minimum_compute_capability = 90}},
         {"hopper_threshold_skipping",
          ABLATE_LAUNCH(hopper_threshold_skipping),
          on_hopper.with({{"search", "while_multiplying"}}),
          "hopper_threshold that looks for candidates while outputs are multiplied, groups by turns: a tile "
          "of "
          "keys without one costs a vote",
          {.only_where = with_lists_of_32, .minimum_compute_capability = 90}},
         {"hopper_threshold_skipping_2_groups",
          ABLATE_LAUNCH(hopper_threshold_skipping),
          on_hopper.with({{"groups", "2"}, {"search", "while_multiplying"}}),
          "the same, always two groups",
          {.only_where = with_lists_of_32, .minimum_compute_capability = 90}},
         {"hopper_threshold_skipping_3_groups",
          ABLATE_LAUNCH(hopper_threshold_skipping),
          on_hopper.with({{"groups", "3"}, {"search", "while_multiplying"}}),
          "the same, always three",
          {.only_where = with_lists_of_32, .minimum_compute_capability = 90}},
         {"hopper_attention_only",
          ABLATE_LAUNCH(hopper_attention_only),
          without_choice,
          "C0 by warpgroup MMAs: what the lists of hopper_threshold cost",
          {.only_where = without_lists, .minimum_compute_capability = 90}},
         {"hopper_attention_only_2_groups",
          ABLATE_LAUNCH(hopper_attention_only),
          without_choice.with({{"groups", "2"}}),
          "the same, always two groups",
          {.only_where = without_lists, .minimum_compute_capability = 90}},
         {"hopper_attention_only_3_groups",
          ABLATE_LAUNCH(hopper_attention_only),
          without_choice.with({{"groups", "3"}}),
          "the same, always three",
          {.only_where = without_lists, .minimum_compute_capability = 90}},
     }});

}  // namespace ablate::compression_attention
