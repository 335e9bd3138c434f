// window_attention: dense attention inside windows, forward. Axes, inputs, check against plain
// fp32 attention on the device and fp64 on the host, and work model; one entry a variant.
#include "kernels/window_attention/window_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "harness/inputs/random.h"
#include "harness/registry/define.h"
#include "kernels/window_attention/scattered_rows.h"
#include "variants/attention_windows.h"

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

problem problem_at(const axis_values& at, const input_library& inputs) {
  problem p = windows_at(at, inputs.seed());
  p.layout = at.word("qkv") == "packed" ? qkv_layout::packed : qkv_layout::split;
  if (at.word("region") == "order_and_attend") p.first = phase::order;
  p.sample_count = std::min(samples_of_a_case, p.batches * p.tokens * p.heads);
  return p;
}

/// Rows that are sorted once for many layers are so before the region begins.
std::optional<problem> ahead(const problem& p) {
  if (p.rows != row_order::scattered || p.first == phase::order) return std::nullopt;
  problem before = p;
  before.first = before.last = phase::order;
  return before;
}

std::optional<problem> readback(const problem& p) {
  problem after = p;
  after.first = after.last = phase::read_back;
  return after;
}

enum place {
  q,
  k,
  v,
  scope,
  out,
  lse,
  samples,
  found,
  sampled_out,
  sampled_lse,
  reference,
  scratch,
  qkv,
  row_of_token,  // the first of buffers_of_index
  keys = row_of_token + buffers_of_index,
  moved,
  places
};

