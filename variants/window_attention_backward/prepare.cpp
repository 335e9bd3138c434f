#include "variants/window_attention_backward/prepare.h"

#include <memory>

#include "oracles/window_attention/reference.h"
#include "oracles/window_attention_backward/reference.h"
#include "variants/row_errors.h"
#include "variants/window_attention_backward/buffers.h"
#include "variants/window_attention_backward/gradient_check.h"

namespace ablate::window_attention_backward {
namespace {

using window_attention::row_order;
using window_attention::sampled_row;

struct known_case {
  std::vector<std::uint32_t> scope;
  window_attention::scattered_rows rows{{}};
  window_attention::window_locality locality;
  known_gradients gradients;
};

/// Any rows for dQ; rows of one window and head for dK and dV, whose oracle needs a whole window.
void choose_samples(const checked_problem& p, std::uint64_t seed, known_gradients& known) {
  const window_attention::checked_problem a = generated_attention_of(p);
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

read_gradients read(const checked_problem& p, std::span<const std::byte* const> outputs) {
  const checked_problem seen = attached(p, buffers, outputs);
  return {seen.found, seen.sampled_gradients};
}

std::int64_t rows_of_heads(const window_attention::problem& a) { return a.batches * a.tokens * a.heads; }

// Compulsory: Q, K, V, O, dO and the log-sum-exp read, three gradients written, the scope; five products of
// the window's size per row.
work_model work(const window_attention::problem& a) {
  const auto elements = static_cast<double>(a.elements());
  return {.bytes = 16 * elements + 4 * elements / a.width + 4.0 * static_cast<double>(a.tokens / a.bucket),
          .written_bytes = 6 * elements,
          .flops = 10 * elements * static_cast<double>(a.window),
          .flop_pipe = "tensor_bf16",
          .exponentials = elements / a.width * static_cast<double>(a.window)};
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_case>();
  known->scope = window_attention::scope_of(at, inputs.seed());
  checked_problem on_host = p;
  on_host.attention.scope = known->scope.data();
  if (p.attention.rows == row_order::scattered) {
    const point_cloud cloud = window_attention::cloud_of_rows(at, inputs);
    known->rows = window_attention::scattered_rows(window_attention::keys_along_curve(cloud.xyz));
    known->locality = window_attention::locality_of(cloud.xyz, known->rows.row_of_token, p.attention.window);
    on_host.attention.narrow = {known->rows.narrow_row_of_token.data(),
                                known->rows.narrow_token_of_row.data()};
  }
  choose_samples(on_host, inputs.seed(), known->gradients);
  known->gradients.systematic = window_attention::systematic_error(p.attention, p.inputs);

  workload w;
  const auto scope = std::as_bytes(std::span(known->scope)),
             row_of_token = std::as_bytes(std::span(known->rows.row_of_token));
  w.contents =
      contents_of(p, buffers,
                  {{"scope", scope},
                   {"samples", std::as_bytes(std::span(known->gradients.samples))},
                   {"row_of_token", row_of_token},
                   {"token_of_row", std::as_bytes(std::span(known->rows.token_of_row))},
                   {"narrow_row_of_token", std::as_bytes(std::span(known->rows.narrow_row_of_token))},
                   {"narrow_token_of_row", std::as_bytes(std::span(known->rows.narrow_token_of_row))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check_gradients(rows_of_heads(p.attention), known->gradients, read(p, outputs));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    nlohmann::ordered_json figures = quality_of_gradients(known->gradients, read(p, outputs));
    window_attention::add_locality(figures, known->locality);
    return figures;
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    const checked_problem host = attached(p, buffers, addresses);
    solve_gradients(rows_of_heads(p.attention), known->gradients, host.found, host.sampled_gradients);
  };
  w.work = work(p.attention);
  const auto where = p.attention.rows == row_order::scattered ? row_of_token : scope;
  w.input = {{"hash", hash_hex(where.data(), where.size())},
             {"tokens", p.attention.tokens},
             {"windows", p.attention.windows()},
             {"elements", p.attention.elements()},
             {"score_spread", p.inputs.score_spread}};
  w.storage = known;
  return w;
}

}  // namespace ablate::window_attention_backward
