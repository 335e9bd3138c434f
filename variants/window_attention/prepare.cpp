#include "variants/window_attention/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "harness/inputs/random.h"
#include "kernels/window_attention/scattered_rows.h"
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

/// Rows anywhere; if something is planted, every other one is a row that it reaches.
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

struct read_outputs {
  const deviations& found;
  const float *sampled_out, *sampled_lse;

  explicit read_outputs(std::span<const std::byte* const> outputs)
      : found(*reinterpret_cast<const deviations*>(outputs[place::found])),
        sampled_out(reinterpret_cast<const float*>(outputs[place::sampled_out])),
        sampled_lse(reinterpret_cast<const float*>(outputs[place::sampled_lse])) {}

  result_errors errors(const problem& p, const known_attention& known, std::size_t i) const {
    return errors_of(known.exact[i], p.width, sampled_out + i * static_cast<std::size_t>(p.width),
                     sampled_lse + i);
  }
};

std::int64_t rows_of_heads(const problem& p) { return p.batches * p.tokens * p.heads; }

check_result check(const problem& p, const known_attention& known, const read_outputs& seen) {
  if (const auto fault = fault_in(seen.found, rows_of_heads(p), systematic_error(p))) return *fault;
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    if (const auto fault = fault_of(known.samples[i], seen.errors(p, known, i))) return *fault;
  return {true, "", seen.found.out.worst.error, accepted_row_error};
}

nlohmann::ordered_json quality(const problem& p, const known_attention& known, const read_outputs& seen) {
  nlohmann::ordered_json figures;
  add_errors(figures, "out", seen.found.out, accepted_row_error, systematic_error(p));
  add_errors(figures, "lse", seen.found.lse, accepted_lse_error, systematic_error(p));
  double sampled = 0;
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    sampled = std::max(sampled, seen.errors(p, known, i).out);
  figures["out_error_sampled"] = sampled;
  add_locality(figures, known.locality);
  return figures;
}

// Compulsory: Q, K and V read, O and the log-sum-exp written, the scope; two products of the window's size
// per row.
work_model work(const problem& p) {
  const auto elements = static_cast<double>(p.elements());
  return {.bytes = 8 * elements + 4 * elements / p.width + 4.0 * static_cast<double>(p.tokens / p.bucket),
          .written_bytes = 2 * elements + 4 * elements / p.width,
          .flops = 4 * elements * static_cast<double>(p.window),
          .flop_pipe = "tensor_bf16"};
}

}  // namespace

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
  // On the host only the sampled rows are computed; checking all rows takes a GPU.
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

}  // namespace ablate::window_attention
