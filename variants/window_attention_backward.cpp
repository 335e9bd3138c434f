// window_attention_backward: the gradients of dense attention inside windows of buckets. Axes, inputs, check
// against plain fp32 gradients on the device and fp64 on the host, and work model; one entry a variant.
#include "kernels/window_attention_backward/window_attention_backward.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "harness/registry/define.h"
#include "variants/attention_windows.h"

namespace ablate::window_attention_backward {
namespace {

using window_attention::row_order;
using window_attention::sampled_row;

constexpr std::int64_t samples_of_a_gradient = 16;
constexpr std::array gradients = {"dQ", "dK", "dV"};

problem problem_at(const axis_values& at, const input_library& inputs) {
  problem p;
  p.attention = window_attention::windows_at(at, inputs.seed());
  p.sample_count = samples_of_a_gradient;
  return p;
}

/// What the forward pass left in the order of the windows was put there before the region begins.
std::optional<problem> ahead(const problem& p) {
  if (p.attention.rows != row_order::scattered) return std::nullopt;
  problem before = p;
  before.first = before.last = phase::arrange;
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
  out_gradient,
  scope,
  out,
  lse,
  plain_delta,
  q_gradient,
  k_gradient,
  v_gradient,
  samples,
  found,
  sampled_gradients,
  reference,
  scratch,
  row_of_token,  // the first of buffers_of_index
  moved = row_of_token + window_attention::buffers_of_index,
  places
};

std::vector<buffer> buffers(const problem& p) {
  const window_attention::problem& a = p.attention;
  const auto elements = 2 * static_cast<std::size_t>(a.elements());
  const auto rows = 4 * static_cast<std::size_t>(a.batches * a.tokens * a.heads);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto input = buffer_role::input, output = buffer_role::output, device = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  const auto index = window_attention::index_buffers(a);
  return {{"q", elements, device},
          {"k", elements, device},
          {"v", elements, device},
          {"out_gradient", elements, device},
          {"scope", sizeof(std::uint32_t) * static_cast<std::size_t>(a.tokens / a.bucket), input},
          // Made by the plain forward pass, once.
          {"out", elements, device},
          {"lse", rows, device},
          {"plain_delta", rows, device},
          // Too large for the host: the check reads how far they are from plain gradients, and samples.
          {"q_gradient", elements, device, poison},
          {"k_gradient", elements, device, poison},
          {"v_gradient", elements, device, poison},
          {"samples", 2 * sizeof(sampled_row) * sampled, input},
          {"found", sizeof(deviations), output, poison},
          {"sampled_gradients", gradients.size() * 4 * sampled * static_cast<std::size_t>(a.width), output,
           poison},
          {"reference", reference_bytes(p), buffer_role::reference, buffer_reset::zeros_once},
          {"scratch", scratch_bytes(p), device, poison},
          index[0],
          index[1],
          index[2],
          index[3],
          {"moved", moved_rows_bytes(p), device, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  const auto elements = [&](place at) { return static_cast<std::uint16_t*>(addresses[at]); };
  p.attention.q = elements(q);
  p.attention.k = elements(k);
  p.attention.v = elements(v);
  p.attention.scope = static_cast<const std::uint32_t*>(addresses[scope]);
  p.attention.out = elements(out);
  p.attention.lse = static_cast<float*>(addresses[lse]);
  p.out_gradient = elements(out_gradient);
  p.plain_delta = static_cast<const float*>(addresses[plain_delta]);
  p.q_gradient = elements(q_gradient);
  p.k_gradient = elements(k_gradient);
  p.v_gradient = elements(v_gradient);
  p.samples = static_cast<const sampled_row*>(addresses[samples]);
  p.found = static_cast<deviations*>(addresses[found]);
  p.sampled_gradients = static_cast<float*>(addresses[sampled_gradients]);
  p.reference = addresses[reference];
  p.scratch = addresses[scratch];
  window_attention::attach_index(p.attention,
                                 addresses.subspan(row_of_token, window_attention::buffers_of_index));
  p.moved = addresses[moved];
}

struct known_gradients {
  std::vector<std::uint32_t> scope;
  window_attention::scattered_rows rows{{}};
  window_attention::window_locality locality;
  std::vector<sampled_row> samples;
  std::array<std::vector<double>, 3> exact;  ///< [sample_count][width]: of dQ, dK, dV
};

/// Any rows for dQ; for dK and dV, whose oracle needs a whole window, rows of one window and head.
void choose_samples(const problem& p, std::uint64_t seed, known_gradients& known) {
  const window_attention::problem& a = p.attention;
  random_stream random(seed, "sampled gradients");
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  for (std::int64_t i = 0; i < p.sample_count; ++i) {
    const sampled_row row = {below(a.batches), below(a.tokens), below(a.heads)};
    known.samples.push_back(row);
    const window_attention::window_place at = window_attention::place_of_row(a, row.row);
    const std::vector<double> exact =
        exact_query_gradient(values_of(a, row.batch, at.window, row.head), at.token);
    known.exact[0].insert(known.exact[0].end(), exact.begin(), exact.end());
  }
  const std::int32_t batch = below(a.batches), window = below(a.windows()), head = below(a.heads);
  std::vector<std::int64_t> tokens;
  for (std::int64_t i = 0; i < p.sample_count; ++i) {
    tokens.push_back(below(a.window));
    known.samples.push_back(
        {batch, static_cast<std::int32_t>(window_attention::row_of(a, window, tokens.back())), head});
  }
  key_gradients exact = exact_key_gradients(values_of(a, batch, window, head), tokens);
  known.exact[1] = std::move(exact.k);
  known.exact[2] = std::move(exact.v);
}

struct read_outputs {
  const deviations& found;
  const float* sampled;

  explicit read_outputs(std::span<const std::byte* const> outputs)
      : found(*reinterpret_cast<const deviations*>(outputs[place::found])),
        sampled(reinterpret_cast<const float*>(outputs[place::sampled_gradients])) {}

  /// Of the sampled rows together. Where they are zeros, as dQ and dK are where Q and K are, nothing may be
  /// off.
  double sampled_error(const known_gradients& known, std::size_t gradient) const {
    const std::vector<double>& exact = known.exact[gradient];
    const float* const seen = sampled + gradient * exact.size();
    double squared = 0, of = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      squared += (seen[i] - exact[i]) * (seen[i] - exact[i]);
      of += exact[i] * exact[i];
    }
    return squared == 0 ? 0 : std::sqrt(squared / of);
  }
};

std::int64_t rows_of_heads(const window_attention::problem& a) { return a.batches * a.tokens * a.heads; }

check_result check(const problem& p, const known_gradients& known, const read_outputs& seen) {
  double greatest = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const window_attention::deviation& found = seen.found.of[i];
    if (const auto fault =
            window_attention::fault_of(gradients[i], found, rows_of_heads(p.attention), accepted_row_error))
      return {false, *fault, found.worst.error, accepted_row_error};
    const double sampled = seen.sampled_error(known, i);
    if (!(sampled <= accepted_row_error))
      return {false,
              fmt::format("{}, {} sampled rows: relative error {:.2e} against fp64, expected at most {:.0e}",
                          gradients[i], p.sample_count, sampled, accepted_row_error),
              sampled, accepted_row_error};
    greatest = std::max<double>(greatest, found.worst.error);
  }
  return {true, "", greatest, accepted_row_error};
}

nlohmann::ordered_json quality(const known_gradients& known, const read_outputs& seen) {
  nlohmann::ordered_json figures;
  const char* const names[] = {"dq", "dk", "dv"};
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    window_attention::add_errors(figures, names[i], seen.found.of[i], accepted_row_error);
    figures[fmt::format("{}_error_sampled", names[i])] = seen.sampled_error(known, i);
  }
  window_attention::add_locality(figures, known.locality);
  return figures;
}

// Compulsory: Q, K, V, O, dO and the log-sum-exp read, three gradients written, the scope; five products of
// the window's size a row.
work_model work(const window_attention::problem& a) {
  const auto elements = static_cast<double>(a.elements());
  return {.bytes = 16 * elements + 4 * elements / a.width + 4.0 * static_cast<double>(a.tokens / a.bucket),
          .written_bytes = 6 * elements,
          .flops = 10 * elements * static_cast<double>(a.window),
          .flop_pipe = "tensor_bf16"};
}

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_gradients>();
  known->scope = window_attention::scope_of(at, inputs.seed());
  problem on_host = p;
  on_host.attention.scope = known->scope.data();
  if (p.attention.rows == row_order::scattered) {
    const point_cloud cloud = window_attention::cloud_of_rows(at, inputs);
    known->rows = window_attention::scattered_rows(window_attention::keys_along_curve(cloud.xyz));
    known->locality = window_attention::locality_of(cloud.xyz, known->rows.row_of_token, p.attention.window);
    on_host.attention.narrow = {known->rows.narrow_row_of_token.data(),
                                known->rows.narrow_token_of_row.data()};
  }
  choose_samples(on_host, inputs.seed(), *known);