std::vector<buffer> buffers(const problem& p) {
  const auto elements = 2 * static_cast<std::size_t>(p.elements());
  const auto rows = static_cast<std::size_t>(p.batches * p.tokens * p.heads);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto input = buffer_role::input, output = buffer_role::output, device = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  const bool is_packed = p.layout == qkv_layout::packed;
  const std::size_t of_split = is_packed ? 0 : elements, of_packed = is_packed ? 3 * elements : 0;
  const std::size_t scattered = p.rows == row_order::scattered ? static_cast<std::size_t>(p.tokens) : 0;
  const auto index = index_buffers(p);
  return {{"q", of_split, device},
          {"k", of_split, device},
          {"v", of_split, device},
          {"scope", sizeof(std::uint32_t) * static_cast<std::size_t>(p.tokens / p.bucket), input},
          // Too large for the host: the check reads how far they are from plain attention, and samples.
          {"out", elements, device, poison},
          {"lse", 4 * rows, device, poison},
          {"samples", sizeof(sampled_row) * sampled, input},
          {"found", sizeof(deviations), output, poison},
          {"sampled_out", 4 * sampled * static_cast<std::size_t>(p.width), output, poison},
          {"sampled_lse", 4 * sampled, output, poison},
          {"reference", reference_bytes(p), buffer_role::reference, buffer_reset::zeros_once},
          {"scratch", scratch_bytes(p), device, poison},
          {"qkv", of_packed, device},
          index[0],
          index[1],
          index[2],
          index[3],
          {"keys", 8 * scattered, input},
          {"moved", moved_rows_bytes(p), device, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.q = static_cast<const std::uint16_t*>(addresses[q]);
  p.k = static_cast<const std::uint16_t*>(addresses[k]);
  p.v = static_cast<const std::uint16_t*>(addresses[v]);
  p.scope = static_cast<const std::uint32_t*>(addresses[scope]);
  p.out = static_cast<std::uint16_t*>(addresses[out]);
  p.lse = static_cast<float*>(addresses[lse]);
  p.samples = static_cast<const sampled_row*>(addresses[samples]);
  p.found = static_cast<deviations*>(addresses[found]);
  p.sampled_out = static_cast<float*>(addresses[sampled_out]);
  p.sampled_lse = static_cast<float*>(addresses[sampled_lse]);
  p.reference = addresses[reference];
  p.scratch = addresses[scratch];
  if (p.layout == qkv_layout::packed) {
    p.q = static_cast<const std::uint16_t*>(addresses[qkv]);
    const bool described = p.q == nullptr;
    p.k = described ? nullptr : p.q + p.heads * p.width;
    p.v = described ? nullptr : p.q + 2 * p.heads * p.width;
  }
  attach_index(p, addresses.subspan(row_of_token, buffers_of_index));
  if (p.rows == row_order::scattered) p.keys = static_cast<const std::uint64_t*>(addresses[keys]);
  p.moved = addresses[moved];
}

struct known_attention {
  std::vector<std::uint32_t> scope;
  std::vector<std::uint64_t> keys;  ///< of scattered rows alone, as `rows`
  scattered_rows rows{{}};
  window_locality locality;
  std::vector<sampled_row> samples;
  std::vector<exact_row> exact;
};

/// A row that what is planted reaches: of a tile that overflows; of the planted window, first its planted
/// query itself.
sampled_row reached_row(const problem& p, random_stream& random, bool is_first) {
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  token_place at{};
  if (p.inputs.what == planted::overflow) {
    do at = {below(p.batches), below(p.windows()), below(p.window), below(p.heads)};
    while (!p.inputs.overflows(at));
  } else {
    const std::int64_t window = p.inputs.planted_window();
    at = {window / p.windows(), window % p.windows(), below(p.window), below(p.heads)};
    if (is_first) at.token = p.inputs.planted_token(at.batch, at.window, at.head);
  }
  return {static_cast<std::int32_t>(at.batch), static_cast<std::int32_t>(row_of(p, at.window, at.token)),
          static_cast<std::int32_t>(at.head)};
}

/// Rows anywhere; where something is planted, every other one such that this reaches it.
std::vector<sampled_row> choose_samples(const problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  std::vector<sampled_row> rows;
  for (std::int64_t i = 0; i < p.sample_count; ++i)
    rows.push_back(p.inputs.what != planted::nothing && i % 2 == 0
                       ? reached_row(p, random, i == 0)
                       : sampled_row{below(p.batches), below(p.tokens), below(p.heads)});
  return rows;
}

/// Whether both are finite, or both NaN, or the same infinity.
bool are_alike(double seen, double exact) {
  if (std::isfinite(exact)) return std::isfinite(seen);
  return std::isnan(exact) ? std::isnan(seen) : seen == exact;
}

/// As deviation has it: of one row, against fp64; infinite where it is not of the same kind.
double error_of(std::span<const double> exact, const float* seen, double scale) {
  double squared = 0;
  for (std::size_t d = 0; d < exact.size(); ++d) {
    if (!are_alike(seen[d], exact[d])) return std::numeric_limits<double>::infinity();
    if (std::isfinite(exact[d])) squared += (seen[d] - exact[d]) * (seen[d] - exact[d]);
  }
  return squared == 0 ? 0 : std::sqrt(squared) / scale;
}

struct sampled_errors {
  double out, lse;
};

sampled_errors errors_of(const problem& p, const exact_row& exact, const float* out, const float* lse) {
  return {error_of(std::span(exact.out).first(static_cast<std::size_t>(p.width)), out, exact.scale),
          error_of({&exact.lse, 1}, lse, 1)};
}

struct read_outputs {
  const deviations& found;
  const float *sampled_out, *sampled_lse;

  explicit read_outputs(std::span<const std::byte* const> outputs)
      : found(*reinterpret_cast<const deviations*>(outputs[place::found])),
        sampled_out(reinterpret_cast<const float*>(outputs[place::sampled_out])),
        sampled_lse(reinterpret_cast<const float*>(outputs[place::sampled_lse])) {}

  sampled_errors sampled(const problem& p, const known_attention& known, std::size_t i) const {
    return errors_of(p, known.exact[i], sampled_out + i * static_cast<std::size_t>(p.width), sampled_lse + i);
  }
};

std::int64_t rows_of_heads(const problem& p) { return p.batches * p.tokens * p.heads; }

check_result check(const problem& p, const known_attention& known, const read_outputs& seen) {
  const std::int64_t rows = rows_of_heads(p);
  if (const auto fault = fault_of("O", seen.found.out, rows, accepted_row_error))
    return {false, *fault, seen.found.out.worst.error, accepted_row_error};
  if (const auto fault = fault_of("log-sum-exp", seen.found.lse, rows, accepted_lse_error))
    return {false, *fault, seen.found.lse.worst.error, accepted_lse_error};
  for (std::size_t i = 0; i < known.samples.size(); ++i) {
    const auto [out, lse] = seen.sampled(p, known, i);
    const auto fault = [&](const char* tensor, double error, double accepted) -> check_result {
      const sampled_row& at = known.samples[i];
      return {
          false,
          fmt::format("{}, batch {}, row {}, head {}: off by {:.1e} against fp64, expected at most {:.1e}",
                      tensor, at.batch, at.row, at.head, error, accepted),
          error, accepted};
    };
    if (!(out <= accepted_row_error)) return fault("O", out, accepted_row_error);
    if (!(lse <= accepted_lse_error)) return fault("log-sum-exp", lse, accepted_lse_error);
  }
  return {true, "", seen.found.out.worst.error, accepted_row_error};
}

nlohmann::ordered_json quality(const problem& p, const known_attention& known, const read_outputs& seen) {
  nlohmann::ordered_json figures;
  add_errors(figures, "out", seen.found.out, accepted_row_error);
  add_errors(figures, "lse", seen.found.lse, accepted_lse_error);
  double sampled = 0;
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    sampled = std::max(sampled, seen.sampled(p, known, i).out);
  figures["out_error_sampled"] = sampled;
  add_locality(figures, known.locality);
  return figures;
}

// Compulsory: Q, K and V read, O and the log-sum-exp written, the scope; two products of the window's size a
// row.
work_model work(const problem& p) {
  const auto elements = static_cast<double>(p.elements());
  return {.bytes = 8 * elements + 4 * elements / p.width + 4.0 * static_cast<double>(p.tokens / p.bucket),
          .written_bytes = 2 * elements + 4 * elements / p.width,
          .flops = 4 * elements * static_cast<double>(p.window),
          .flop_pipe = "tensor_bf16"};
}

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_attention>();
  known->scope = scope_of(at, inputs.seed());
  problem on_host = p;
  on_host.scope = known->scope.data();
  if (p.rows == row_order::scattered) {
    const point_cloud cloud = cloud_of_rows(at, inputs);
    known->keys = keys_along_curve(cloud.xyz);
    known->rows = scattered_rows(known->keys);
    known->locality = locality_of(cloud.xyz, known->rows.row_of_token, p.window);
    on_host.narrow = {known->rows.narrow_row_of_token.data(), known->rows.narrow_token_of_row.data()};
  }
  known->samples = choose_samples(on_host, inputs.seed());
  for (const sampled_row& row : known->samples) known->exact.push_back(reference_row(on_host, row));

  workload w;
  w.contents.resize(places);
  w.contents[scope] = std::as_bytes(std::span(known->scope));
  w.contents[samples] = std::as_bytes(std::span(known->samples));
  std::ranges::copy(index_contents(known->rows), w.contents.begin() + row_of_token);
  w.contents[keys] = std::as_bytes(std::span(known->keys));
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(p, *known, read_outputs(outputs));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality(p, *known, read_outputs(outputs));
  };
  // On the host only the sampled rows are computed; whoever looks at the whole takes a GPU.
  w.reference = [p, known](std::span<void* const> host) {
    const deviation none = no_deviation(rows_of_heads(p));
    *static_cast<deviations*>(host[place::found]) = {none, none};
    for (std::size_t i = 0; i < known->exact.size(); ++i) {
      for (int d = 0; d < p.width; ++d)
        static_cast<float*>(
            host[place::sampled_out])[i * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(d)] =
            static_cast<float>(known->exact[i].out[static_cast<std::size_t>(d)]);
      static_cast<float*>(host[place::sampled_lse])[i] = static_cast<float>(known->exact[i].lse);
    }
  };
  w.work = work(p);
  const auto where = w.contents[p.rows == row_order::scattered ? keys : scope];
  w.input = {{"hash", hash_hex(where.data(), where.size())},
             {"tokens", p.tokens},
             {"windows", p.windows()},
             {"elements", p.elements()},
             {"score_spread", p.inputs.score_spread}};
  w.storage = known;
  return w;
}

