#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/runner/buffers.h"

namespace ablate {

/// A case's output is not the oracle's; what() says after which launches, where and how it differs.
struct wrong_output : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Compares the outputs that a case's launches left with the oracle, from the first launch to the last.
class output_check {
 public:
  explicit output_check(const workload& work) : work_(work) {}

  /// Throws wrong_output, `when` first. The oracle is not asked twice about the same bytes: outputs equal to
  /// the first ones are as right as they were.
  void expect_right(const host_outputs&, const std::string& when);

  /// The `check` of a case's entry in the record. `timed` says how the timed launches were compared; `last`
  /// are the outputs after timing, whose share of changed bytes is told.
  nlohmann::ordered_json json(std::string_view timed, const host_outputs& last) const;

 private:
  const workload& work_;
  std::optional<host_outputs> first_;
  check_result worst_;  ///< of those that are right, the one with the greatest error
};

/// The same for outputs that a gate compares elsewhere.
nlohmann::ordered_json not_checked_json();

}  // namespace ablate
