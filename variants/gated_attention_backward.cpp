// gated_attention_backward: a layer of global attention trained, sparse, dense or to kept blocks: forward and
// backward, or backward alone. Axes, and one entry a variant; buffers, inputs, check and work model stand in
// variants/gated_attention_backward/.
#include "kernels/gated_attention_backward/gated_attention_backward.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "harness/registry/define.h"
#include "kernels/gated_attention_backward/launches.h"
#include "oracles/gated_attention_backward/launches.h"
#include "variants/gated_attention/axes.h"
#include "variants/gated_attention/prepare.h"
#include "variants/gated_attention_backward/buffers.h"
#include "variants/gated_attention_backward/prepare.h"
#include "variants/list_axes.h"
#include "variants/phases.h"

namespace ablate::gated_attention_backward {
namespace {

constexpr word_table<gated_attention::method, 3> method_words = {
    {{"sparse", gated_attention::method::sparse},
     {"dense", gated_attention::method::dense},
     {"block_sparse", gated_attention::method::block_sparse}}};

std::optional<std::string> refuses_block_sparse(const axis_values& at, const block_layout& layout) {
  if (layout.tokens % rows_of_query_block != 0)
    return fmt::format("images={}: {} tokens, expected whole blocks of {} queries", at.integer("images"),
                       layout.tokens, rows_of_query_block);
  const std::int64_t keys = layout.tokens / rows_of_key_block, most = block_sparse_selection::most_keys;
  if (keys <= most) return std::nullopt;
  return fmt::format("images={}: {} key blocks, expected at most {}", at.integer("images"), keys, most);
}

std::optional<std::string> refuses(const axis_values& at) {
  const block_layout layout = layout_at(at);
  if (auto reason = refuses_blocks(layout)) return reason;
  if (at.word("method") == "block_sparse") return refuses_block_sparse(at, layout);
  for (const auto& [axis, default_value] : {std::pair{"mass", "70"}, {"kept", "50"}})
    if (at.word(axis) != default_value)
      return fmt::format("{}={}: of the method block_sparse alone", axis, at.word(axis));
  const bool is_dense = at.word("method") == "dense";
  if (!is_dense) return refuses_length_of_lists(at);
  constexpr int tile = compression_attention_backward::rows_of_tile;
  if (layout.tokens % tile != 0)
    return fmt::format("images={}: {} tokens, expected whole tiles of {} where attention is dense",
                       at.integer("images"), layout.tokens, tile);
  if (layout.tokens > compression_attention_backward::most_rows)
    return fmt::format("images={}: {} tokens, expected at most {} where attention is dense",
                       at.integer("images"), layout.tokens, compression_attention_backward::most_rows);
  return std::nullopt;
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  gated_attention::problem& f = p.forward;
  gated_attention::checks& c = p.forward_checks;
  f.tokens = layout_at(at).tokens;
  f.heads = at.integer("heads");
  f.block = static_cast<int>(at.integer("block"));
  f.selected = static_cast<int>(at.integer("selected"));
  f.method = meaning_of(method_words, at.word("method"));
  f.mass_percent = static_cast<int>(at.integer("mass"));
  f.kept_percent = static_cast<int>(at.integer("kept"));
  c.what = gated_attention::scores_at(at);
  c.seed = inputs.seed();
  c.sample_count = gated_attention::sampled_tokens;
  f.keeps_selected = f.is_sparse();
  if (f.is_sparse())
    c.block_sample_count = gated_attention::groups_of_samples(f) * gated_attention::neighboring_lists;
  if (p.keeps_blocks()) c.block_sample_count = c.sample_count;
  p.sampled_head = gated_attention::sampled_head(f, inputs.seed());
  p.work = at.word("region") == "backward" ? phase::differentiate : phase::train;
  return p;
}

/// Backward alone begins where the forward pass ended.
std::optional<checked_problem> ahead(const checked_problem& p) {
  if (p.work != phase::differentiate) return std::nullopt;
  return in_phase(p, phase::attend);
}

const switches published = {{"pooling", "separate"},
                            {"load_bytes", "4"},
                            {"neighbors", "blocks"},
                            {"core", "mma"},
                            {"choice", "sorted_tiles"},
                            {"selection", "staged"},
                            {"tiles_a_stage", "1"},
                            {"stages", "2"},
                            {"copies", "past_l1"},
                            {"softmax", "running"},
                            {"warps", "4"},
                            {"grid", "by_head"},
                            {"gate", "kernel"},
                            {"inversion", "sort"},
                            {"ends", "one_block_a_head"},
                            {"backward", "in_turn"},
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
                         {"backward", "in_turn"},
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
      {{"backward", "beside"}, {"branches", "side_by_side"}, {"heads_a_turn", "4"}});
}

const axis_conditions is_sparse = {{"method", {"sparse"}}};
const axis_conditions is_dense = {{"method", {"dense"}}};
const axis_conditions keeps_blocks = {{"method", {"block_sparse"}}};
switches searched(const switches& core) {
  return core.with(
      {{"choice", "descent"}, {"descent", "histogram"}, {"rows_a_block", "2"}, {"dq", "two_pass"}});
}
/// Lists are counted, not sorted, and no scores are written.
const std::vector<std::string> unsorted = {"scratch", "sort_memory"};

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "gated_attention_backward",
     .description =
         "a layer of global attention trained, sparse, dense or to kept blocks: forward and backward, bf16",
     .axes = {images_axis(), heads_axis(),
              axis_of(
                  "method", method_words,
                  "attention among pooled blocks and to the tokens of selected ones, gated; or to all "
                  "tokens; or, as Block-Sparse attention, to the blocks of 64 tokens that each 128 queries "
                  "keep. Their outputs differ"),
              block_axis("tokens of a block, pooled and selected together; sparse alone"),
              length_of_lists_axis(), gated_attention::mass_axis(), gated_attention::kept_axis(),
              gated_attention::scores_axis(),
              axis::of_words("region", {"both", "backward"},
                             "what is timed: the layer forward, then backward; or backward alone, of what a "
                             "forward pass ahead left")},
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
          "as published: gated_attention's `published` forward; lists inverted by sorting pairs, a warp an "
          "inverted row, pooled gradients spread by separate kernels; same bits each time",
          {.only_where = is_sparse, .without = {"scratch"}, .same_bits = true}},
         {"threshold",
          ABLATE_LAUNCH(sparse),
          by_mma,
          "gated_attention's `threshold` forward; lists inverted by counting, then ordered; long rows cut; "
          "pooled gradients added in the selection's store; the same bits each time",
          {.only_where = is_sparse, .without = unsorted, .same_bits = true}},
         {"threshold_adjoint_apart",
          ABLATE_LAUNCH(sparse),
          with_adjoint_apart(by_mma),
          "threshold, with pooled rows' gradients added to their tokens' by a later kernel, in place",
          {.only_where = is_sparse, .without = unsorted}},
         {"threshold_reduced",
          ABLATE_LAUNCH(sparse),
          with_reductions(by_mma, "reductions"),
          "threshold, with inverted rows in any order, and dQ of pooled rows and pieces of "
          "long rows added by reductions",
          {.only_where = is_sparse, .without = unsorted}},
         {"threshold_side_by_side",
          ABLATE_LAUNCH(sparse),
          side_by_side(by_mma),
          "threshold_adjoint_apart on two streams: four heads' selection beside the next four's compression; "
          "backward, pooled rows' gradients beside the selection's",
          {.only_where = is_sparse, .without = unsorted}},
         {"hopper",
          ABLATE_LAUNCH(sparse),
          on_hopper,
          "threshold, with attention among pooled rows by warpgroup MMAs, forward and "
          "backward; the same bits each time",
          {.only_where = is_sparse,
           .minimum_compute_capability = 90,
           .without = unsorted,
           .same_bits = true}},
         {"hopper_adjoint_apart",
          ABLATE_LAUNCH(sparse),
          with_adjoint_apart(on_hopper),
          "hopper, with pooled rows' gradients added to their tokens' by a later kernel, in place",
          {.only_where = is_sparse, .minimum_compute_capability = 90, .without = unsorted}},
         {"hopper_bulk",
          ABLATE_LAUNCH(sparse),
          with_reductions(on_hopper, "bulk"),
          "hopper, with inverted rows in any order, dQ of pooled rows by bulk copies that add, pieces of "
          "long rows by reductions",
          {.only_where = is_sparse, .minimum_compute_capability = 90, .without = unsorted}},
         {"hopper_side_by_side",
          ABLATE_LAUNCH(sparse),
          side_by_side(on_hopper),
          "hopper_adjoint_apart, with the two streams of threshold_side_by_side",
          {.only_where = is_sparse, .minimum_compute_capability = 90, .without = unsorted}},
         {"dense",
          ABLATE_LAUNCH(dense),
          {{"core", "mma"}, {"dq", "two_pass"}},
          "dense attention of all tokens to all, by mma.sync; gradients in two "
          "passes; the same bits each time",
          {.only_where = is_dense, .same_bits = true}},
         {"dense_reduced",
          ABLATE_LAUNCH(dense),
          {{"core", "mma"}, {"dq", "reductions"}},
          "dense, with gradients in one pass, dQ by reductions",
          {.only_where = is_dense}},
         {"hopper_dense",
          ABLATE_LAUNCH(dense),
          {{"core", "hopper"}, {"groups", "by_rows"}, {"first_keys", "lowest"}, {"dq", "two_pass"}},
          "dense by warpgroup MMAs; the same bits each time",
          {.only_where = is_dense, .minimum_compute_capability = 90, .same_bits = true}},
         {"hopper_dense_bulk",
          ABLATE_LAUNCH(dense),
          {{"core", "hopper"}, {"groups", "by_rows"}, {"first_keys", "lowest"}, {"dq", "bulk"}},
          "hopper_dense, with gradients in one pass, dQ by bulk copies that add",
          {.only_where = is_dense, .minimum_compute_capability = 90}},
         {"block_sparse",
          ABLATE_LAUNCH(block_sparse),
          searched({{"core", "mma"}}),
          "gated_attention's `block_sparse` forward; bitmap inverted; dK and dV by key block, dQ by query "
          "block (published without gradients); the same bits each time",
          {.only_where = keeps_blocks, .without = {"scratch"}, .same_bits = true}},
         {"hopper_block_sparse",
          ABLATE_LAUNCH(block_sparse),
          searched({{"core", "hopper"}, {"groups", "by_rows"}, {"first_keys", "lowest"}}),
          "block_sparse by warpgroup MMAs, forward and backward; the same bits each time",
          {.only_where = keeps_blocks,
           .minimum_compute_capability = 90,
           .without = {"scratch"},
           .same_bits = true}},
     }});

}  // namespace ablate::gated_attention_backward