  workload w;
  w.contents.resize(places);
  w.contents[scope] = std::as_bytes(std::span(known->scope));
  w.contents[samples] = std::as_bytes(std::span(known->samples));
  std::ranges::copy(window_attention::index_contents(known->rows), w.contents.begin() + row_of_token);
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(p, *known, read_outputs(outputs));
  };
  w.quality = [known](std::span<const std::byte* const> outputs) {
    return quality(*known, read_outputs(outputs));
  };
  // On the host only the sampled rows are computed; whoever looks at the whole takes a GPU.
  w.reference = [p, known](std::span<void* const> host) {
    auto* sampled = static_cast<float*>(host[place::sampled_gradients]);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      static_cast<deviations*>(host[place::found])->of[i] =
          window_attention::no_deviation(rows_of_heads(p.attention));
      sampled = std::transform(known->exact[i].begin(), known->exact[i].end(), sampled,
                               [](double x) { return static_cast<float>(x); });
    }
  };
  w.work = work(p.attention);
  const auto where = w.contents[p.attention.rows == row_order::scattered ? row_of_token : scope];
  w.input = {{"hash", hash_hex(where.data(), where.size())},
             {"tokens", p.attention.tokens},
             {"windows", p.attention.windows()},
             {"elements", p.attention.elements()},
             {"score_spread", p.attention.inputs.score_spread}};
  w.storage = known;
  return w;
}

