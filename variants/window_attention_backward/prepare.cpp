#include "variants/window_attention_backward/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "variants/window_attention_backward/buffers.h"

namespace ablate::window_attention_backward {
namespace {

using window_attention::row_order;
using window_attention::sampled_row;

struct known_gradients {
  std::vector<std::uint32_t> scope;
  window_attention::scattered_rows rows{{}};
  window_attention::window_locality locality;
  std::vector<sampled_row> samples;
  std::array<std::vector<double>, 3> exact;  ///< [sample_count][width]: of dQ, dK, dV
};

/// Any rows for dQ; rows of one window and head for dK and dV, whose oracle needs a whole window.
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

  /// Error over all sampled rows. If they are zeros, as dQ and dK are when Q and K are, no error is allowed.
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
// the window's size per row.
work_model work(const window_attention::problem& a) {
  const auto elements = static_cast<double>(a.elements());
  return {.bytes = 16 * elements + 4 * elements / a.width + 4.0 * static_cast<double>(a.tokens / a.bucket),
          .written_bytes = 6 * elements,
          .flops = 10 * elements * static_cast<double>(a.window),
          .flop_pipe = "tensor_bf16"};
}

}  // namespace

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
  // On the host only the sampled rows are computed; checking all rows takes a GPU.
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

}  // namespace ablate::window_attention_backward
