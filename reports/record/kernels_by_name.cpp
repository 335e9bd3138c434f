#include "reports/record/kernels_by_name.h"

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "reports/record/combined_counters.h"
#include "reports/text/json_text.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;
using launches_of_a_name = std::vector<const ordered_json*>;

double value_in(const ordered_json& launch, const std::string& counter) {
  const ordered_json value = launch.value(counter, ordered_json());
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

ordered_json combined_row(const launches_of_a_name& launches, const ordered_json& values) {
  counters_by_kernel columns;
  for (const auto& [counter, whole] : values.items())
    for (const ordered_json* launch : launches) columns[counter].push_back(value_in(*launch, counter));
  const kernel_counters of_name(std::move(columns));
  ordered_json row = ordered_json::array();
  for (const auto& [counter, whole] : values.items()) {
    const combined_counter combined = of_name.of_case(counter);
    row.push_back(combined.value ? ordered_json(*combined.value) : ordered_json());
  }
  return row;
}

}  // namespace

ordered_json kernels_by_name(const ordered_json& launches, const ordered_json& values) {
  std::vector<std::string> names;
  std::map<std::string, launches_of_a_name> launches_of;
  for (const ordered_json& launch : launches) {
    launches_of_a_name& of_this_name = launches_of[launch.at("name").get<std::string>()];
    if (of_this_name.empty()) names.push_back(launch.at("name"));
    of_this_name.push_back(&launch.at("values"));
  }
  ordered_json out = ordered_json::array();
  for (const std::string& name : names)
    out.push_back({{"name", name},
                   {"launches", launches_of[name].size()},
                   {"values", combined_row(launches_of[name], values)}});
  return out;
}

ordered_json kernel_of_launches(const ordered_json& by_name, const ordered_json& values) {
  for (const char* key : {"name", "launches", "values"})
    if (!by_name.is_object() || !by_name.contains(key)) return nullptr;
  const ordered_json& row = by_name["values"];
  if (!row.is_array() || row.size() != values.size()) return nullptr;
  ordered_json named = ordered_json::object();
  std::size_t place = 0;
  for (const auto& [counter, whole] : values.items()) add_member(named, counter, row[place++]);
  return {{"name", by_name["name"]}, {"launches", by_name["launches"]}, {"values", std::move(named)}};
}

}  // namespace ablate::reports
