#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ablate {

/// Values by kernel, in launch order; not a number where none was read.
using counters_by_kernel = std::map<std::string, std::vector<double>, std::less<>>;

struct combined_counter {
  std::optional<double> value;
  std::string why_not;  ///< empty where a kernel's own value is missing
};

/// The counters of the kernels of one launch, all columns of one length.
class kernel_counters {
 public:
  explicit kernel_counters(counters_by_kernel);

  /// The value of all kernels together. Counts, bytes, times and cycles add up. Ratios are combined by their
  /// own denominators: sum of ratio x denominator over sum of denominators, which is the sum of their
  /// numerators over that of their denominators. A denominator that was not read may follow from other
  /// counters: SM cycles elapsed from the active ones and their share, even where a group of another pass
  /// read them. A single kernel's value is its own.
  combined_counter of_case(const std::string& counter) const;

 private:
  combined_counter ratio(const std::vector<double>& ratios, const std::string& over) const;
  void derive_what_follows();

  counters_by_kernel read_;
  counters_by_kernel known_;  ///< what was read, and what follows from it
};

namespace reports {

/// Makes `counters.values` and `counters.missing` of an expanded entry of several kernels anew from their
/// values: older records weighted every ratio by elapsed cycles, and called the longest kernel's cycles the
/// case's.
void combine_counters(nlohmann::ordered_json& entry);

}  // namespace reports
}  // namespace ablate
