#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/dense_layers/comparison.h"

// How the checks of dense layers judge what was compared on the device, and the elements that they read
// themselves.

namespace ablate::dense_layers {

/// A tensor of the output: its name, what it holds, and the accepted relative error of the whole.
struct checked_tensor {
  std::string_view name;
  std::int64_t rows, columns;
  double accepted;
};

/// What is wrong with a tensor, if anything.
inline std::optional<std::string> fault_of(const checked_tensor& t, const comparison& found) {
  const auto elements = static_cast<unsigned long long>(t.rows * t.columns);
  if (found.elements != elements)
    return fmt::format("{}: {} of {} elements were compared", t.name, found.elements, elements);
  const comparison::place& worst = found.worst;
  if (!(worst.error <= 1))
    return fmt::format(
        "{}: {} of {} elements are off by more than is accepted: row {}, column {} is {:.8g}, expected "
        "{:.8g}",
        t.name, found.elements_over, found.elements, worst.row, worst.column, worst.seen, worst.expected);
  if (!(found.relative_error() <= t.accepted))
    return fmt::format("{}: off by {:.2e} of its norm, expected at most {:.1e}", t.name,
                       found.relative_error(), t.accepted);
  return std::nullopt;
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

/// The fp32 number nearest to what is right.
inline float nearest(const judged& right) { return static_cast<float>(right.expected); }

}  // namespace ablate::dense_layers
