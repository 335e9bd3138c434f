#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/runner/buffers.h"

namespace ablate {

/// A case's output does not match the oracle's; what() says after which launches, where and how it differs.
struct wrong_output : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Compares the outputs of a case's launches with the oracle, from the first launch to the last.
class output_check {
 public:
  explicit output_check(const workload& work) : work_(work) {}

  /// Throws wrong_output with `when` as its prefix. The oracle does not check the same bytes twice: outputs
  /// equal to the first, correct ones are correct too. Others behind these are the workload's
  /// `check_again`'s.
  void expect_right(const host_outputs&, const std::string& when);

  /// The `check` of a case's entry in the record. `timed` says how the timed launches were compared; `last`
  /// holds the outputs after timing, whose share of changed bytes is reported.
  nlohmann::ordered_json json(std::string_view timed, const host_outputs& last) const;

 private:
  const workload& work_;
  std::optional<host_outputs> first_;
  check_result worst_;  ///< the correct result with the largest error
};

/// The same object for outputs that a gate checks elsewhere.
nlohmann::ordered_json not_checked_json();

}  // namespace ablate
