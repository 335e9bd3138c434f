#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/record/record.h"
#include "harness/runner/buffers.h"
#include "harness/runner/found_outputs.h"

namespace ablate {

/// A case's output does not match the oracle's; what() says after which launches, where and how it differs.
struct wrong_output : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Outputs that a workload's check has found right, and what it said of them.
struct right_outputs {
  std::optional<host_outputs> bytes;
  check_result found;
};

/// Compares the outputs of a case's launches with the oracle, from the first launch to the last.
class output_check {
 public:
  /// `shared`, if given, may have outputs from an earlier case of this workload. It gets the first ones of
  /// this case and must outlive the check. `same_bits`: the variant promises the same bits each time.
  /// `learn`, needed where a variant is the oracle and inputs change: has the workload learn its outputs on
  /// the current inputs, whatever becomes of the case's outputs.
  explicit output_check(const workload& work, right_outputs* shared = nullptr, bool same_bits = false,
                        std::function<void()> learn = {})
      : work_(work), right_(shared ? *shared : own_), same_bits_(same_bits), learn_(std::move(learn)) {}
  output_check(const output_check&) = delete;

  /// Throws wrong_output with `when` as its prefix. The oracle does not check the same bytes twice: outputs
  /// equal to the first, correct ones, or to those of an earlier case of the workload, are correct too.
  /// Later ones that differ go to the workload's `check_again`.
  void expect_right(const host_outputs&, const std::string& when);
  /// The same of outputs on a device, which are copied to the host the first time, and where they differ from
  /// those that were kept there then. Right outputs of a variant that promises the same bits are wrong where
  /// they, or results that stay on the device, are others than the first ones. Those of changed inputs are
  /// held against the answer to these.
  void expect_right(const found_outputs&, const std::string& when);

  /// The last outputs that were on a device, or the same bytes.
  const host_outputs& last() const { return last_ ? *last_ : right_.bytes.value(); }

  /// The `check` of a case's entry in the record. `timed` says how the timed launches were compared; `last`
  /// holds the outputs after timing, whose share of changed bytes is reported, results on the device
  /// included.
  measured_case::output_check found(std::string_view timed, const host_outputs& last) const;

 private:
  check_result judge(const host_outputs&, const std::string& when);
  void judge_found(const found_outputs&, const std::string& when);
  void look_for_changes(const found_outputs&, const std::string& when);
  void judge_edition(const found_outputs&, const std::string& when);
  /// Found to be the bytes that are right.
  void see_again();
  void see_first(host_outputs, const check_result&);

  const workload& work_;
  right_outputs own_;
  right_outputs& right_;  ///< this case's first ones, once it has any
  bool same_bits_;
  std::function<void()> learn_;
  bool has_first_ = false;
  std::optional<differing_bytes> changed_results_ = differing_bytes{};  ///< since the first launch
  std::optional<host_outputs> last_;                                    ///< if they are not the first ones
  std::optional<host_outputs> spare_;                                   ///< memory of earlier ones
  check_result worst_;  ///< the correct result with the largest error
};

/// The same for outputs that a gate checks elsewhere.
measured_case::output_check not_checked();

}  // namespace ablate
