#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/text/json_place.h"

namespace ablate {

/// Values by the name that CUPTI gives the counter; null where it could not be read.
using counter_values = std::vector<std::pair<std::string, std::optional<double>>>;

/// The counters of one launch of a case: `counters` of a measured case.
struct counter_readings {
  struct kernel {
    std::string name;  ///< demangled
    counter_values values;
    long launches = 1;  ///< more where a case of many launches has its counters by name
  };

  std::string set;
  std::string reason;     ///< in one line why nothing was collected; empty where something was
  counter_values values;  ///< of the case, all its kernels together
  std::vector<std::pair<std::string, std::string>> missing;  ///< counter, why its value is null
  std::vector<kernel> kernels;        ///< in launch order, or by name in that of their first launches
  std::optional<bool> coherent;       ///< the groups' passes agree on the fingerprint counters
  std::optional<std::string> output;  ///< ok, differs: what the passes left, against the oracle

  bool any() const;
  std::optional<double> value(std::string_view counter) const;
};

/// The value of this name; nothing where it is null or absent.
std::optional<double> find_counter(const counter_values&, std::string_view counter);

/// Activity over time (PM sampling) of a case, repeated `loops` times where one launch is short: `timeline`
/// of a measured case.
struct activity_timeline {
  struct kernel {
    std::string name;  ///< demangled
    double start_us, end_us;
  };

  double interval_ns;
  long loops;
  std::vector<double> time_us;
  std::vector<std::pair<std::string, std::vector<std::optional<double>>>> metrics;  ///< as long as time_us
  std::vector<kernel> kernels;
};

namespace reports {

/// Throw bad_input where the record is not as described.
counter_readings counters_of(const json_place&);
activity_timeline timeline_of(const json_place&);

}  // namespace reports
}  // namespace ablate
