#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/record/record.h"

namespace ablate::gate {

/// Why the times of a case were not compared.
enum class mismatch {
  gone,            ///< in the baseline, but the candidate has no such case or did not measure it
  different,       ///< both measured it, but not the same thing or not the same way
  unmeasured,      ///< requested, but not measured by the baseline, or by neither side
  added,           ///< not in the baseline
  not_applicable,  ///< on this device, for either side
};

/// GONE, DIFFERENT, UNMEASURED, NEW, NOT_APPLICABLE.
std::string_view name_of(mismatch);

struct unmatched_case {
  std::string name;
  mismatch kind;
  std::string reason;  ///< one line
  bool is_control = false;

  /// The baseline measured it and the candidate did not, or not alike: nothing says that it is no slower, so
  /// the gate does not pass.
  bool is_gone() const { return kind == mismatch::gone || kind == mismatch::different; }
  /// A requested comparison is missing: always reported, and fails under --strict.
  bool is_missing() const { return kind != mismatch::added && kind != mismatch::not_applicable; }
};

/// What one side's records, one per launch, say about each case.
class measured_side {
 public:
  /// Refers to the records, which must outlive it.
  explicit measured_side(const std::vector<record>& launches);

  bool measured(const std::string& name) const { return launches_with(name) > 0; }
  std::size_t launches_with(const std::string& name) const;  ///< that measured it
  /// Why a launch did not measure it; null if none says so.
  const unmeasured_case* why_not(const std::string& name) const;
  /// "input_missing: there is no scan.bin"; "no such case" if the side does not know it.
  std::string why_not_text(const std::string& name) const;
  bool knows(const std::string& name) const { return measured(name) || why_not(name); }
  bool is_not_applicable(const std::string& name) const;
  std::vector<std::string> names() const;  ///< of all cases, sorted
  std::size_t launches() const { return launches_; }

 private:
  std::size_t launches_;
  std::map<std::string, std::size_t> measured_;
  std::map<std::string, const unmeasured_case*> unmeasured_;
};

/// Cases not measured by every launch of both sides, by kind (the order of `mismatch`), then by name.
std::vector<unmatched_case> unmatched_cases(const measured_side& baseline, const measured_side& candidate);

/// By kind, then in the order given.
void sort_by_kind(std::vector<unmatched_case>&);

/// Whether a case of this status started but did not run to completion: failed, out_of_memory, timeout,
/// interrupted.
bool is_failure(std::string_view status);

/// Number of cases that fail under --strict.
std::size_t missing_cases(const std::vector<unmatched_case>&);
/// Number of those that never pass.
std::size_t gone_cases(const std::vector<unmatched_case>&);
/// Number of the missing cases about which nothing was decided; controls do not count.
std::size_t unjudged_cases(const std::vector<unmatched_case>&, const std::vector<std::string>& decided);

}  // namespace ablate::gate