/// Variants that find rows through the scope table: they take packed Q, K and V where they read them by
/// strides.
const axis_conditions in_place = {{"rows", {"buckets", "contiguous"}}};
const axis_conditions in_place_and_split = {{"rows", {"buckets", "contiguous"}}, {"qkv", {"split"}}};
/// Scores of 100 and more show how scaled queries were rounded to bf16.
const axis_conditions as_published = {
    {"rows", {"buckets", "contiguous"}},
    {"scores", {"unit", "zero", "nan_key", "inf_key", "nan_query", "inf_query", "nan_value", "inf_value"}}};
const axis_conditions of_scattered_rows = {{"rows", {"random", "scan", "z"}}, {"region", {"attend"}}};

/// A step on the way to hopper_first_tile, at the widths that have it.
axis_conditions in_place_at(std::vector<std::string> widths) {
  axis_conditions conditions = in_place;
  conditions.emplace_back("width", std::move(widths));
  return conditions;
}

/// hopper_online. groups: of 64 queries, all: 4 at 16 and 32 elements a head, 3 at 64, 2 at 128. stages, of
/// 128 keys and values, all: 4, 4, 3, 2. Both by_window: all, but at 64 in windows of less than 2048 two
/// groups and five stages. overlap, the next scores' product with this softmax, and turns, the groups'
/// products one after the other, wide: at 64 and 128; turns, long: at 64 in windows of 2048 and more, and at
/// 128. persistent: blocks take query tiles in turn, and the next queries are copied ahead. exp2, where
/// powers of 2 are computed, 2_of_16: so many in software; sums, of the probabilities of a row, by threads or
/// by a product with ones; ending in _narrow: at 16 and 32 alone.
const switches on_hopper = {{"core", "hopper"}, {"rows", "redirected"}, {"softmax", "online"},
                            {"groups", "all"},  {"stages", "all"},      {"overlap", "wide"},
                            {"turns", "no"},    {"persistent", "yes"},  {"exp2", "hardware"},
                            {"sums", "threads"}};
