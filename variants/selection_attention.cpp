// selection_attention: attention to the blocks of a list, forward. Axes, and one entry a variant; buffers,
// inputs, check and work model are in variants/selection_attention/.
#include "kernels/selection_attention/selection_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/registry/define.h"
#include "kernels/selection_attention/launches.h"
#include "oracles/selection_attention/launches.h"
#include "variants/image_blocks.h"
#include "variants/phases.h"
#include "variants/selection_attention/buffers.h"
#include "variants/selection_attention/prepare.h"
#include "variants/selection_attention/switches.h"

namespace ablate::selection_attention {
namespace {

constexpr std::int64_t samples_of_a_case = 48;

std::optional<std::string> refuses(const axis_values& at) {
  const long selected = at.integer("selected");
  if (auto reason = refuses_blocks(layout_at(at))) return reason;
  if (!std::has_single_bit(static_cast<unsigned long>(selected)))
    return fmt::format("selected={}: expected a power of two", selected);
  return std::nullopt;
}

constexpr word_table<planted, 7> score_words = {{{"unit", planted::nothing},
                                                 {"large", planted::nothing},
                                                 {"ascending", planted::ascending},
                                                 {"descending", planted::descending},
                                                 {"nan_key", planted::nan_key},
                                                 {"inf_key", planted::inf_key},
                                                 {"nan_value", planted::nan_value}}};

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  p.tokens = layout_at(at).tokens;
  p.heads = at.integer("heads");
  p.block = static_cast<int>(at.integer("block"));
  p.selected = static_cast<int>(at.integer("selected"));
  p.seed = inputs.seed();
  // Scores of ±100 and more: the softmax of a row is all but one of its keys.
  p.score_spread = at.word("scores") == "large" ? 5.0f : 1.0f;
  p.is_gated = at.word("gate") == "applied";
  p.what = meaning_of(score_words, at.word("scores"));
  p.first_frame = first_frame_at(at);
  p.blocks_of_frame = p.layout().blocks_of_first_image();
  p.lists = {.seed = inputs.seed(),
             .blocks = p.blocks(),
             .lowest = p.forced_blocks(),
             .selected = p.selected,
             .shared = static_cast<int>(at.integer("shared")),
             .by_index = at.word("entries") == "by_index",
             .is_short = at.word("lists") == "short"};
  p.sample_count = std::min(samples_of_a_case, p.heads * p.tokens);
  return p;
}

const switches published = {{"fragments", "staged"}, {"tiles_per_stage", "1"}, {"stages", "2"},
                            {"copies", "past_l1"},   {"softmax", "running"},   {"warps", "4"},
                            {"grid", "by_head"}};
const switches in_place = {{"fragments", "direct"}, {"tiles_ahead", "1"}, {"softmax", "lazy"},
                           {"warps", "4"},          {"grid", "by_head"},  {"gate", "epilogue"}};
const switches of_union = {{"fragments", "staged"}, {"tiles_per_stage", "4"}, {"stages", "3"},
                           {"copies", "past_l1"},   {"softmax", "lazy"},      {"warps", "8"},
                           {"grid", "by_head"},     {"shares", "blocks"},     {"gate", "epilogue"}};
const axis_conditions ungated = {{"gate", {"none"}}};
const std::vector<switch_range> either_grid = {{"grid", {"by_tile"}}};
const variant_limits ungated_in_either_grid = {.only_where = ungated, .takes = either_grid};
// Eight neighboring blocks have one list, whose entries may come in another order for each.
const axis_conditions with_one_list = {{"shared", {"16"}}, {"lists", {"full"}}};

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "selection_attention",
     .description = "attention of blocks of queries to the key blocks of their lists, forward, bf16",
     .axes = {images_axis(), heads_axis(), block_axis("tokens of a block, of queries and of keys"),
              axis::of_integers("selected", 1, max_selected, 32,
                                "key blocks in the list of a query block: a power of two"),
              axis::of_words("entries", {"by_index", "by_score"},
                             "order of a list's entries: ascending, or any, as scores have it"),
              axis::of_integers("shared", 0, 16, 0,
                                "of each 16 entries, those that 8 neighboring query blocks have in common"),
              axis::of_words("lists", {"full", "short"},
                             "every entry is a block; or about half of them, and none in one list of 16"),
              axis_of("scores", score_words,
                      "Q and K: standard deviation 1; 5, scores of 100 and more; 1, with scores that rise "
                      "with the key's number, the worst that a running maximum can meet; 1, with scores that "
                      "fall with it; 1, with NaN or +inf in one key or value of each head"),
              axis::of_words("gate", {"none", "applied"},
                             "outputs as they are; or gated, with rows of attention to compressed blocks"),
              first_frame_axis({"competes", "forced", "masked"},
                               "blocks of the first image: in lists as all others are; or attended to by all "
                               "queries and in no list; or attended to by none")},
     .baseline = "staged_published",
     .presets = {.published = {"staged_published"},
                 .best = {"direct", "staged", "one_list_of_64_queries", "staged_8_warps"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = switches_of_selection_attention(),
     .variants = {
         {"staged_published", ABLATE_LAUNCH(attend), published,
          "as published: a warp takes 16 queries, tiles of 16 keys come through shared memory, one "
          "prefetched; running maximum",
          ungated_in_either_grid},
         {"staged",
          ABLATE_LAUNCH(attend),
          published.with({{"softmax", "lazy"}}),
          "tiles of 16 keys through shared memory, one prefetched; the maximum rises only when scores "
          "exceed it by 8 powers of two",
          {.only_where = ungated, .takes = {{"copies", {"through_l1"}}, {"grid", {"by_tile"}}}}},
         {"staged_through_l1",
          ABLATE_LAUNCH(attend),
          published.with({{"copies", "through_l1"}, {"softmax", "lazy"}}),
          "tiles of 16 keys into shared memory through L1, which neighboring warps can share; lazy maximum",
          {.only_where = ungated, .takes = {{"warps", {"8"}}}}},
         {"staged_8_warps", ABLATE_LAUNCH(attend),
          published.with({{"copies", "through_l1"}, {"softmax", "lazy"}, {"warps", "8"}}),
          "tiles of 16 keys into shared memory through L1, 8 neighboring query tiles per thread block; lazy "
          "maximum",
          ungated_in_either_grid},
         {"direct",
          ABLATE_LAUNCH(attend),
          in_place,
          "keys and values from global memory straight into MMA fragments, not staged in shared memory; one "
          "tile ahead; gated in the epilogue",
          {.takes = {{"grid", {"by_tile"}, 80, ungated}}}},
         {"direct_running", ABLATE_LAUNCH(attend), in_place.with({{"softmax", "running"}}),
          "keys and values straight into MMA fragments, one tile ahead; running maximum, raised at every "
          "tile",
          ungated_in_either_grid},
         {"direct_two_ahead", ABLATE_LAUNCH(attend), in_place.with({{"tiles_ahead", "2"}}),
          "keys and values straight into MMA fragments, two tiles ahead, for which 12 warps fit an SM, not "
          "16",
          ungated_in_either_grid},
         {"direct_16_warps", ABLATE_LAUNCH(attend), in_place.with({{"warps", "16"}}),
          "keys and values straight into MMA fragments, 16 neighboring query tiles per thread block, which "
          "share an L1",
          ungated_in_either_grid},
         {"union_8_warps",
          ABLATE_LAUNCH(attend),
          of_union,
          "8 neighboring query tiles load each block in the union of their lists once, into shared memory; "
          "gated in the epilogue",
          {.takes = either_grid}},
         {"one_list_of_64_queries",
          ABLATE_LAUNCH(attend),
          of_union.with(
              {{"copies", "tma"}, {"stages", "4"}, {"core", "wgmma"}, {"shares", "list"}, {"warps", "4"}}),
          "64 neighboring queries that share one list attend to it by warpgroup MMAs; gated in the epilogue",
          {.only_where = with_one_list, .minimum_compute_capability = 90}},
         {"direct_gate_apart",
          ABLATE_LAUNCH(attend),
          in_place.with({{"gate", "kernel"}}),
          "keys and values straight into MMA fragments; a separate kernel gates the outputs",
          {.only_where = {{"gate", {"applied"}}}, .takes = either_grid}},
     }});

}  // namespace ablate::selection_attention
