// block_sparse_attention: global attention to kept blocks, forward. Axes, and one entry a variant; buffers,
// inputs, check and work model are in variants/block_sparse_attention/.
#include "kernels/block_sparse_attention/block_sparse_attention.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "harness/registry/define.h"
#include "kernels/block_sparse_attention/launches.h"
#include "oracles/block_sparse_attention/launches.h"
#include "variants/block_sparse_attention/axes.h"
#include "variants/block_sparse_attention/buffers.h"
#include "variants/block_sparse_attention/prepare.h"
#include "variants/global_attention/axes.h"
#include "variants/global_attention/cores.h"
#include "variants/global_attention/switches.h"

namespace ablate::block_sparse_attention {
namespace {

constexpr word_table<patch_order, 3> order_words = {
    {{"natural", patch_order::natural}, {"rows", patch_order::rows}, {"hilbert", patch_order::hilbert}}};

std::optional<std::string> refuses(const axis_values& at) {
  if (auto reason = global_attention::refuses_region(at)) return reason;
  problem p;
  global_attention::put_layer(at, p);
  const std::int64_t keys = choice_of(p).keys, most = block_sparse_selection::max_keys;
  if (keys <= most) return std::nullopt;
  return fmt::format("images={}: {} key blocks, expected at most {}", at.word("images"), keys, most);
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  global_attention::put_layer(at, p);
  global_attention::put_preparation(at, p);
  global_attention::put_checks(at, inputs, p);
  p.mass_percent = static_cast<int>(at.integer("mass"));
  p.kept_percent = static_cast<int>(at.integer("kept"));
  p.order = meaning_of(order_words, at.word("order"));
  p.multiplies_int8 = at.word("products") == "int8";
  p.block_sample_count = p.sample_count;
  return p;
}

const axis_conditions is_chosen = {{"lists", {"chosen"}}};

switches sorted(const switches& core) { return core.with({{"choice", "sort"}}); }
switches searched(const switches& core) {
  return core.with({{"choice", "descent"}, {"descent", "histogram"}, {"rows_per_block", "2"}});
}

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "block_sparse_attention",
     .description =
         "global attention to kept blocks (Block-Sparse attention): each 128 queries attend to the blocks of "
         "64 tokens that they keep by means; forward, bf16",
     .axes = {images_axis(), heads_axis(), mass_axis(), kept_axis(),
              axis_of(
                  "order", order_words,
                  "patches of an image as they are cut into blocks: 4 x 4 after 4 x 4, as they stand; row "
                  "by row; or along a Hilbert curve. Moved ahead of all and back, in the timed region")
                  .silent_at_default(),
              axis::of_words(
                  "products", {"bf16", "int8"},
                  "of queries with keys: as they are; or as int8 with a scale a block, the mean of "
                  "k taken away, as published. Outputs differ")
                  .silent_at_default(),
              global_attention::lists_axis("the blocks are chosen"),
              global_attention::region_axis("means and the choice of blocks"),
              global_attention::scores_axis(), geometry_axis()},
     .baseline = "sorted",
     .presets = {.published = {"sorted"}, .best = {"hopper_searched"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .ahead = global_attention::ahead_of<checked_problem>,
     .keeps_ahead = true,
     .compare = ABLATE_LAUNCH(compare_parts),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = {global_attention::core_switch(),
                  global_attention::groups_switch(),
                  global_attention::first_keys_switch({global_attention::keys_from_the_first()}),
                  {"choice",
                   "how a query block's key blocks are chosen",
                   {{"sort", "by a sort of whole rows of scores, as published"},
                    {"descent", "by a search for each row's lowest kept score"}},
                   "time of the choice, which the sort makes the greater part of the layer",
                   "Block-Sparse Global Attention, arXiv 2509.07120"},
                  only_with(
                      "choice", {"descent"},
                      global_attention::descent_switch({global_attention::by_histogram(),
                                                        {"bisection", "by halving the interval of scores"}})),
                  only_with("choice", {"descent"},
                            {"rows_per_block",
                             "rows of scores that a block of the search computes and searches",
                             {{"1"}, {"2"}},
                             "L2 reads of keys, down; shared memory, up"})},
     .variants = {
         {"sorted",
          ABLATE_LAUNCH(attend),
          sorted(global_attention::by_mma()),
          "by mma.sync; blocks chosen by a sort of whole rows of scores, as published",
          {.only_where = is_chosen}},
         {"searched",
          ABLATE_LAUNCH(attend),
          searched(global_attention::by_mma()),
          "sorted, with a search for each row's lowest kept score in place of the sort",
          {.without = {"scratch"}, .takes = {{"descent", {"bisection"}}, {"rows_per_block", {"1"}}}}},
         {"hopper_sorted",
          ABLATE_LAUNCH(attend),
          sorted(global_attention::by_warpgroups()),
          "sorted by warpgroup MMAs, whose tiles of 128 keys are two blocks",
          {.only_where = is_chosen, .minimum_compute_capability = 90}},
         {"hopper_searched",
          ABLATE_LAUNCH(attend),
          searched(global_attention::by_warpgroups()),
          "searched by warpgroup MMAs, whose tiles of 128 keys are two blocks",
          {.minimum_compute_capability = 90,
           .without = {"scratch"},
           .takes = {{"descent", {"bisection"}}, {"rows_per_block", {"1"}}}}},
     }});

}  // namespace ablate::block_sparse_attention
