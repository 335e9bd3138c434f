#include "variants/window_attention/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "harness/inputs/random.h"
#include "oracles/window_attention/reference.h"
#include "oracles/window_attention/scattered_rows.h"
#include "variants/attention_windows.h"
#include "variants/row_errors.h"
#include "variants/window_attention/buffers.h"

namespace ablate::window_attention {
namespace {

struct known_attention {
  std::vector<std::uint32_t> scope;
  std::vector<std::uint64_t> keys;  ///< only for scattered rows, as is `rows`
  scattered_rows rows{{}};
  window_locality locality;
  std::vector<sampled_row> samples;
  std::vector<exact_row> exact;
};

/// A row that the planted values reach: one of a tile that overflows; or one of the planted window, the first
/// time its planted query itself.
sampled_row reached_row(const checked_problem& p, random_stream& random, bool is_first) {
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

/// Rows anywhere; if something is planted, every other one is a row that it reaches.
std::vector<sampled_row> choose_samples(const checked_problem& p, std::uint64_t seed) {
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

/// Of a sampled row.
result_errors errors_of_sample(const checked_problem& seen, const known_attention& known, std::size_t i) {
  return errors_of(known.exact[i], seen.width, seen.sampled_out + i * static_cast<std::size_t>(seen.width),
                   seen.sampled_lse + i);
}

std::int64_t rows_of_heads(const checked_problem& p) { return p.batches * p.tokens * p.heads; }

check_result check(const checked_problem& seen, const known_attention& known) {
  if (const auto fault = fault_in(*seen.found, rows_of_heads(seen), systematic_error(seen, seen.inputs)))
    return *fault;
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    if (const auto fault = fault_of(known.samples[i], errors_of_sample(seen, known, i))) return *fault;
  return {true, "", seen.found->out.worst.error, accepted_row_error};
}

nlohmann::ordered_json quality(const checked_problem& seen, const known_attention& known) {
  nlohmann::ordered_json figures;
  add_errors(figures, "out", seen.found->out, accepted_row_error, systematic_error(seen, seen.inputs));
  add_errors(figures, "lse", seen.found->lse, accepted_lse_error, systematic_error(seen, seen.inputs));
  double sampled = 0;
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    sampled = std::max(sampled, errors_of_sample(seen, known, i).out);
  figures["out_error_sampled"] = sampled;
  add_locality(figures, known.locality);
  return figures;
}

// Compulsory: Q, K and V read, O and the log-sum-exp written, the scope; two products of the window's size
// per row.
work_model work(const checked_problem& p) {
  const auto elements = static_cast<double>(p.elements());
  return {.bytes = 8 * elements + 4 * elements / p.width + 4.0 * static_cast<double>(p.tokens / p.bucket),
          .written_bytes = 2 * elements + 4 * elements / p.width,
          .flops = 4 * elements * static_cast<double>(p.window),
          .flop_pipe = "tensor_bf16",
          .exponentials = elements / p.width * static_cast<double>(p.window)};
}

/// On the host only the sampled rows are computed; checking all rows takes a GPU.
void solve(const checked_problem& host, const known_attention& known) {
  const deviation none = no_deviation(rows_of_heads(host));
  *host.found = {none, none};
  for (std::size_t i = 0; i < known.exact.size(); ++i) {
    const auto width = static_cast<std::size_t>(host.width);
    for (std::size_t d = 0; d < width; ++d)
      host.sampled_out[i * width + d] = static_cast<float>(known.exact[i].out[d]);
    host.sampled_lse[i] = static_cast<float>(known.exact[i].lse);
  }
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_attention>();
  known->scope = scope_of(at, inputs.seed());
  checked_problem on_host = p;
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
  const auto scope = std::as_bytes(std::span(known->scope)), keys = std::as_bytes(std::span(known->keys));
  w.contents =
      contents_of(p, buffers,
                  {{"scope", scope},
                   {"samples", std::as_bytes(std::span(known->samples))},
                   {"row_of_token", std::as_bytes(std::span(known->rows.row_of_token))},
                   {"token_of_row", std::as_bytes(std::span(known->rows.token_of_row))},
                   {"narrow_row_of_token", std::as_bytes(std::span(known->rows.narrow_row_of_token))},
                   {"narrow_token_of_row", std::as_bytes(std::span(known->rows.narrow_token_of_row))},
                   {"keys", keys}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(attached(p, buffers, outputs), *known);
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality(attached(p, buffers, outputs), *known);
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    solve(attached(p, buffers, addresses), *known);
  };
  w.work = work(p);
  const auto where = p.rows == row_order::scattered ? keys : scope;
  w.input = {{"hash", hash_hex(where.data(), where.size())},
             {"tokens", p.tokens},
             {"windows", p.windows()},
             {"elements", p.elements()},
             {"score_spread", p.inputs.score_spread}};
  w.storage = known;
  return w;
}

}  // namespace ablate::window_attention
