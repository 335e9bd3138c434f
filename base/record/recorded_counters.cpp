#include "base/record/recorded_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/record/combined_counters.h"

namespace ablate::reports {
namespace {

using counted_kernel = counter_readings::kernel;

/// Without a fraction where it has none: 4096, not 4096.0.
written_number plain_number(double number) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (std::floor(number) == number && std::fabs(number) < exact) return static_cast<std::int64_t>(number);
  return number;
}

std::optional<written_number> value_in(const counter_values& values, const std::string& counter) {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == counter; });
  return found == values.end() ? std::nullopt : found->second;
}

counter_values combined_values(const std::vector<const counted_kernel*>& launches,
                               const counter_values& values) {
  counters_by_kernel columns;
  for (const auto& [counter, whole] : values)
    for (const counted_kernel* launch : launches)
      columns[counter].push_back(
          find_counter(launch->values, counter).value_or(std::numeric_limits<double>::quiet_NaN()));
  const kernel_counters of_name(std::move(columns));
  counter_values out;
  for (const auto& [counter, whole] : values) out.emplace_back(counter, of_name.of_case(counter).value);
  return out;
}

counter_values shortened(const counter_values& of, const counter_values& names) {
  counter_values out;
  for (const auto& [name, whole] : names) {
    const auto value = value_in(of, name);
    out.emplace_back(name, value ? std::optional(short_number(*value)) : std::nullopt);
  }
  return out;
}

}  // namespace

written_number short_number(const written_number& value) {
  if (value.integer()) return value;
  const double number = value;
  if (!std::isfinite(number) || plain_number(number).integer()) return plain_number(number);
  // By way of its text: a power of ten that is multiplied and divided leaves 15922199999.999998.
  const std::string text = fmt::format("{:.6g}", number);
  double rounded = number;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return plain_number(rounded);
}

std::vector<counted_kernel> kernels_by_name(const std::vector<counted_kernel>& launches,
                                            const counter_values& values) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<const counted_kernel*>> launches_of;
  for (const counted_kernel& launch : launches) {
    auto& of_this_name = launches_of[launch.name];
    if (of_this_name.empty()) names.push_back(launch.name);
    of_this_name.push_back(&launch);
  }
  std::vector<counted_kernel> out;
  for (const std::string& name : names)
    out.push_back(
        {name, combined_values(launches_of[name], values), static_cast<long>(launches_of[name].size())});
  return out;
}

void form_counters(counter_readings& of) {
  of.values = shortened(of.values, of.values);
  const auto shorten_all = [&] {
    for (counted_kernel& k : of.kernels) k.values = shortened(k.values, of.values);
  };
  shorten_all();
  const bool is_by_name = std::any_of(of.kernels.begin(), of.kernels.end(),
                                      [](const counted_kernel& k) { return k.by_name.has_value(); });
  if (is_by_name || of.kernels.size() <= max_launches_with_counters) return;
  of.kernels = kernels_by_name(of.kernels, of.values);
  shorten_all();
}

}  // namespace ablate::reports
