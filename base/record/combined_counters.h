#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ablate {

/// Values by kernel, in launch order; NaN where none was read.
using counters_by_kernel = std::map<std::string, std::vector<double>, std::less<>>;

struct combined_counter {
  std::optional<double> value;
  std::string why_not;  ///< empty where a kernel's own value is missing
};

/// The counters of one launch's kernels, all columns of equal length.
class kernel_counters {
 public:
  explicit kernel_counters(counters_by_kernel);

  /// The value for all kernels together. Counts, bytes, times and cycles add up. Ratios are weighted by their
  /// own denominators: sum of ratio x denominator over sum of denominators, which equals sum of numerators
  /// over sum of denominators. A denominator that was not read may be derived from other counters: elapsed SM
  /// cycles follow from active cycles and their share, and are derived even if a group in another pass read
  /// them. A single kernel's value is its own.
  combined_counter of_case(const std::string& counter) const;

 private:
  combined_counter ratio(const std::vector<double>& ratios, const std::string& over) const;
  void derive_what_follows();

  counters_by_kernel read_;
  counters_by_kernel known_;  ///< what was read, plus what is derived from it
};

namespace reports {

/// Recomputes `counters.values` and `counters.missing` of an expanded multi-kernel entry from the kernels'
/// values: older records weighted every ratio by elapsed cycles, and took the longest kernel's cycles as the
/// case's.
void combine_counters(nlohmann::ordered_json& entry);

}  // namespace reports
}  // namespace ablate
