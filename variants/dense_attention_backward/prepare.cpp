#include "variants/dense_attention_backward/prepare.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "oracles/global_attention_backward/reference.h"
#include "variants/dense_attention/prepare.h"
#include "variants/dense_attention_backward/buffers.h"
#include "variants/global_attention_backward/prepare.h"
#include "variants/row_errors.h"

namespace ablate::dense_attention_backward {
namespace {

using global_attention_backward::graded_row;
using window_attention_backward::accepted_row_error;

/// What the oracle knows of one head's gradients, beside what it knows of the forward pass.
struct known_gradients {
  std::shared_ptr<const dense_attention::known_rows> forward;
  std::vector<sampled_row> samples;  ///< checks::samples
  std::vector<graded_row> queries;   ///< dQ of the first half of these
};

std::size_t count_of_samples(const checked_problem& p) {
  return static_cast<std::size_t>(p.forward_checks.sample_count);
}

known_gradients know(const checked_problem& p, std::uint64_t seed) {
  known_gradients known;
  known.forward =
      std::make_shared<const dense_attention::known_rows>(dense_attention::know(p.checked_forward(), seed));
  const auto batch = static_cast<std::int32_t>(p.sampled_head - p.compared_heads().first);
  for (const sampled_row& at : known.forward->samples) known.samples.push_back({batch, at.row, 0});
  const auto count = static_cast<std::int64_t>(count_of_samples(p));
  for (std::int64_t i = 0; i < count; ++i)
    known.samples.push_back({batch, static_cast<std::int32_t>((p.forward.tokens - 1) * i / (count - 1)), 0});
  const global_attention_backward::head_values rows = global_attention_backward::all_to_all(
      p.forward.tokens,
      global_attention_backward::generated_head(p.checked_forward().as_layer(), p.sampled_head, {}).values);
  for (std::size_t i = 0; i < count_of_samples(p); ++i)
    known.queries.push_back(exact_query_gradient(rows, known.samples[i].row));
  return known;
}

const float* row_of(const checked_problem& seen, std::size_t i) { return seen.sampled_gradients + i * width; }

/// All rows against plain arithmetic on the device, and sampled ones of dQ against the oracle. dK and dV of a
/// key take the weights of all queries, and are compared with plain gradients alone.
check_result check(const checked_problem& p, const known_gradients& known, const checked_problem& seen) {
  constexpr std::array<const char*, gradients> names = {"dQ", "dK", "dV"};
  double greatest = 0;
  for (std::size_t i = 0; i < gradients; ++i) {
    const window_attention::deviation& of = seen.found->of[i];
    if (auto fault = window_attention::fault_in_each_row(
            names[i], of, p.compared_heads().count * p.forward.tokens, accepted_row_error))
      return *fault;
    greatest = std::max<double>(greatest, of.worst.error);
  }
  for (std::size_t i = 0; i < known.queries.size(); ++i)
    if (const double error = error_of(known.queries[i], row_of(seen, i)); !(error <= accepted_row_error))
      return window_attention::sampled_fault("dQ", known.samples[i], error, accepted_row_error);
  return {true, "", greatest, accepted_row_error};
}

nlohmann::ordered_json quality(const known_gradients& known, const checked_problem& seen) {
  nlohmann::ordered_json figures;
  constexpr std::array<const char*, gradients> keys = {"dq", "dk", "dv"};
  for (std::size_t i = 0; i < gradients; ++i)
    window_attention::add_errors(figures, keys[i], seen.found->of[i], accepted_row_error);
  double sampled = 0;
  for (std::size_t i = 0; i < known.queries.size(); ++i)
    sampled = std::max(sampled, error_of(known.queries[i], row_of(seen, i)));
  figures["dq_error_sampled"] = sampled;
  return figures;
}

/// On the host only the samples are computed; a full comparison needs a GPU.
void write_reference(const checked_problem& p, const known_gradients& known, const checked_problem& host) {
  *host.found = {};
  std::ranges::fill(host.found->of,
                    window_attention::no_deviation(p.compared_heads().count * p.forward.tokens));
  for (std::size_t i = 0; i < known.queries.size(); ++i)
    std::ranges::transform(known.queries[i].of, host.sampled_gradients + i * width,
                           [](double x) { return static_cast<float>(x); });
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  const auto known = std::make_shared<const known_gradients>(know(p, inputs.seed()));
  const auto forward =
      std::make_shared<const workload>(dense_attention::workload_of(p.checked_forward(), known->forward));
  workload w;
  w.contents = contents_of(p, buffers, {{"gradient_samples", std::as_bytes(std::span(known->samples))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(p, *known, attached(p, buffers, outputs));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality(*known, attached(p, buffers, outputs));
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    write_reference(p, *known, attached(p, buffers, addresses));
  };
  w.work = global_attention_backward::work_of(p.forward, p.work, forward->work);
  w.input =
      global_attention_backward::input_facts(p.forward, global_attention_backward::modelled_bytes(p.forward));
  w.storage = known;
  return global_attention_backward::behind(forward, std::move(w));
}

}  // namespace ablate::dense_attention_backward
