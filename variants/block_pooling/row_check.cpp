#include "variants/block_pooling/row_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "variants/row_errors.h"

namespace ablate::block_pooling {

std::vector<float> norm_weights(const checked_problem& p) {
  std::vector<float> weights;
  for (int which = 0; which < 2; ++which)
    for (int part = 0; part < 2; ++part)
      for (int element = 0; element < width; ++element)
        weights.push_back(generated_norm(p, which, part, element));
  return weights;
}

std::vector<float> turns() {
  std::vector<float> all;
  for (int position = 0; position < positions; ++position)
    for (int i = 0; i < angles; ++i) {
      const double angle = position * std::pow(100, -static_cast<double>(i) / angles);
      all.push_back(static_cast<float>(std::cos(angle)));
      all.push_back(static_cast<float>(std::sin(angle)));
    }
  return all;
}

namespace {

/// The greatest error of a row's elements, in what is accepted; infinite where one is of another kind.
double error_of_sample(const exact_row& exact, const float* seen) {
  double greatest = 0;
  for (std::size_t d = 0; d < width; ++d) {
    if (!window_attention::are_alike(seen[d], exact.out[d])) return std::numeric_limits<double>::infinity();
    if (!std::isfinite(exact.out[d]) || seen[d] == exact.out[d]) continue;
    greatest = std::max(greatest, std::abs(seen[d] - exact.out[d]) /
                                      static_cast<double>(tolerance_of(static_cast<float>(exact.out[d]),
                                                                       static_cast<float>(exact.floor))));
  }
  return greatest;
}

/// What is wrong with one of the outputs, if anything.
std::optional<std::string> fault_of_output(const char* name, const deviation& found, std::int64_t rows) {
  if (found.rows != static_cast<unsigned long long>(rows))
    return fmt::format("{}: {} of {} rows were compared", name, found.rows, rows);
  const deviation::place& worst = found.worst;
  if (worst.error <= 1) return std::nullopt;
  return fmt::format(
      "{}: {} of {} rows are off by more than is accepted, {} of them where one of both is no number or a "
      "copy differs: row {}, head {}: element {} is {:.8g}, expected {:.8g}",
      name, found.rows_over, rows, found.rows_not_finite, worst.row, worst.head, worst.element, worst.seen,
      worst.expected);
}

}  // namespace

check_result check_rows(std::span<const compared_output> outputs, const known_rows& known,
                        const read_rows& seen) {
  double worst = 0;
  for (std::size_t of = 0; of < outputs.size(); ++of) {
    const deviation& found = seen.found[of];
    if (const auto fault = fault_of_output(outputs[of].name, found, outputs[of].rows))
      return {false, *fault, found.worst.error, 1};
    if (const auto fault = bias_result(outputs[of].name, bias_of(found))) return *fault;
    worst = std::max<double>(worst, found.worst.error);
  }
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    if (const double error = error_of_sample(known.exact[i], seen.sampled_out + i * width); !(error <= 1)) {
      const sampled_row& at = known.samples[i];
      return {false,
              fmt::format("{}: row {}, head {}: off by {:.3g} of what is accepted, against fp64",
                          outputs[static_cast<std::size_t>(at.of)].name, at.row, at.head, error),
              error, 1};
    }
  return {true, "", worst, 1};
}

double worst_sampled(const known_rows& known, const read_rows& seen) {
  double worst = 0;
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    worst = std::max(worst, error_of_sample(known.exact[i], seen.sampled_out + i * width));
  return worst;
}

void solve_rows(std::span<const compared_output> outputs, int count, const known_rows& known,
                deviation* found, float* sampled_out) {
  for (int of = 0; of < count; ++of) {
    const auto at = static_cast<std::size_t>(of);
    found[of] = window_attention::no_deviation(at < outputs.size() ? outputs[at].rows : 0);
  }
  for (const exact_row& exact : known.exact)
    sampled_out =
        std::ranges::transform(exact.out, sampled_out, [](double x) { return static_cast<float>(x); }).out;
}

}  // namespace ablate::block_pooling
