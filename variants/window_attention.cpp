// window_attention: dense attention inside windows, forward. Axes, and one entry per variant; buffers,
// inputs, check and work model are in variants/window_attention/.
#include "kernels/window_attention/window_attention.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/registry/define.h"
#include "kernels/window_attention/launches.h"
#include "oracles/window_attention/launches.h"
#include "variants/attention_windows.h"
#include "variants/phases.h"
#include "variants/window_attention/buffers.h"
#include "variants/window_attention/prepare.h"
#include "variants/window_attention/switches.h"

namespace ablate::window_attention {
namespace {

constexpr std::int64_t samples_of_a_case = 48;

std::optional<std::string> makes_no_case(const axis_values& at) {
  if (rows_of(at) != row_order::scattered && at.word("region") == "order_and_attend")
    return fmt::format("rows={}: stand in the order of the windows, there is nothing to sort",
                       at.word("rows"));
  if (at.word("qkv") == "packed" &&
      at.integer("batches") * at.integer("tokens") * at.integer("heads") * at.integer("width") > long{1}
                                                                                                     << 30)
    return "qkv=packed: more than 2^30 elements of Q";
  return refuses(at);
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p = windows_at(at, inputs.seed());
  p.layout = at.word("qkv") == "packed" ? qkv_layout::packed : qkv_layout::split;
  if (at.word("region") == "order_and_attend") p.first = phase::order;
  p.sample_count = std::min(samples_of_a_case, p.batches * p.tokens * p.heads);
  return p;
}

/// Rows sorted once for many layers are sorted before the region begins.
std::optional<checked_problem> ahead(const checked_problem& p) {
  if (p.rows != row_order::scattered || p.first == phase::order) return std::nullopt;
  return in_phase(p, phase::order);
}

/// Variants that find rows through the scope table: they accept packed Q, K and V if they read them by
/// strides.
const axis_conditions in_place = {{"rows", {"buckets", "contiguous"}}};
const axis_conditions in_place_and_split = {{"rows", {"buckets", "contiguous"}}, {"qkv", {"split"}}};
/// Scores of 100 and more expose the rounding of scaled queries to bf16.
const axis_conditions as_published = {
    {"rows", {"buckets", "contiguous"}},
    {"scores", {"unit", "zero", "nan_key", "inf_key", "nan_query", "inf_query", "nan_value", "inf_value"}}};
const axis_conditions of_contiguous_rows = {{"rows", {"contiguous"}}};
const axis_conditions of_scattered_rows = {{"rows", {"random", "scan", "z"}}, {"region", {"attend"}}};
/// Cores whose other switches are those of online softmax have no fixed maximum at 128.
const axis_conditions up_to_64_wide = {{"width", {"16", "32", "64"}}};

/// An intermediate step towards hopper_fixed_max, at the widths that have it.
axis_conditions in_place_at(std::vector<std::string> widths) {
  axis_conditions conditions = in_place;
  conditions.emplace_back("width", std::move(widths));
  return conditions;
}

const switches on_hopper = {{"core", "hopper"},  {"rows", "bucket_table"}, {"softmax", "online"},
                            {"groups", "all"},   {"stages", "all"},        {"overlap", "wide"},
                            {"pingpong", "off"}, {"persistent", "on"},     {"exp2", "hardware"},
                            {"sums", "threads"}};
const switches bounded_on_hopper = on_hopper.with({{"softmax", "bounded"}, {"exp2", "poly_4of16_narrow"}});
const switches fixed_max_on_hopper = on_hopper.with({{"softmax", "fixed_max"},
                                                     {"groups", "by_window"},
                                                     {"stages", "by_window"},
                                                     {"pingpong", "wide"},
                                                     {"exp2", "poly_2of16_narrow"},
                                                     {"sums", "product_narrow"}});
const switches exp2_bf16x2_wave_fit_on_hopper =
    fixed_max_on_hopper.with({{"exp2", "bf16x2_6of16"}, {"tiles", "wave_fit"}});
const switches at_once_on_hopper = fixed_max_on_hopper.with({{"retry", "inline"}});
const switches streamed_on_hopper = on_hopper.with({{"softmax", "fixed_max"},
                                                    {"groups", "by_window"},
                                                    {"stages", "by_window"},
                                                    {"pingpong", "on"},
                                                    {"cross_tile_overlap", "on"}});
/// Shared by the steps before persistent blocks.
const switches by_tiles_on_hopper = on_hopper.with({{"persistent", "off"}});
const switches waiting_on_hopper = by_tiles_on_hopper.with({{"overlap", "off"}});

const switches on_mma = {{"core", "mma"},     {"rows", "bucket_table"}, {"softmax", "online"},
                         {"buffers", "2"},    {"normalize", "at_end"},  {"exponential", "exp2"},
                         {"exp2", "hardware"}};
const switches published_on_mma = {
    {"core", "mma_published"}, {"rows", "bucket_table"},  {"softmax", "online"},
    {"buffers", "1"},          {"normalize", "per_step"}, {"exp2", "hardware"},
    {"exponential", "expf"},   {"smem_request", "max"},   {"grid", "windows"}};

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "window_attention",
     .description = "dense attention inside windows of rows, forward, bf16",
     .axes = window_axes_and(
         {axis::of_words("qkv", {"split", "packed"},
                         "Q, K and V as three tensors, or one row [3][heads][width] a token"),
          axis::of_words("region", {"attend", "order_and_attend"},
                         "what is timed, of rows that are sorted first: attention alone, or sorting and "
                         "moving Q, K and V too"),
          axis::of_words(
              "scores",
              {"unit", "zero", "large", "overflow_0.1pct", "overflow_10pct", "overflow_all", "descending",
               "nan_key", "inf_key", "nan_query", "inf_query", "nan_value", "inf_value", "huge_values"},
              "Q and K: standard deviation 1; zeros; 5, scores of 100 and more; 1, with a late key in each "
              "window whose scores with that share of the tiles of 256 queries overflow what fixed-maximum "
              "softmax subtracts; 1, with scores that fall by hundreds from a window's first key to its "
              "last; 1, with NaN or +inf in one key, query or value of each head of one window, "
              "or with one value of 1e38 whose key weighs much")}),
     .baseline = "hopper_online",
     .presets = {.published = {"mma_published"},
                 .best = {"hopper_fixed_max", "hopper_online", "hopper_exp2_bf16x2",
                          "hopper_gathered_vectorized", "hopper_wave_fit", "hopper_sorted",
                          "hopper_cross_tile_overlap_pdl", "hopper_exp2_bf16x2+exp2=bf16x2_4of16"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = makes_no_case,
     .ahead = ahead,
     .keeps_ahead = true,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = switches_of_window_attention(),
     .variants = {
         {"hopper_online",
          ABLATE_LAUNCH(hopper),
          on_hopper,
          "TMA, warpgroup products and warp specialization in persistent blocks; "
          "softmax with a running maximum",
          {.only_where = in_place, .minimum_compute_capability = 90}},
         {"hopper_bounded",
          ABLATE_LAUNCH(hopper),
          bounded_on_hopper,
          "hopper_online, subtracting nothing where norms of queries and keys bound the scores; for narrow "
          "heads (16, 32), 4 of 16 exponentials by polynomial",
          {.only_where = in_place_and_split, .minimum_compute_capability = 90}},
         {"hopper_fixed_max",
          ABLATE_LAUNCH(hopper),
          fixed_max_on_hopper,
          "hopper_online, subtracting the first 128 keys' maximum throughout; overflowing query tiles are "
          "redone; narrow heads: 2 of 16 exponentials by polynomial, row sums by product",
          {.only_where = in_place,
           .minimum_compute_capability = 90,
           .takes = {{"tiles", {"wave_fit"}, 90, {{"width", {"16"}}}}, {"pdl", {"on"}}}}},
         {"hopper_exp2_bf16x2",
          ABLATE_LAUNCH(hopper),
          fixed_max_on_hopper.with({{"exp2", "bf16x2_6of16"}}),
          "hopper_fixed_max, with 6 of 16 exponentials computed in pairs in 16-bit arithmetic, off the "
          "special function unit",
          {.only_where = in_place_at({"16", "32"}),
           .minimum_compute_capability = 90,
           .takes = {{"exp2", {"bf16x2_4of16"}},
                     {"pdl", {"on"}},
                     {"rows", {"contiguous"}, 90, of_contiguous_rows}}}},
         {"hopper_exp2_bf16x2_wave_fit",
          ABLATE_LAUNCH(hopper),
          exp2_bf16x2_wave_fit_on_hopper,
          "hopper_exp2_bf16x2, with tiles of 192 queries where tiles of 256 would leave most "
          "multiprocessors idle in the last round",
          {.only_where = in_place_at({"16"}),
           .minimum_compute_capability = 90,
           .takes = {{"tiles", {"wave_fit_overlapped"}}}}},
         {"hopper_inline_retry",
          ABLATE_LAUNCH(hopper),
          at_once_on_hopper,
          "hopper_fixed_max in one launch: a block redoes its own query tiles that overflow",
          {.only_where = in_place_at({"16", "32"}),
           .minimum_compute_capability = 90,
           .takes = {{"rows", {"contiguous"}, 90, of_contiguous_rows}}}},
         {"hopper_wave_fit",
          ABLATE_LAUNCH(hopper),
          at_once_on_hopper.with({{"tiles", "wave_fit"}}),
          "hopper_inline_retry, with tiles of 192 queries where tiles of 256 would leave most multiprocessors "
          "idle in the last round",
          {.only_where = in_place_at({"16"}), .minimum_compute_capability = 90}},
         {"hopper_cross_tile_overlap",
          ABLATE_LAUNCH(hopper),
          streamed_on_hopper,
          "hopper_fixed_max, with products that also overlap softmax across query tiles: a tile's first "
          "softmax runs beside the previous tile's last product",
          {.only_where = in_place_at({"64", "128"}),
           .minimum_compute_capability = 90,
           .takes = {{"cross_tile_overlap", {"off"}}, {"rows", {"contiguous"}, 90, of_contiguous_rows}}}},
         {"hopper_cross_tile_overlap_pdl",
          ABLATE_LAUNCH(hopper),
          streamed_on_hopper.with({{"pdl", "on"}}),
          "hopper_cross_tile_overlap, where each kernel begins while the one before it ends",
          {.only_where = in_place_at({"64", "128"}),
           .minimum_compute_capability = 90,
           .takes = {{"cross_tile_overlap", {"off"}}}}},
         {"hopper_warp_fixed_max",
          ABLATE_LAUNCH(hopper_warp),
          {{"core", "hopper_warp"}, {"rows", "bucket_table"}, {"softmax", "fixed_max"}},
          "TMA with mma.sync, 32 queries per warp and independent warps; the first keys' maximum is "
          "subtracted; some exponentials by polynomial, row sums by product",
          {.only_where = {{"rows", {"buckets", "contiguous"}}, {"width", {"16", "32"}}},
           .minimum_compute_capability = 90}},
         {"mma_online",
          ABLATE_LAUNCH(mma),
          on_mma,
          "mma.sync, 32 queries per warp; the next keys and values are copied during the products; softmax "
          "with a running maximum",
          {.only_where = in_place}},
         {"mma_bounded",
          ABLATE_LAUNCH(mma),
          on_mma.with({{"softmax", "bounded"}, {"exp2", "poly_4of16_narrow"}}),
          "mma_online, subtracting nothing where norms of queries and keys bound the scores; for narrow "
          "heads (16, 32), 4 of 16 exponentials by polynomial",
          {.only_where = in_place_and_split}},
         {"mma_contiguous",
          ABLATE_LAUNCH(mma),
          on_mma.with({{"rows", "contiguous"}}),
          "mma_online without the scope table: rows are computed",
          {.only_where = {{"rows", {"contiguous"}}}, .without = {"scope"}}},
         {"mma_normalize_per_tile",
          ABLATE_LAUNCH(mma),
          on_mma.with({{"normalize", "per_tile"}}),
          "mma_online, dividing probabilities and outputs by the running sum at each tile of 64 "
          "keys (32 for heads of 128)",
          {.only_where = in_place}},
         {"mma_natural_exp",
          ABLATE_LAUNCH(mma),
          on_mma.with({{"exponential", "__expf"}}),
          "mma_online, with powers of e by __expf: one more multiplication per score",
          {.only_where = in_place}},
         {"mma_fixed_max",
          ABLATE_LAUNCH(mma),
          on_mma.with({{"softmax", "fixed_max"}}),
          "mma_online, subtracting the maximum over the first 64 keys (32 for heads of 128) throughout; "
          "query tiles that overflow are redone",
          {.only_where = in_place}},
         {"mma_exp2_bf16x2",
          ABLATE_LAUNCH(mma),
          on_mma.with({{"softmax", "fixed_max"}, {"exp2", "bf16x2_6of16"}}),
          "mma_fixed_max, with 6 of 16 exponentials computed in pairs in 16-bit arithmetic, off "
          "the special function unit",
          {.only_where = in_place_at({"16", "32"}), .takes = {{"exp2", {"bf16x2_4of16"}}}}},
         {"mma_published",
          ABLATE_LAUNCH(mma_published),
          published_on_mma,
          "as published: one block per window and head streams all keys again for each query block, divides "
          "every 16 keys, rounds scaled queries to bf16",
          {.only_where = as_published,
           .takes = {{"normalize", {"at_end"}}, {"smem_request", {"needed"}}, {"grid", {"query_blocks"}}}}},
         {"mma_published_exp2",
          ABLATE_LAUNCH(mma_published),
          published_on_mma.with({{"normalize", "at_end"}, {"exponential", "exp2"}}),
          "mma_published+normalize=at_end, with powers of 2: the scale times log2(e) is folded into their argument",
          {.only_where = in_place, .takes = {{"smem_request", {"needed"}}, {"grid", {"query_blocks"}}}}},
         {"hopper_contiguous",
          ABLATE_LAUNCH(hopper),
          on_hopper.with({{"rows", "contiguous"}}),
          "hopper_online without the scope table: rows are computed; the floor of all ways to find rows",
          {.only_where = {{"rows", {"contiguous"}}}, .minimum_compute_capability = 90, .without = {"scope"}}},
         {"hopper_split_qkv",
          ABLATE_LAUNCH(hopper_split_qkv),
          on_hopper.with({{"copies", "split_qkv"}}),
          "packed Q, K and V copied into three tensors, then hopper_online, which "
          "can also read them in place",
          {.only_where = {{"rows", {"buckets", "contiguous"}}, {"qkv", {"packed"}}},
           .minimum_compute_capability = 90,
           .takes = {{"softmax", {"fixed_max"}, 90, up_to_64_wide},
                     {"rows", {"contiguous"}, 90, of_contiguous_rows}}}},
         {"hopper_gathered",
          ABLATE_LAUNCH(hopper_gathered),
          on_hopper.with({{"rows", "contiguous"},
                          {"copies", "gathered"},
                          {"index", "int64"},
                          {"vector", "2B"},
                          {"launches", "per_tensor"}}),
          "hopper_contiguous on rows gathered into window order, one element per thread, one launch per "
          "tensor; outputs gathered back, as in PTv3",
          {.only_where = of_scattered_rows,
           .minimum_compute_capability = 90,
           .takes =
               {{"index", {"int32"}}, {"vector", {"16B"}}, {"softmax", {"fixed_max"}, 90, up_to_64_wide}}}},
         {"hopper_gathered_vectorized",
          ABLATE_LAUNCH(hopper_gathered),
          on_hopper.with({{"rows", "contiguous"},
                          {"copies", "gathered"},
                          {"index", "int32"},
                          {"vector", "16B"},
                          {"launches", "joined"}}),
          "hopper_gathered by 16-byte vectors and int32 indices, with one launch before the core and one behind it",
          {.only_where = of_scattered_rows,
           .minimum_compute_capability = 90,
           .takes = {{"index", {"int64"}}, {"softmax", {"fixed_max"}, 90, up_to_64_wide}}}},
         {"hopper_indexed",
          ABLATE_LAUNCH(hopper_indexed),
          on_hopper.with({{"rows", "index"}, {"index", "int32"}}),
          "hopper_online, whose own loads and stores follow the index, loads by cp.async, 16 bytes per "
          "thread; nothing is gathered",
          {.only_where = of_scattered_rows, .minimum_compute_capability = 90}},
         {"hopper_sorted",
          ABLATE_LAUNCH(hopper_sorted),
          on_hopper.with({{"copies", "sorted"}}),
          "rows sorted once along the curve, then hopper_online on sorted rows; outputs stay sorted",
          {.only_where = {{"rows", {"random", "scan", "z"}}},
           .minimum_compute_capability = 90,
           .takes = {{"softmax", {"fixed_max"}, 90, up_to_64_wide}}},
          ABLATE_LAUNCH(compare_sorted)},
         {"hopper_fixed_max_contiguous",
          ABLATE_LAUNCH(hopper),
          fixed_max_on_hopper.with({{"rows", "contiguous"}}),
          "hopper_fixed_max without the scope table: rows are computed",
          {.only_where = {{"rows", {"contiguous"}}}, .minimum_compute_capability = 90, .without = {"scope"}}},
         {"hopper_warp_contiguous",
          ABLATE_LAUNCH(hopper_warp),
          {{"core", "hopper_warp"}, {"rows", "contiguous"}, {"softmax", "fixed_max"}},
          "hopper_warp_fixed_max without the scope table: rows are computed",
          {.only_where = {{"rows", {"contiguous"}}, {"width", {"16", "32"}}},
           .minimum_compute_capability = 90,
           .without = {"scope"}}},
         {"hopper_fixed_max_gathered",
          ABLATE_LAUNCH(hopper_gathered),
          fixed_max_on_hopper.with({{"rows", "contiguous"},
                                    {"copies", "gathered"},
                                    {"index", "int32"},
                                    {"vector", "16B"},
                                    {"launches", "joined"}}),
          "hopper_gathered_vectorized around the core of hopper_fixed_max",
          {.only_where = of_scattered_rows,
           .minimum_compute_capability = 90,
           .takes = {{"index", {"int64"}}, {"launches", {"per_tensor"}}}}},
         {"hopper_step_one_group",
          ABLATE_LAUNCH(hopper),
          waiting_on_hopper.with({{"groups", "one"}, {"stages", "one"}}),
          "a producer, one warpgroup of 64 queries, one stage of 128 keys; every product is waited for; one "
          "query tile per block",
          {.only_where = in_place_at({"64"}),
           .minimum_compute_capability = 90,
           .takes = {{"persistent", {"on"}}}}},
         {"hopper_step_ring",
          ABLATE_LAUNCH(hopper),
          waiting_on_hopper.with({{"groups", "one"}}),
          "hopper_step_one_group, with the whole ring of stages, so that copies run ahead",
          {.only_where = in_place_at({"64", "128"}),
           .minimum_compute_capability = 90,
           .takes = {{"persistent", {"on"}}}}},
         {"hopper_step_two_groups",
          ABLATE_LAUNCH(hopper),
          waiting_on_hopper.with({{"groups", "two"}}),
          "hopper_step_ring, with two warpgroups: 128 queries per block",
          {.only_where = in_place_at({"64"}),
           .minimum_compute_capability = 90,
           .takes = {{"stages", {"one"}}, {"overlap", {"wide"}}, {"persistent", {"on"}}}}},
         {"hopper_step_all_groups",
          ABLATE_LAUNCH(hopper),
          waiting_on_hopper,
          "hopper_step_ring, with three warpgroups, or two for heads of 128",
          {.only_where = in_place_at({"64", "128"}),
           .minimum_compute_capability = 90,
           .takes = {{"persistent", {"on"}}}}},
         {"hopper_step_overlapped",
          ABLATE_LAUNCH(hopper),
          by_tiles_on_hopper,
          "hopper_step_all_groups, issuing the next scores' product before the current softmax",
          {.only_where = in_place_at({"64", "128"}), .minimum_compute_capability = 90}},
         {"hopper_step_one_tile_a_block",
          ABLATE_LAUNCH(hopper),
          by_tiles_on_hopper,
          "hopper_online, with one query tile per block instead of persistent blocks",
          {.only_where = in_place_at({"16", "32"}), .minimum_compute_capability = 90}},
         {"hopper_step_pingpong",
          ABLATE_LAUNCH(hopper),
          by_tiles_on_hopper.with({{"pingpong", "on"}}),
          "hopper_step_overlapped, with warpgroups that take turns: one multiplies while "
          "others compute their softmax",
          {.only_where = in_place_at({"64", "128"}),
           .minimum_compute_capability = 90,
           .takes = {{"persistent", {"on"}}}}},
         {"hopper_step_fixed_max",
          ABLATE_LAUNCH(hopper),
          on_hopper.with({{"softmax", "fixed_max"}}),
          "hopper_online, subtracting the maximum over the first 128 keys instead of a running one",
          {.only_where = in_place_at({"16", "32", "64"}),
           .minimum_compute_capability = 90,
           .takes = {{"sums", {"product"}}, {"persistent", {"off"}}}}},
         {"hopper_step_fixed_max_pingpong",
          ABLATE_LAUNCH(hopper),
          on_hopper.with({{"softmax", "fixed_max"}, {"pingpong", "on"}}),
          "hopper_step_pingpong+persistent, subtracting the maximum over the first 128 "
          "keys instead of a running one",
          {.only_where = in_place_at({"64", "128"}),
           .minimum_compute_capability = 90,
           .takes = {{"persistent", {"off"}}}}},
         {"hopper_step_software_exp2",
          ABLATE_LAUNCH(hopper),
          on_hopper.with({{"softmax", "fixed_max"}, {"exp2", "poly_2of16"}}),
          "hopper_step_fixed_max, with 2 of 16 exponentials by a polynomial",
          {.only_where = in_place_at({"16", "32", "64"}), .minimum_compute_capability = 90}},
         {"hopper_step_sums_by_product",
          ABLATE_LAUNCH(hopper),
          on_hopper.with({{"softmax", "fixed_max"}, {"exp2", "poly_2of16"}, {"sums", "product"}}),
          "hopper_step_software_exp2, with row sums by product; for heads of 16 or 32 this is "
          "hopper_fixed_max",
          {.only_where = in_place_at({"16", "32", "64"}), .minimum_compute_capability = 90}},
     }});

}  // namespace ablate::window_attention
