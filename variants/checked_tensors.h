#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/registry/bound_buffers.h"
#include "oracles/common/dense/comparison.h"
#include "variants/bias_figures.h"

// How the checks of dense layers judge what was compared on the device, and the elements that they read
// themselves.

namespace ablate::dense_layers {

/// A tensor of the output: its name, what it holds, the accepted relative error of the whole, and what may be
/// left of it in the mean.
struct checked_tensor {
  std::string_view name;
  std::int64_t rows, columns;
  double accepted, systematic = accepted_bias_of_bf16;

  tensor_bias bias_of(const comparison& found) const { return {found.signs, systematic}; }
};

/// What is left in the mean of fp32 sums over so many rows, which tensor cores truncate by 2^-24 of them at
/// every 16th.
constexpr double left_by_row_sums(std::int64_t rows) { return 0x1p-28 * static_cast<double>(rows); }
/// And of a weight's gradient, whose rows share the rounding of a factor: with one row of inputs it is an
/// outer product, and only as many errors are independent as there are factors.
inline double left_in_gradients(std::int64_t rows, std::int64_t columns) {
  return left_by_row_sums(rows) + bias_of_alike(static_cast<double>(rows) * static_cast<double>(columns));
}
/// And of GELU by a tanh that is off by up to 2^-11 of itself (accepted_of_tanh): half of x · tanh.
constexpr double left_by_tanh = 0x1p-12;

/// The tensors of a layer, y and then gradients; those that the problem does not have are empty.
template <class Output, class Problem, std::size_t Count>
std::vector<checked_tensor> y_and_gradients(const Problem& p, const std::array<const char*, Count>& names) {
  std::vector<checked_tensor> tensors;
  for (std::size_t of = 0; of < Count; ++of) {
    const auto which = static_cast<Output>(of);
    const bool is_y = which == Output::y;
    tensors.push_back({names[of], p.has(which) ? p.rows_of(which) : 0, p.columns_of(which),
                       is_y ? accepted_of_outputs : accepted_of_gradients,
                       accepted_bias_of_bf16 + (is_y ? 0 : left_in_gradients(p.rows, p.columns_of(which)))});
  }
  return tensors;
}

/// What is wrong with the elements of a tensor, if anything.
inline std::optional<std::string> fault_of_elements(const checked_tensor& t, const comparison& found) {
  const auto elements = static_cast<unsigned long long>(t.rows * t.columns);
  if (found.elements != elements)
    return fmt::format("{}: {} of {} elements were compared", t.name, found.elements, elements);
  const comparison::place& worst = found.worst;
  if (!(worst.error <= 1))
    return fmt::format(
        "{}: {} of {} elements are off by more than is accepted: row {}, column {} "
        "is {:.8g}, expected {:.8g}",
        t.name, found.elements_over, found.elements, worst.row, worst.column, worst.seen, worst.expected);
  if (!(found.relative_error() <= t.accepted))
    return fmt::format("{}: off by {:.2e} of its norm, expected at most {:.1e}", t.name,
                       found.relative_error(), t.accepted);
  return std::nullopt;
}

/// Of the elements, and of all in the mean.
inline std::optional<std::string> fault_of(const checked_tensor& t, const comparison& found) {
  if (auto fault = fault_of_elements(t, found)) return fault;
  return bias_fault(t.name, t.bias_of(found));
}

/// What a check finds in a tensor without errors.
inline comparison no_errors(const checked_tensor& t) {
  comparison none{};
  none.elements = static_cast<unsigned long long>(t.rows * t.columns);
  return none;
}

/// The error of an element that the check read itself, in what is accepted.
inline double error_of(float seen, const judged& right) {
  if (!std::isfinite(right.expected)) {
    const bool is_alike =
        std::isnan(right.expected) ? std::isnan(seen) : static_cast<double>(seen) == right.expected;
    return is_alike ? 0 : std::numeric_limits<double>::infinity();
  }
  if (!std::isfinite(seen)) return std::numeric_limits<double>::infinity();
  const double off = std::abs(static_cast<double>(seen) - right.expected);
  return off == 0 ? 0 : off / right.tolerance;
}

/// The buffers that a check reads: what was compared of each tensor, and the sampled elements.
struct seen_outputs {
  const comparison* found;
  const float* sampled;
};

/// All tensors of an output, and samples of them. `Sample`: of (tensor), row, column.
template <class Sample>
check_result judge(std::span<const checked_tensor> tensors, std::span<const Sample> samples,
                   std::span<const judged> exact, const seen_outputs& seen) {
  double worst = 0;
  for (std::size_t of = 0; of < tensors.size(); ++of) {
    if (tensors[of].rows == 0) continue;
    if (const auto fault = fault_of_elements(tensors[of], seen.found[of]))
      return {false, *fault, seen.found[of].worst.error, 1};
    if (auto fault = bias_result(tensors[of].name, tensors[of].bias_of(seen.found[of]))) return *fault;
    worst = std::max<double>(worst, static_cast<double>(seen.found[of].worst.error));
  }
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (const double error = error_of(seen.sampled[i], exact[i]); !(error <= 1))
      return {false,
              fmt::format("{}: row {}, column {} is {:.8g}, expected {:.8g}, by the oracle on the host",
                          tensors[static_cast<std::size_t>(samples[i].of)].name, samples[i].row,
                          samples[i].column, seen.sampled[i], exact[i].expected),
              error, 1};
  return {true, "", worst, 1};
}

/// The greatest relative error of a tensor, the greatest error of an element in what is accepted, and the
/// worst bias of a tensor.
inline nlohmann::ordered_json errors_of(std::span<const checked_tensor> tensors, const seen_outputs& seen) {
  double worst = 0, relative = 0;
  worst_bias in_mean;
  for (std::size_t of = 0; of < tensors.size(); ++of) {
    if (tensors[of].rows == 0) continue;
    worst = std::max<double>(worst, static_cast<double>(seen.found[of].worst.error));
    relative = std::max(relative, seen.found[of].relative_error());
    in_mean.add(tensors[of].bias_of(seen.found[of]));
  }
  nlohmann::ordered_json figures = {{"relative_error", relative}, {"error_worst", worst}};
  in_mean.add_to(figures);
  return figures;
}

/// What a check knows: the tensors, and elements of them by the oracle. `Sample`: of (tensor), row, column.
template <class Sample>
struct known_elements {
  std::vector<checked_tensor> tensors;
  std::vector<Sample> samples;
  std::vector<judged> exact;
};

/// The workload of a layer except for its work and its input: contents, check, quality, and a reference that
/// computes the sampled elements only; a full comparison needs a GPU.
template <class Sample, class Problem>
workload checked_workload(std::shared_ptr<const known_elements<Sample>> known, const Problem& p,
                          bound_buffers (*buffers)(Problem&)) {
  const auto read = [p, buffers](std::span<const std::byte* const> outputs) {
    const Problem seen = attached(p, buffers, outputs);
    return seen_outputs{seen.found, seen.sampled_out};
  };
  workload w;
  w.contents = contents_of(p, buffers, {{"samples", std::as_bytes(std::span(known->samples))}});
  w.check = [known, read](std::span<const std::byte* const> outputs) {
    return judge<Sample>(known->tensors, known->samples, known->exact, read(outputs));
  };
  w.quality = [known, read](std::span<const std::byte* const> outputs) {
    return errors_of(known->tensors, read(outputs));
  };
  w.reference = [p, buffers, known](std::span<void* const> addresses) {
    const Problem host = attached(p, buffers, addresses);
    for (std::size_t of = 0; of < known->tensors.size(); ++of) host.found[of] = no_errors(known->tensors[of]);
    for (std::size_t i = 0; i < known->exact.size(); ++i)
      host.sampled_out[i] = static_cast<float>(known->exact[i].expected);
  };
  w.storage = std::move(known);
  return w;
}

}  // namespace ablate::dense_layers
