#include "variants/window_attention_backward/gradient_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "variants/row_errors.h"
#include "variants/window_attention_backward/buffers.h"

namespace ablate::window_attention_backward {

namespace {

/// Error over all sampled rows. If they are zeros, as dQ and dK are when Q and K are, no error is allowed.
double sampled_error(const known_gradients& known, const read_gradients& seen, std::size_t gradient) {
  const std::vector<double>& exact = known.exact[gradient];
  const float* const rows = seen.sampled + gradient * known.exact[0].size();
  double squared = 0, of = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    squared += (rows[i] - exact[i]) * (rows[i] - exact[i]);
    of += exact[i] * exact[i];
  }
  return squared == 0 ? 0 : std::sqrt(squared / of);
}

}  // namespace

check_result check_gradients(std::int64_t rows, const known_gradients& known, const read_gradients& seen) {
  double greatest = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const window_attention::deviation& found = seen.found->of[i];
    if (auto fault =
            window_attention::fault_in(gradients[i], found, rows, accepted_row_error, known.systematic))
      return *fault;
    const double sampled = sampled_error(known, seen, i);
    if (!(sampled <= accepted_row_error))
      return {false,
              fmt::format("{}, {} sampled rows: relative error {:.2e} against fp64, expected at most {:.0e}",
                          gradients[i], known.samples.size() / 2, sampled, accepted_row_error),
              sampled, accepted_row_error};
    greatest = std::max<double>(greatest, found.worst.error);
  }
  return {true, "", greatest, accepted_row_error};
}

nlohmann::ordered_json quality_of_gradients(const known_gradients& known, const read_gradients& seen) {
  nlohmann::ordered_json figures;
  const char* const names[] = {"dq", "dk", "dv"};
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    window_attention::add_errors(figures, names[i], seen.found->of[i], accepted_row_error, known.systematic);
    if (!known.exact[i].empty())
      figures[fmt::format("{}_error_sampled", names[i])] = sampled_error(known, seen, i);
  }
  return figures;
}

void solve_gradients(std::int64_t rows, const known_gradients& known, deviations* found, float* sampled) {
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    found->of[i] = window_attention::no_deviation(rows);
    std::ranges::transform(known.exact[i], sampled + i * known.exact[0].size(),
                           [](double x) { return static_cast<float>(x); });
  }
}

}  // namespace ablate::window_attention_backward