const axis_conditions in_place = {{"rows", {"buckets", "contiguous"}}};
const axis_conditions of_contiguous_rows = {{"rows", {"contiguous"}}};
const axis_conditions of_scattered_rows = {{"rows", {"random", "scan", "z"}}};
/// Of windows whose parts of dQ have memory.
const axis_conditions in_place_and_short = [] {
  axis_conditions conditions = in_place;
  conditions.push_back({"window", {}});
  for (std::int64_t window = keys_of_a_part; window <= longest_window_in_parts; window += keys_of_a_part)
    conditions.back().second.push_back(std::to_string(window));
  return conditions;
}();

}  // namespace

const bool defined = define<problem>(
    {.name = "window_attention_backward",
     .description = "gradients of dense attention inside windows of rows, bf16",
     .axes = window_attention::window_axes_and(
         {axis::of_words("scores", {"unit", "zero"}, "Q and K: standard deviation 1; or zeros")}),
     .baseline = "mma_two_pass",
     .problem = problem_at,
     .buffers = buffers,
     .attach = attach,
     .prepare = prepare,
     .refuses = window_attention::refuses,
     .ahead = ahead,
     .keeps_ahead = true,
     .readback = readback,
     .fill = ABLATE_LAUNCH(make_inputs),
     .variants = {
         {"mma_two_pass",
          ABLATE_LAUNCH(mma_two_pass),
          {{"core", "mma"}, {"rows", "redirected"}, {"dq", "two_pass"}},
          "one kernel for dK and dV, one for dQ: seven products, no atomics, the same bits each time",
          {.only_where = in_place}},
         {"mma_atomic",
          ABLATE_LAUNCH(mma_atomic),
          {{"core", "mma"}, {"rows", "redirected"}, {"dq", "atomics"}},
          "one kernel: five products, dQ by reductions to fp32 sums",
          {.only_where = in_place}},
         {"mma_split",
          ABLATE_LAUNCH(mma_split),
          {{"core", "mma"}, {"rows", "redirected"}, {"dq", "split"}},
          "one kernel: five products, what each 128 keys add to dQ in a buffer of its own, added in their "
          "order: the same bits each time",
          {.only_where = in_place_and_short}},
         {"hopper_two_pass",
          ABLATE_LAUNCH(hopper_two_pass),
          {{"core", "hopper"}, {"rows", "redirected"}, {"dq", "two_pass"}},
          "two passes by warpgroup products: copies by the tensor memory accelerator, warp specialization",
          {.only_where = in_place, .minimum_compute_capability = 90}},
         {"hopper_bulk",
          ABLATE_LAUNCH(hopper_bulk),
          {{"core", "hopper"}, {"rows", "redirected"}, {"dq", "bulk"}},
          "one kernel by warpgroup products: five products, dQ by bulk copies that add to fp32 sums",
          {.only_where = in_place, .minimum_compute_capability = 90}},
         {"hopper_reduced",
          ABLATE_LAUNCH(hopper_reduced),
          {{"core", "hopper"}, {"rows", "redirected"}, {"dq", "reductions"}},
          "hopper_bulk with dQ by vector reductions out of registers",
          {.only_where = in_place, .minimum_compute_capability = 90}},
         {"hopper_split",
          ABLATE_LAUNCH(hopper_split),
          {{"core", "hopper"}, {"rows", "redirected"}, {"dq", "split"}},
          "hopper_bulk with what each 128 keys add to dQ in a buffer of its own, added in their order: the "
          "same bits each time",
          {.only_where = in_place_and_short, .minimum_compute_capability = 90}},
         {"mma_contiguous",
          ABLATE_LAUNCH(mma_contiguous),
          {{"core", "mma"}, {"rows", "computed"}, {"dq", "two_pass"}},
          "A0: mma_two_pass without a table, rows computed",
          {.only_where = of_contiguous_rows, .without = {"scope"}}},
         {"hopper_contiguous",
          ABLATE_LAUNCH(hopper_contiguous),
          {{"core", "hopper"}, {"rows", "computed"}, {"dq", "two_pass"}},
          "A0: hopper_two_pass without a table, rows computed; the floor of all ways to find rows",
          {.only_where = of_contiguous_rows, .minimum_compute_capability = 90, .without = {"scope"}}},
         {"hopper_bulk_contiguous",
          ABLATE_LAUNCH(hopper_contiguous),
          {{"core", "hopper"}, {"rows", "computed"}, {"dq", "bulk"}},
          "A0: hopper_bulk without a table, rows computed",
          {.only_where = of_contiguous_rows, .minimum_compute_capability = 90, .without = {"scope"}}},
         {"hopper_reduced_contiguous",
          ABLATE_LAUNCH(hopper_contiguous),
          {{"core", "hopper"}, {"rows", "computed"}, {"dq", "reductions"}},
          "A0: hopper_reduced without a table, rows computed",
          {.only_where = of_contiguous_rows, .minimum_compute_capability = 90, .without = {"scope"}}},
         {"hopper_gathered",
          ABLATE_LAUNCH(hopper_gathered),
          {{"core", "hopper"},
           {"rows", "computed"},
           {"dq", "two_pass"},
           {"copies", "gathered"},
           {"index", "int64"},
           {"vector", "2B"}},
          "A2: as PTv3 does it: Q, K, V and outputs as its forward pass gathered them, dO gathered into the "
          "windows' order, gradients gathered back through the inverse, an element a thread, a launch a "
          "tensor",
          {.only_where = of_scattered_rows, .minimum_compute_capability = 90}},
         {"hopper_gathered_vectorized",
          ABLATE_LAUNCH(hopper_gathered_vectorized),
          {{"core", "hopper"},
           {"rows", "computed"},
           {"dq", "two_pass"},
           {"copies", "gathered"},
           {"index", "int32"},
           {"vector", "16B"}},
          "A3: hopper_gathered by 16-byte vectors, one launch before the core and one behind it",
          {.only_where = of_scattered_rows, .minimum_compute_capability = 90}},
         {"hopper_reduced_gathered",
          ABLATE_LAUNCH(hopper_gathered_vectorized),
          {{"core", "hopper"},
           {"rows", "computed"},
           {"dq", "reductions"},
           {"copies", "gathered"},
           {"index", "int32"},
           {"vector", "16B"}},
          "A3: hopper_gathered_vectorized around the core of hopper_reduced",
          {.only_where = of_scattered_rows, .minimum_compute_capability = 90}},
         {"hopper_sorted",
          ABLATE_LAUNCH(hopper_sorted),
          {{"core", "hopper"}, {"rows", "redirected"}, {"dq", "two_pass"}, {"copies", "sorted"}},
          "A6: rows sorted once along the curve, before the forward pass, then hopper_two_pass on sorted "
          "rows; gradients stay sorted",
          {.only_where = of_scattered_rows, .minimum_compute_capability = 90}},
     }});

}  // namespace ablate::window_attention_backward
