#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ablate {

/// What a counter is. Values of several kernels are summed, except ratios.
struct counter_definition {
  std::string display;
  std::string unit;
  std::string over;  ///< of a ratio, its denominator: a counter that CUPTI has, collected or not
  std::string of;    ///< of a ratio, its numerator, where that is a counter: ratio = scale * of / over
  double scale = 1;  ///< follows from the units
};

using counter_definitions = std::map<std::string, counter_definition, std::less<>>;

/// `metrics` of harness/counters/metric_groups.json. Throws std::logic_error when it contradicts itself.
counter_definitions parse_counter_definitions(const nlohmann::ordered_json& metrics);

/// Those of the data file, which is part of the program.
const counter_definitions& defined_counters();

/// By its name: whether values of a counter add up, over instances of a unit as over kernels.
bool adds_up(std::string_view counter);

}  // namespace ablate
