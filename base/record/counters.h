#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/json_place.h"

namespace ablate {

/// Values by CUPTI's counter name; null where it could not be read.
using counter_values = std::vector<std::pair<std::string, std::optional<double>>>;

/// The counters of one launch of a case: `counters` of a measured case.
struct counter_readings {
  struct kernel {
    std::string name;  ///< demangled
    counter_values values;
    long launches = 1;  ///< more than one if a case of many launches has its counters by name
  };

  std::string set;
  std::string reason;     ///< one line on why nothing was collected; empty if something was
  counter_values values;  ///< of the case, all its kernels together
  std::vector<std::pair<std::string, std::string>> missing;  ///< counter, why its value is null
  std::vector<kernel> kernels;        ///< in launch order, or by name in the order of first launch
  std::optional<bool> coherent;       ///< whether the groups' passes agree on the fingerprint counters
  std::optional<std::string> output;  ///< ok, differs: the output after the passes, against the oracle

  bool any() const;
  std::optional<double> value(std::string_view counter) const;
};

/// The value with this name; nothing if it is null or absent.
std::optional<double> find_counter(const counter_values&, std::string_view counter);

/// A case's activity over time (PM sampling), repeated `loops` times if one launch is short: `timeline` of a
/// measured case.
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

/// Throw bad_input if the record does not match the schema.
counter_readings counters_of(const json_place&);
activity_timeline timeline_of(const json_place&);

}  // namespace reports
}  // namespace ablate
