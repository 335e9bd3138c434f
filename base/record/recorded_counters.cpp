#include "base/record/recorded_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/record/combined_counters.h"
#include "base/text/json_text.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;
using launches_of_a_name = std::vector<const ordered_json*>;

/// Without a fraction where it has none: 4096, not 4096.0.
ordered_json plain_number(double number) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (std::floor(number) == number && std::fabs(number) < exact) return static_cast<std::int64_t>(number);
  return number;
}

double value_in(const ordered_json& launch, const std::string& counter) {
  const ordered_json value = launch.value(counter, ordered_json());
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

ordered_json combined_values(const launches_of_a_name& launches, const ordered_json& values) {
  counters_by_kernel columns;
  for (const auto& [counter, whole] : values.items())
    for (const ordered_json* launch : launches) columns[counter].push_back(value_in(*launch, counter));
  const kernel_counters of_name(std::move(columns));
  ordered_json out = ordered_json::object();
  for (const auto& [counter, whole] : values.items()) {
    const combined_counter combined = of_name.of_case(counter);
    add_member(out, counter, combined.value ? ordered_json(*combined.value) : ordered_json());
  }
  return out;
}

ordered_json shortened(const ordered_json& of, const ordered_json& names) {
  ordered_json out = ordered_json::object();
  for (const auto& [name, whole] : names.items())
    add_member(out, name, short_number(of.value(name, ordered_json())));
  return out;
}

}  // namespace

ordered_json short_number(const ordered_json& value) {
  if (!value.is_number_float()) return value;
  const double number = value.get<double>();
  if (!std::isfinite(number) || plain_number(number).is_number_integer()) return plain_number(number);
  // By way of its text: a power of ten that is multiplied and divided leaves 15922199999.999998.
  const std::string text = fmt::format("{:.6g}", number);
  double rounded = number;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return plain_number(rounded);
}

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
                   {"values", combined_values(launches_of[name], values)}});
  return out;
}

void form_counters(ordered_json& entry) {
  const auto counters = entry.find("counters");
  if (counters == entry.end() || !counters->is_object() || !counters->contains("values")) return;
  ordered_json& values = (*counters)["values"];
  if (!values.is_object()) return;
  for (ordered_json& value : values) value = short_number(value);
  const auto kernels = counters->find("kernels");
  if (kernels == counters->end() || !kernels->is_array()) return;
  const auto shorten_all = [&] {
    for (ordered_json& kernel : *kernels) kernel["values"] = shortened(kernel.at("values"), values);
  };
  shorten_all();
  const bool is_by_name = std::any_of(kernels->begin(), kernels->end(),
                                      [](const ordered_json& k) { return k.contains("launches"); });
  if (is_by_name || kernels->size() <= max_launches_with_counters) return;
  *kernels = kernels_by_name(*kernels, values);
  shorten_all();
}

}  // namespace ablate::reports