const switches bounded_on_hopper = on_hopper.with({{"softmax", "bounded"}, {"exp2", "4_of_16_narrow"}});
const switches first_tile_on_hopper = on_hopper.with({{"softmax", "first_tile"},
                                                      {"groups", "by_window"},
                                                      {"stages", "by_window"},
                                                      {"turns", "wide"},
                                                      {"exp2", "2_of_16_narrow"},
                                                      {"sums", "product_narrow"}});
/// What the steps before persistent blocks have in common.
const switches by_tiles_on_hopper = on_hopper.with({{"persistent", "no"}});
const switches waiting_on_hopper = by_tiles_on_hopper.with({{"overlap", "no"}});

}  // namespace

const bool defined = define<problem>(
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
              {"unit", "zero", "large", "overflow_0.1pct", "overflow_10pct", "overflow_all", "nan_key",
               "inf_key", "nan_query", "inf_query", "nan_value", "inf_value", "huge_values"},
              "Q and K: standard deviation 1; zeros; 5, scores of 100 and more; 1, with a late key in each "
              "window whose scores with that share of the tiles of 256 queries overflow what fixed-maximum "
              "softmax subtracts; 1, with NaN or +inf in one key, query or value of each head of one window, "
              "or with one value of 1e38 whose key weighs much")}),
     .baseline = "hopper_online",
     .problem = problem_at,
     .buffers = buffers,
     .attach = attach,
     .prepare = prepare,
     .refuses = makes_no_case,
     .ahead = ahead,
     .keeps_ahead = true,
     .readback = readback,
     .fill = ABLATE_LAUNCH(make_inputs),
     .variants = {
         {"hopper_online",
          ABLATE_LAUNCH(hopper_online),
          on_hopper,
          "T3: copies by the tensor memory accelerator, warpgroup products, warp specialization; the running "
          "maximum is subtracted",
          {.only_where = in_place, .minimum_compute_capability = 90}},
         {"hopper_bounded",
          ABLATE_LAUNCH(hopper_bounded),
          bounded_on_hopper,
          "T3; nothing is subtracted where the norms of queries and keys bound the scores, of 16 "
          "exponentials 4 by a polynomial at 16 and 32 elements a head",
          {.only_where = in_place_and_split, .minimum_compute_capability = 90}},
         {"hopper_first_tile",
          ABLATE_LAUNCH(hopper_first_tile),
          first_tile_on_hopper,
          "T3; the maximum over the first 128 keys is subtracted throughout, query tiles that overflow are "
          "done again; of 16 exponentials 2 by a polynomial and row sums by the product at 16 and 32 "
          "elements a head",
          {.only_where = in_place, .minimum_compute_capability = 90}},
         {"hopper_warp_first_tile",
          ABLATE_LAUNCH(hopper_warp_first_tile),
          {{"core", "hopper_warp"}, {"rows", "redirected"}, {"softmax", "first_tile"}},
          "T3 with warp-wide products (mma.sync) of 32 queries and 32 keys (16 at 32 elements a head), warps "
          "on their own; the maximum over those first keys, of 16 exponentials 3 (2) by a polynomial, row "
          "sums by the product",
          {.only_where = {{"rows", {"buckets", "contiguous"}}, {"width", {"16", "32"}}},
           .minimum_compute_capability = 90}},
         {"mma_online",
          ABLATE_LAUNCH(mma_online),
          {{"core", "mma"},
           {"rows", "redirected"},
           {"softmax", "online"},
           {"stages", "2"},
           {"division", "at_end"},
           {"exponential", "exp2"}},
          "T2: warp-wide products (mma.sync), 32 queries a warp; the next tile's keys and values are copied "
          "during this one's products",
          {.only_where = in_place}},
         {"mma_bounded",
          ABLATE_LAUNCH(mma_bounded),
          {{"core", "mma"},
           {"rows", "redirected"},
           {"softmax", "bounded"},
           {"stages", "2"},
           {"division", "at_end"},
           {"exponential", "exp2"}},
          "T2; nothing is subtracted where the norms of queries and keys bound the scores, of 16 "
          "exponentials 4 by a polynomial at 16 and 32 elements a head",
          {.only_where = in_place_and_split}},
         {"mma_online_one_stage",
          ABLATE_LAUNCH(mma_online_one_stage),
          {{"core", "mma"},
           {"rows", "redirected"},
           {"softmax", "online"},
           {"stages", "1"},
           {"division", "at_end"},
           {"exponential", "exp2"}},
          "T1: mma_online with one buffer: each tile's keys and values are waited for before its products",
          {.only_where = in_place}},
         {"mma_contiguous",
          ABLATE_LAUNCH(mma_contiguous),
          {{"core", "mma"},
           {"rows", "computed"},
           {"softmax", "online"},
           {"stages", "2"},
           {"division", "at_end"},
           {"exponential", "exp2"}},
          "A0 of T2: mma_online without a table, rows computed",
          {.only_where = {{"rows", {"contiguous"}}}, .without = {"scope"}}},
         {"mma_eager",
          ABLATE_LAUNCH(mma_eager),
          {{"core", "mma"},
           {"rows", "redirected"},
           {"softmax", "online"},
           {"stages", "2"},
           {"division", "each_tile"},
           {"exponential", "exp2"}},
          "mma_online; probabilities and outputs are divided by the row's running sum with each tile of 64 "
          "keys (32 at 128 elements a head)",
          {.only_where = in_place}},
         {"mma_natural_exp",
          ABLATE_LAUNCH(mma_natural_exp),
          {{"core", "mma"},
           {"rows", "redirected"},
           {"softmax", "online"},
           {"stages", "2"},
           {"division", "at_end"},
           {"exponential", "__expf"}},
          "mma_online; powers of e by __expf, one multiplication by log2(e) more a score; expf, which "
          "mma_published takes, also reduces its argument",
          {.only_where = in_place}},
         {"mma_first_tile",
          ABLATE_LAUNCH(mma_first_tile),
          {{"core", "mma"},
           {"rows", "redirected"},
           {"softmax", "first_tile"},
           {"stages", "2"},
           {"division", "at_end"},
           {"exponential", "exp2"}},
          "T2; the maximum over the first 64 keys (32 at 128 elements a head) is subtracted throughout, "
          "query tiles that overflow are done again",
          {.only_where = in_place}},
         {"mma_published",
          ABLATE_LAUNCH(mma_published),
          {{"core", "mma_published"},
           {"rows", "redirected"},
           {"softmax", "online"},
           {"stages", "1"},
           {"scale", "queries_bf16"},
           {"division", "each_step"},
           {"exponential", "expf"},
           {"smem_request", "max"},
           {"grid", "windows"}},
          "T0: the published shape, a block takes its window's queries one block after the other and passes "
          "all keys by each; division at each step of 16 keys; rounding the scaled queries to bf16 moves "
          "scores of 100 by more than the check accepts",
          {.only_where = as_published}},
         {"mma_published_deferred",
          ABLATE_LAUNCH(mma_published),
          {{"core", "mma_published"},
           {"rows", "redirected"},
           {"softmax", "online"},
           {"stages", "1"},
           {"scale", "queries_bf16"},
           {"division", "at_end"},
           {"exponential", "expf"},
           {"smem_request", "max"},
           {"grid", "windows"}},
          "T0; one division at the end",
          {.only_where = as_published}},
         {"mma_published_exp2",
          ABLATE_LAUNCH(mma_published),
          {{"core", "mma_published"},
           {"rows", "redirected"},
           {"softmax", "online"},
           {"stages", "1"},
           {"scale", "exponent_fp32"},
           {"division", "at_end"},
           {"exponential", "exp2"},
           {"smem_request", "max"},
           {"grid", "windows"}},
          "T0 deferred; powers of 2, the scale times log2(e) folded into their argument",
          {.only_where = in_place}},
         {"mma_published_needed",
          ABLATE_LAUNCH(mma_published),
          {{"core", "mma_published"},
           {"rows", "redirected"},
           {"softmax", "online"},
           {"stages", "1"},
           {"scale", "exponent_fp32"},
           {"division", "at_end"},
           {"exponential", "exp2"},
           {"smem_request", "needed"},
           {"grid", "windows"}},
          "T0 exp2; asks for the shared memory that it uses, so that blocks share a multiprocessor",
          {.only_where = in_place}},
         {"mma_published_grid",
          ABLATE_LAUNCH(mma_published),
          {{"core", "mma_published"},
           {"rows", "redirected"},
           {"softmax", "online"},
           {"stages", "1"},
           {"scale", "exponent_fp32"},
           {"division", "at_end"},
           {"exponential", "exp2"},
           {"smem_request", "needed"},
           {"grid", "query_blocks"}},
          "T0 needed, the same kernel; a block of queries a block of the grid",
          {.only_where = in_place}},
         {"hopper_contiguous",
          ABLATE_LAUNCH(hopper_contiguous),
          on_hopper.with({{"rows", "computed"}}),
          "A0: hopper_online without a table, rows computed; the floor of all ways to find rows",
          {.only_where = {{"rows", {"contiguous"}}}, .minimum_compute_capability = 90, .without = {"scope"}}},
         {"hopper_split",
          ABLATE_LAUNCH(hopper_split),
          on_hopper.with({{"copies", "split"}}),
          "A5: packed Q, K and V copied into three tensors, then hopper_online, which can also read them in "
          "place",
          {.only_where = {{"rows", {"buckets", "contiguous"}}, {"qkv", {"packed"}}},
           .minimum_compute_capability = 90}},
         {"hopper_gathered",
          ABLATE_LAUNCH(hopper_gathered),
          on_hopper.with(
              {{"rows", "computed"}, {"copies", "gathered"}, {"index", "int64"}, {"vector", "2B"}}),
          "A2: as PTv3 does it: rows gathered into the windows' order, an element a thread, a launch a "
          "tensor; outputs gathered back through the inverse",
          {.only_where = of_scattered_rows, .minimum_compute_capability = 90}},
         {"hopper_gathered_vectorized",
          ABLATE_LAUNCH(hopper_gathered_vectorized),
          on_hopper.with(
              {{"rows", "computed"}, {"copies", "gathered"}, {"index", "int32"}, {"vector", "16B"}}),
          "A3: hopper_gathered by 16-byte vectors, one launch before the core and one behind it",
          {.only_where = of_scattered_rows, .minimum_compute_capability = 90}},
         {"hopper_indexed",
          ABLATE_LAUNCH(hopper_indexed),
          on_hopper.with({{"rows", "indexed"}, {"index", "int32"}}),
          "A4: the core's own loads follow the index, 16 bytes a thread by cp.async, and its stores too; "
          "nothing is gathered",
          {.only_where = of_scattered_rows, .minimum_compute_capability = 90}},
         {"hopper_sorted",
          ABLATE_LAUNCH(hopper_sorted),
          on_hopper.with({{"copies", "sorted"}}),
          "A6: rows sorted once along the curve, then hopper_online on sorted rows; outputs stay sorted",
          {.only_where = {{"rows", {"random", "scan", "z"}}}, .minimum_compute_capability = 90}},
         {"hopper_first_tile_contiguous",
          ABLATE_LAUNCH(hopper_first_tile_contiguous),
          first_tile_on_hopper.with({{"rows", "computed"}}),
          "A0: hopper_first_tile without a table, rows computed",
          {.only_where = {{"rows", {"contiguous"}}}, .minimum_compute_capability = 90, .without = {"scope"}}},
         {"hopper_warp_contiguous",
          ABLATE_LAUNCH(hopper_warp_contiguous),
          {{"core", "hopper_warp"}, {"rows", "computed"}, {"softmax", "first_tile"}},
          "A0: hopper_warp_first_tile without a table, rows computed",
          {.only_where = {{"rows", {"contiguous"}}, {"width", {"16", "32"}}},
           .minimum_compute_capability = 90,
           .without = {"scope"}}},
         {"hopper_first_tile_gathered",
          ABLATE_LAUNCH(hopper_first_tile_gathered),
          first_tile_on_hopper.with(
              {{"rows", "computed"}, {"copies", "gathered"}, {"index", "int32"}, {"vector", "16B"}}),
          "A3: hopper_gathered_vectorized around the core of hopper_first_tile",
          {.only_where = of_scattered_rows, .minimum_compute_capability = 90}},
         {"hopper_first_tile_indexed",
          ABLATE_LAUNCH(hopper_first_tile_indexed),
          first_tile_on_hopper.with({{"rows", "indexed"},
                                     {"groups", "all"},
                                     {"stages", "all"},
                                     {"turns", "long"},
                                     {"index", "int32"}}),
          "A4: hopper_indexed with the softmax of hopper_first_tile",
          {.only_where = of_scattered_rows, .minimum_compute_capability = 90}},
         {"hopper_step_one_group",
          ABLATE_LAUNCH(hopper_step_one_group),
          waiting_on_hopper.with({{"groups", "one"}, {"stages", "one"}}),
          "F0: a producer, one warpgroup of 64 queries and one stage of 128 keys; every product is waited "
          "for, a block a query tile",
          {.only_where = in_place_at({"64"}), .minimum_compute_capability = 90}},
         {"hopper_step_ring",
          ABLATE_LAUNCH(hopper_step_ring),
          waiting_on_hopper.with({{"groups", "one"}}),
          "F1: F0 with all stages, so that copies run ahead",
          {.only_where = in_place_at({"64", "128"}), .minimum_compute_capability = 90}},
         {"hopper_step_two_groups",
          ABLATE_LAUNCH(hopper_step_two_groups),
          waiting_on_hopper.with({{"groups", "two"}}),
          "F1: the ring with two warpgroups, 128 queries a block",
          {.only_where = in_place_at({"64"}), .minimum_compute_capability = 90}},
         {"hopper_step_all_groups",
          ABLATE_LAUNCH(hopper_step_all_groups),
          waiting_on_hopper,
          "F2: three warpgroups, at 128 elements a head two",
          {.only_where = in_place_at({"64", "128"}), .minimum_compute_capability = 90}},
         {"hopper_step_overlapped",
          ABLATE_LAUNCH(hopper_step_one_tile_a_block),
          by_tiles_on_hopper,
          "F3: products of the next scores issued before the softmax of these",
          {.only_where = in_place_at({"64", "128"}), .minimum_compute_capability = 90}},
         {"hopper_step_one_tile_a_block",
          ABLATE_LAUNCH(hopper_step_one_tile_a_block),
          by_tiles_on_hopper,
          "F2 at 16 and 32 elements a head, four warpgroups: hopper_online with a block a query tile",
          {.only_where = in_place_at({"16", "32"}), .minimum_compute_capability = 90}},
         {"hopper_step_turns",
          ABLATE_LAUNCH(hopper_step_turns),
          by_tiles_on_hopper.with({{"turns", "yes"}}),
          "F4: F3 with warpgroups that take turns, one multiplies while others are in their softmax",
          {.only_where = in_place_at({"64", "128"}), .minimum_compute_capability = 90}},
         {"hopper_step_turns_persistent",
          ABLATE_LAUNCH(hopper_step_turns),
          on_hopper.with({{"turns", "yes"}}),
          "F5: F4 with persistent blocks; hopper_online with turns",
          {.only_where = in_place_at({"64", "128"}), .minimum_compute_capability = 90}},
         {"hopper_step_first_tile",
          ABLATE_LAUNCH(hopper_step_first_tile),
          on_hopper.with({{"softmax", "first_tile"}}),
          "F6: hopper_online without a running maximum, otherwise the same",
          {.only_where = in_place_at({"16", "32", "64"}), .minimum_compute_capability = 90}},
         {"hopper_step_first_tile_turns",
          ABLATE_LAUNCH(hopper_step_first_tile),
          on_hopper.with({{"softmax", "first_tile"}, {"turns", "yes"}}),
          "F6: F5 without a running maximum",
          {.only_where = in_place_at({"64", "128"}), .minimum_compute_capability = 90}},
         {"hopper_step_software_exp2",
          ABLATE_LAUNCH(hopper_step_software_exp2),
          on_hopper.with({{"softmax", "first_tile"}, {"exp2", "2_of_16"}}),
          "F7: hopper_step_first_tile with 2 of 16 exponentials by a polynomial",
          {.only_where = in_place_at({"16", "32", "64"}), .minimum_compute_capability = 90}},
         {"hopper_step_sums_by_product",
          ABLATE_LAUNCH(hopper_step_sums_by_product),
          on_hopper.with({{"softmax", "first_tile"}, {"exp2", "2_of_16"}, {"sums", "product"}}),
          "F7: hopper_step_software_exp2 with row sums by the product; at 16 and 32 elements a head "
          "hopper_first_tile",
          {.only_where = in_place_at({"16", "32", "64"}), .minimum_compute_capability = 90}},
     }});

}  // namespace ablate::window_attention
