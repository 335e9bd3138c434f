// window_attention_backward: the gradients of dense attention inside windows of buckets. Axes, and one entry
// per variant; buffers, inputs, check and work model are in variants/window_attention_backward/.
#include "kernels/window_attention_backward/window_attention_backward.h"

#include <string>
#include <vector>

#include "harness/registry/define.h"
#include "kernels/window_attention_backward/launches.h"
#include "oracles/window_attention_backward/launches.h"
#include "variants/attention_windows.h"
#include "variants/phases.h"
#include "variants/window_attention_backward/buffers.h"
#include "variants/window_attention_backward/prepare.h"
#include "variants/window_attention_backward/switches.h"

namespace ablate::window_attention_backward {
namespace {

using window_attention::row_order;

constexpr std::int64_t samples_of_a_gradient = 16;

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  const window_attention::checked_problem windows = window_attention::windows_at(at, inputs.seed());
  p.attention = windows;
  p.inputs = windows.inputs;
  p.sample_count = samples_of_a_gradient;
  return p;
}

/// The forward pass's results in window order are written before the region begins.
std::optional<checked_problem> ahead(const checked_problem& p) {
  if (p.attention.rows != row_order::scattered) return std::nullopt;
  return in_phase(p, phase::arrange);
}

const axis_conditions in_place = {{"rows", {"buckets", "contiguous"}}};
const axis_conditions of_contiguous_rows = {{"rows", {"contiguous"}}};
const axis_conditions of_scattered_rows = {{"rows", {"random", "scan", "z"}}};
/// Heads narrow enough for two buffers of keys and values.
const axis_conditions in_place_and_narrow = {{"rows", {"buckets", "contiguous"}},
                                             {"width", {"16", "32", "64"}}};
/// Heads so narrow that registers hold four warpgroups' scores.
const axis_conditions in_place_of_16 = {{"rows", {"buckets", "contiguous"}}, {"width", {"16"}}};
/// Of variants whose sums of dQ other kernels clear and round, or that have none.
const std::vector<std::string> no_kept_sums = {"kept_sums"};
/// Windows short enough to have memory for parts of dQ.
const axis_conditions in_place_and_short = [] {
  axis_conditions conditions = in_place;
  conditions.push_back({"window", {}});
  for (std::int64_t window = keys_of_a_part; window <= longest_window_in_parts; window += keys_of_a_part)
    conditions.back().second.push_back(std::to_string(window));
  return conditions;
}();

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "window_attention_backward",
     .description = "gradients of dense attention inside windows of rows, bf16",
     .axes = window_attention::window_axes_and(
         {axis::of_words("scores", {"unit", "zero"}, "Q and K: standard deviation 1; or zeros")}),
     .baseline = "mma_two_pass",
     .presets = {.best = {"hopper_per_shape_best", "hopper_reduced", "hopper_sorted", "hopper_window_per_cta",
                          "hopper_contiguous+dq=reductions", "hopper_gathered_vectorized+dq=reductions"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = window_attention::refuses,
     .ahead = ahead,
     .keeps_ahead = true,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = switches_of_window_attention_backward(),
     .variants = {
         {"mma_two_pass",
          ABLATE_LAUNCH(mma),
          {{"core", "mma"}, {"rows", "bucket_table"}, {"dq", "two_pass"}},
          "one kernel for dK and dV, one for dQ, by mma.sync: seven products, no "
          "atomics, the same bits each time",
          {.only_where = in_place, .without = no_kept_sums, .same_bits = true}},
         {"mma_atomic",
          ABLATE_LAUNCH(mma),
          {{"core", "mma"}, {"rows", "bucket_table"}, {"dq", "atomics"}},
          "one kernel by mma.sync: five products, dQ by atomic reductions to fp32 sums",
          {.only_where = in_place, .without = no_kept_sums}},
         {"mma_split_kv",
          ABLATE_LAUNCH(mma),
          {{"core", "mma"}, {"rows", "bucket_table"}, {"dq", "split_kv"}},
          "mma_atomic, with the dQ of each 128 keys in a buffer of its own, added in "
          "order: the same bits each time",
          {.only_where = in_place_and_short, .without = no_kept_sums, .same_bits = true}},
         {"hopper_two_pass",
          ABLATE_LAUNCH(hopper),
          {{"core", "hopper"}, {"rows", "bucket_table"}, {"dq", "two_pass"}},
          "one kernel for dK and dV, one for dQ, by warpgroup products with TMA and warp specialization",
          {.only_where = in_place,
           .minimum_compute_capability = 90,
           .without = no_kept_sums,
           .same_bits = true}},
         {"hopper_bulk",
          ABLATE_LAUNCH(hopper),
          {{"core", "hopper"}, {"rows", "bucket_table"}, {"dq", "bulk"}},
          "one kernel by warpgroup products: five products, dQ by bulk copies that add to fp32 sums",
          {.only_where = in_place, .minimum_compute_capability = 90, .without = no_kept_sums}},
         {"hopper_reduced",
          ABLATE_LAUNCH(hopper),
          {{"core", "hopper"}, {"rows", "bucket_table"}, {"dq", "reductions"}},
          "hopper_bulk, with dQ by vector reductions out of registers",
          {.only_where = in_place, .minimum_compute_capability = 90, .without = no_kept_sums}},
         {"hopper_split_kv",
          ABLATE_LAUNCH(hopper),
          {{"core", "hopper"}, {"rows", "bucket_table"}, {"dq", "split_kv"}},
          "hopper_bulk, with the dQ of each 128 keys in a buffer of its own, added in "
          "order: the same bits each time",
          {.only_where = in_place_and_short,
           .minimum_compute_capability = 90,
           .without = no_kept_sums,
           .same_bits = true}},
         {"mma_window_per_cta",
          ABLATE_LAUNCH(mma),
          {{"core", "mma"}, {"rows", "bucket_table"}, {"dq", "window_per_cta"}},
          "mma_atomic, with all keys of a window's head in one block, which sums and rounds dQ itself: no "
          "atomics, the same bits each time",
          {.only_where = in_place, .without = no_kept_sums, .same_bits = true}},
         {"hopper_persistent",
          ABLATE_LAUNCH(hopper),
          {{"core", "hopper"}, {"rows", "bucket_table"}, {"dq", "reductions"}, {"persistent", "on"}},
          "hopper_reduced, with one persistent block per multiprocessor, which copies the next keys during "
          "the current ones",
          {.only_where = in_place_and_narrow,
           .minimum_compute_capability = 90,
           .without = no_kept_sums,
           .takes = {{"rows", {"contiguous"}, 90, of_contiguous_rows}}}},
         {"hopper_window_per_cta",
          ABLATE_LAUNCH(hopper),
          {{"core", "hopper"}, {"rows", "bucket_table"}, {"dq", "window_per_cta"}, {"persistent", "on"}},
          "hopper_persistent, with all keys of a window's head in one block, which sums and rounds dQ "
          "itself: the same bits each time",
          {.only_where = in_place_and_narrow,
           .minimum_compute_capability = 90,
           .without = no_kept_sums,
           .same_bits = true,
           .takes = {{"rows", {"contiguous"}, 90, of_contiguous_rows}}}},
         {"hopper_window_per_cta_inline_delta",
          ABLATE_LAUNCH(hopper),
          {{"core", "hopper"},
           {"rows", "bucket_table"},
           {"dq", "window_per_cta"},
           {"persistent", "on"},
           {"delta", "inline"}},
          "hopper_window_per_cta in one launch: warps that copy nothing compute the row statistics of a "
          "block's next window ahead",
          {.only_where = in_place_and_narrow,
           .minimum_compute_capability = 90,
           .without = no_kept_sums,
           .takes = {{"rows", {"contiguous"}, 90, of_contiguous_rows}}}},
         {"mma_atomic_rounded",
          ABLATE_LAUNCH(mma),
          {{"core", "mma"}, {"rows", "bucket_table"}, {"dq", "atomics"}, {"rounding", "last_block"}},
          "mma_atomic, where the last block to add to a dQ tile rounds it out of L2: no other kernels",
          {.only_where = in_place}},
         {"hopper_bulk_rounded",
          ABLATE_LAUNCH(hopper),
          {{"core", "hopper"}, {"rows", "bucket_table"}, {"dq", "bulk"}, {"rounding", "last_block"}},
          "hopper_bulk, where the last block to add to a dQ tile rounds it out of L2, by otherwise idle "
          "warps: no other kernels",
          {.only_where = in_place,
           .minimum_compute_capability = 90,
           .takes = {{"dq", {"reductions"}, 90, {{"width", {"16", "32", "64"}}}}}}},
         {"hopper_persistent_rounded",
          ABLATE_LAUNCH(hopper),
          {{"core", "hopper"},
           {"rows", "bucket_table"},
           {"dq", "reductions"},
           {"persistent", "on"},
           {"rounding", "last_block"}},
          "hopper_persistent, where the last block to add to a dQ tile rounds it out of L2, as in "
          "hopper_bulk_rounded",
          {.only_where = in_place_and_narrow, .minimum_compute_capability = 90}},
         {"hopper_four_groups",
          ABLATE_LAUNCH(hopper),
          {{"core", "hopper"}, {"rows", "bucket_table"}, {"dq", "reductions"}, {"groups", "paired"}},
          "hopper_reduced, with four warpgroups per block and tiles of 64 queries: two pairs of 128 keys "
          "each, which never wait for each other",
          {.only_where = in_place_of_16,
           .minimum_compute_capability = 90,
           .without = no_kept_sums,
           .takes = {{"rows", {"contiguous"}, 90, of_contiguous_rows}}}},
         {"hopper_private_dq",
          ABLATE_LAUNCH(hopper),
          {{"core", "hopper"}, {"rows", "bucket_table"}, {"dq", "reductions"}, {"groups", "private"}},
          "hopper_four_groups without pairs: each warpgroup adds the dQ of its own 64 keys",
          {.only_where = in_place_of_16,
           .minimum_compute_capability = 90,
           .without = no_kept_sums,
           .takes = {{"rows", {"contiguous"}, 90, of_contiguous_rows}}}},
         {"hopper_per_shape_best",
          ABLATE_LAUNCH(hopper),
          {{"core", "hopper"}, {"rows", "bucket_table"}, {"dq", "per_shape_best"}},
          "hopper_bulk, hopper_reduced, hopper_persistent, hopper_private_dq or "
          "hopper_window_per_cta, by head width and window",
          {.only_where = in_place, .minimum_compute_capability = 90, .without = no_kept_sums}},
         {"mma_contiguous",
          ABLATE_LAUNCH(mma),
          {{"core", "mma"}, {"rows", "contiguous"}, {"dq", "two_pass"}},
          "mma_two_pass without the scope table: rows are computed",
          {.only_where = of_contiguous_rows,
           .without = {"scope", "kept_sums"},
           .takes = {{"dq", {"atomics", "window_per_cta"}}}}},
         {"hopper_contiguous",
          ABLATE_LAUNCH(hopper),
          {{"core", "hopper"}, {"rows", "contiguous"}, {"dq", "two_pass"}},
          "hopper_two_pass without the scope table: rows are computed; the floor of all ways to find rows",
          {.only_where = of_contiguous_rows,
           .minimum_compute_capability = 90,
           .without = {"scope", "kept_sums"},
           .takes = {{"dq", {"bulk", "reductions"}}}}},
         {"hopper_gathered",
          ABLATE_LAUNCH(hopper_gathered),
          {{"core", "hopper"},
           {"rows", "contiguous"},
           {"dq", "two_pass"},
           {"copies", "gathered"},
           {"index", "int64"},
           {"vector", "2B"},
           {"launches", "per_tensor"}},
          "hopper_contiguous with dO gathered into window order and gradients gathered back, one element per "
          "thread, one launch per tensor, as in PTv3",
          {.only_where = of_scattered_rows,
           .minimum_compute_capability = 90,
           .without = no_kept_sums,
           .takes = {{"dq", {"reductions"}}, {"index", {"int32"}}, {"vector", {"16B"}}}}},
         {"hopper_gathered_vectorized",
          ABLATE_LAUNCH(hopper_gathered),
          {{"core", "hopper"},
           {"rows", "contiguous"},
           {"dq", "two_pass"},
           {"copies", "gathered"},
           {"index", "int32"},
           {"vector", "16B"},
           {"launches", "joined"}},
          "hopper_gathered by 16-byte vectors, with one launch before the core and one behind it",
          {.only_where = of_scattered_rows,
           .minimum_compute_capability = 90,
           .without = no_kept_sums,
           .takes = {{"dq", {"reductions"}}, {"index", {"int64"}}}}},
         {"hopper_sorted",
          ABLATE_LAUNCH(hopper_sorted),
          {{"core", "hopper"}, {"rows", "bucket_table"}, {"dq", "two_pass"}, {"copies", "sorted"}},
          "rows sorted once along the curve, before the forward pass, then hopper_two_pass on sorted rows; "
          "gradients stay sorted",
          {.only_where = of_scattered_rows,
           .minimum_compute_capability = 90,
           .without = no_kept_sums,
           .takes = {{"dq", {"bulk", "reductions"}}}},
          ABLATE_LAUNCH(compare_sorted)},
     }});

}  // namespace ablate::window_attention_backward
