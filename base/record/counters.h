#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/record/stated.h"
#include "base/text/json_place.h"

namespace ablate {

/// Values by CUPTI's counter name; null where it could not be read.
using counter_values = std::vector<std::pair<std::string, std::optional<written_number>>>;

/// The counters of one launch of a case: `counters` of a measured case.
struct counter_readings {
  struct kernel {
    std::string name;  ///< demangled
    counter_values values;
    std::optional<long> by_name =
        {};  ///< of a case of many launches, which has its counters by name: how many

    long launches() const { return by_name.value_or(1); }
  };

  std::string set;
  std::string reason;     ///< one line on why nothing was collected; empty if something was
  counter_values values;  ///< of the case, all its kernels together
  stated_list<std::vector<std::pair<std::string, std::string>>> missing;  ///< counter, why its value is null
  stated_list<std::vector<kernel>> kernels;  ///< in launch order, or by name in the order of first launch
  stated<bool> coherent;                     ///< whether the groups' passes agree on the fingerprint counters
  stated<std::string> output;                ///< ok, differs: the output after the passes, against the oracle
  std::optional<double> host_ms, open_ms;    ///< of the passes: restored, collected and read; opened

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

  written_number interval_ns;
  long loops;
  std::vector<double> time_us;
  std::vector<std::pair<std::string, std::vector<std::optional<double>>>> metrics;  ///< as long as time_us
  std::vector<kernel> kernels;
};

/// Throw bad_input if the record does not match the schema.
void from_json(const reports::json_place&, counter_readings&);
void from_json(const reports::json_place&, activity_timeline&);
nlohmann::ordered_json to_json(const counter_readings&);
nlohmann::ordered_json to_json(const activity_timeline&);
nlohmann::ordered_json fields_schema(const counter_readings&);
nlohmann::ordered_json fields_schema(const activity_timeline&);

}  // namespace ablate
