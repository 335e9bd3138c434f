// block_sparse_attention_backward: global attention to kept blocks, trained: forward and backward, or
// backward alone. Axes, and one entry a variant; buffers, inputs, check and work model are in
// variants/block_sparse_attention_backward/.
#include "kernels/block_sparse_attention_backward/block_sparse_attention_backward.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "harness/registry/define.h"
#include "kernels/block_sparse_attention_backward/launches.h"
#include "oracles/block_sparse_attention_backward/launches.h"
#include "variants/block_sparse_attention/axes.h"
#include "variants/block_sparse_attention_backward/buffers.h"
#include "variants/block_sparse_attention_backward/prepare.h"
#include "variants/global_attention/axes.h"
#include "variants/global_attention/cores.h"
#include "variants/global_attention/switches.h"
#include "variants/global_attention_backward/axes.h"

namespace ablate::block_sparse_attention_backward {
namespace {

std::optional<std::string> refuses(const axis_values& at) {
  const std::int64_t tokens = tokens_at(at);
  if (tokens % rows_of_query_block != 0)
    return fmt::format("images={}: {} tokens, expected whole blocks of {} queries", at.integer("images"),
                       tokens, rows_of_query_block);
  const std::int64_t keys = tokens / rows_of_key_block, most = block_sparse_selection::max_keys;
  if (keys <= most) return std::nullopt;
  return fmt::format("images={}: {} key blocks, expected at most {}", at.integer("images"), keys, most);
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  p.forward.tokens = tokens_at(at);
  p.forward.heads = at.integer("heads");
  p.forward.mass_percent = static_cast<int>(at.integer("mass"));
  p.forward.kept_percent = static_cast<int>(at.integer("kept"));
  global_attention::put_checks(at, inputs, p.forward_checks);
  p.forward_checks.block_sample_count = p.forward_checks.sample_count;
  p.sampled_head = global_attention::sampled_head(p.forward, inputs.seed());
  p.work = global_attention_backward::work_at(at);
  return p;
}

switches searched(const switches& core) {
  return core.with(
      {{"choice", "descent"}, {"descent", "histogram"}, {"rows_per_block", "2"}, {"dq", "two_pass"}});
}

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "block_sparse_attention_backward",
     .description = "global attention to kept blocks, trained: forward and backward, bf16",
     .axes = {images_axis(), heads_axis(), block_sparse_attention::mass_axis(),
              block_sparse_attention::kept_axis(), global_attention::scores_axis(),
              global_attention_backward::region_axis()},
     .baseline = "mma",
     .presets = {.best = {"hopper"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .ahead = global_attention_backward::ahead_of<checked_problem>,
     .keeps_ahead = true,
     .compare = ABLATE_LAUNCH(compare_parts),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = {global_attention::core_switch(),
                  global_attention::groups_switch(),
                  global_attention::first_keys_switch({global_attention::keys_from_the_first()}),
                  {"choice",
                   "how a query block's key blocks are chosen",
                   {{"descent", "by a search for each row's lowest kept score"}},
                   "time of the choice, which the sort makes the greater part of the layer",
                   "Block-Sparse Global Attention, arXiv 2509.07120"},
                  global_attention::descent_switch({global_attention::by_histogram()}),
                  {"rows_per_block",
                   "rows of scores that a block of the search computes and searches",
                   {{"2"}},
                   "L2 reads of keys, down; shared memory, up"},
                  global_attention::dq_switch({global_attention::in_two_passes()})},
     .variants = {
         {"mma",
          ABLATE_LAUNCH(train),
          searched(global_attention::by_mma()),
          "block_sparse_attention's `searched` forward; bitmap inverted; dK and dV by key block, dQ by query "
          "block (published without gradients); the same bits each time",
          {.without = {"scratch"}, .same_bits = true}},
         {"hopper",
          ABLATE_LAUNCH(train),
          searched(global_attention::by_warpgroups()),
          "mma by warpgroup MMAs, forward and backward; the same bits each time",
          {.minimum_compute_capability = 90, .without = {"scratch"}, .same_bits = true}},
     }});

}  // namespace ablate::block_sparse_attention_backward
