#pragma once

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "harness/registry/operation.h"
#include "kernels/common/bias.h"

// How checks tell of a bias (kernels/common/bias.h), in words and as figures of quality.

namespace ablate {

/// What is wrong with the errors of a tensor in the mean, if anything.
inline std::optional<std::string> bias_fault(std::string_view tensor, const tensor_bias& found) {
  if (found.is_accepted()) return std::nullopt;
  const bias_figure& figure = found.worse();
  return found.is_in_factor()
             ? fmt::format(
                   "{}: elements are {:.2e} of themselves too {} in the mean, rounding leaves at most "
                   "{:.1e}: is something truncated, or off by a factor?",
                   tensor, std::abs(figure.value), figure.value < 0 ? "small" : "large", figure.accepted)
             : fmt::format(
                   "{}: elements are {:.2e} of the mean magnitude too {} in the mean, rounding leaves at "
                   "most {:.1e}: is something rounded down, or a term left out?",
                   tensor, std::abs(figure.value), figure.value < 0 ? "low" : "high", figure.accepted);
}

/// The same as a check's result.
inline std::optional<check_result> bias_result(std::string_view tensor, const tensor_bias& found) {
  if (const auto fault = bias_fault(tensor, found))
    return check_result{false, *fault, std::abs(found.worse().value), found.worse().accepted};
  return std::nullopt;
}

/// Adds the worse of the two figures: `out_bias`, `out_bias_accepted`.
inline void add_bias(nlohmann::ordered_json& quality, const std::string& tensor, const tensor_bias& found) {
  const std::string name = tensor.empty() ? "bias" : tensor + "_bias";
  quality[name] = found.worse().value;
  quality[name + "_accepted"] = found.worse().accepted;
}

/// The bias that is worst among those of several tensors, each in what is accepted of it.
class worst_bias {
 public:
  void add(const tensor_bias& found) {
    if (!worst_ || found.worse().share() > worst_->worse().share()) worst_ = found;
  }
  void add_to(nlohmann::ordered_json& quality, const std::string& name = "") const {
    if (worst_) add_bias(quality, name, *worst_);
  }

 private:
  std::optional<tensor_bias> worst_;
};

}  // namespace ablate
