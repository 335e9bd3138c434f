// selection_attention_backward: the gradients of attention to the blocks of a list. Axes, and one entry a
// variant; buffers, inputs, check and work model are in variants/selection_attention_backward/.
#include "kernels/selection_attention_backward/selection_attention_backward.h"

#include "harness/registry/define.h"
#include "kernels/selection_attention_backward/launches.h"
#include "oracles/selection_attention_backward/launches.h"
#include "variants/list_axes.h"
#include "variants/phases.h"
#include "variants/selection_attention_backward/buffers.h"
#include "variants/selection_attention_backward/prepare.h"
#include "variants/selection_attention_backward/switches.h"

namespace ablate::selection_attention_backward {
namespace {

constexpr std::int64_t samples_of_a_gradient = 16;

std::optional<std::string> refuses(const axis_values& at) {
  if (auto reason = refuses_blocks(layout_at(at))) return reason;
  return refuses_length_of_lists(at);
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  p.attention.tokens = layout_at(at).tokens;
  p.attention.heads = at.integer("heads");
  p.attention.block = static_cast<int>(at.integer("block"));
  p.attention.selected = static_cast<int>(at.integer("selected"));
  p.seed = inputs.seed();
  // Scores of ±100 and more: the softmax of a row is all but one of its keys.
  p.score_spread = at.word("scores") == "large" ? 5.0f : 1.0f;
  p.lists = lists_at(at, p.attention.blocks(), inputs.seed());
  p.lists.shared = static_cast<int>(at.integer("shared"));
  p.attention.is_gated = at.word("gate") == "applied";
  p.inverts = at.word("region") == "with_inversion";
  p.sample_count = samples_of_a_gradient;
  return p;
}

const switches apart = {{"passes", "two"},      {"dq", "by_query"},   {"cut", "long_rows"},
                        {"pieces", "in_order"}, {"tiles_ahead", "1"}, {"ranks", "kept"},
                        {"rows", "ordered"}};
// Where lists are turned around in the timed region, and not ahead of it in one way for all.
const axis_conditions with_inversion = {{"region", {"with_inversion"}}};
const switches at_once = {{"passes", "one"}, {"dq", "by_query"}};

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "selection_attention_backward",
     .description = "gradients of attention of blocks of queries to the key blocks of their lists, bf16",
     .axes =
         {images_axis(), heads_axis(), block_axis("tokens of a block, of queries and of keys"),
          length_of_lists_axis(), order_of_entries_axis(),
          axis::of_integers("shared", 0, 16, 0,
                            "of each 16 entries, those that 8 neighboring query blocks have in common"),
          fullness_axis(), popularity_axis(),
          axis::of_words("scores", {"unit", "large"},
                         "Q and K: standard deviation 1; or 5, scores of 100 and more"),
          axis::of_words("gate", {"none", "applied"},
                         "dO is that of outputs as they are; or of gated ones, so that gates and rows of "
                         "compressed blocks have gradients as well")
              .silent_at_default(),
          axis::of_words(
              "region", {"gradients", "with_inversion"},
              "what is timed: the gradients, of lists inverted ahead; or the inversion and the gradients")},
     .baseline = "two_pass",
     .presets = {.best = {"two_pass", "two_pass+cut=none"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = switches_of_selection_attention_backward(),
     .variants = {
         {"two_pass",
          ABLATE_LAUNCH(differentiate),
          apart,
          "dQ by query block, dK and dV by key block: seven products; long inverted rows cut, pieces added "
          "in order; bitwise reproducible",
          {.without = {"query_sums", "key_sums"},
           .same_bits = true,
           .takes = {{"cut", {"none"}},
                     {"tiles_ahead", {"0"}},
                     {"ranks", {"second_atomic"}, 80, with_inversion}}}},
         {"two_pass_reduced",
          ABLATE_LAUNCH(differentiate),
          apart.with({{"pieces", "reductions"}}),
          "dQ by query block, dK and dV by key block; pieces of long inverted rows added by reductions",
          {.without = {"query_sums", "key_sums"}, .takes = {{"tiles_ahead", {"0"}}}}},
         {"two_pass_any_order",
          ABLATE_LAUNCH(differentiate),
          apart.with({{"pieces", "reductions"}, {"rows", "any"}}),
          "dQ by query block, dK and dV by key block; inverted rows left in any order, their pieces added "
          "by reductions",
          {.only_where = with_inversion,
           .without = {"query_sums", "key_sums"},
           .takes = {{"tiles_ahead", {"0"}}, {"ranks", {"second_atomic"}}, {"pieces", {"in_order"}}}}},
         {"by_query",
          ABLATE_LAUNCH(differentiate),
          at_once,
          "one pass by query block: five products, dK and dV by reductions; needs no inverted lists",
          {.without = {"pieces", "query_sums"}}},
         {"by_key",
          ABLATE_LAUNCH(differentiate),
          apart.with({{"passes", "one"}, {"dq", "reductions"}}),
          "one pass by key block: five products, dQ by reductions",
          {.without = {"key_sums"},
           .takes = {{"cut", {"none"}}, {"ranks", {"second_atomic"}, 80, with_inversion}}}},
     }});

}  // namespace ablate::selection_attention_backward
