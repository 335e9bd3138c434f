#include "reports/compact_counters.h"

#include <cmath>

#include "reports/combined_counters.h"
#include "reports/json_place.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

ordered_json short_number(const ordered_json& value) {
  if (!value.is_number_float()) return value;
  const double number = value.get<double>();
  constexpr double exact = 9007199254740992;  // 2^53
  if (std::floor(number) == number && std::fabs(number) < exact) return static_cast<std::int64_t>(number);
  if (!std::isfinite(number)) return value;
  constexpr int digits = 6;
  const double scale = std::pow(10, digits - 1 - std::floor(std::log10(std::fabs(number))));
  const double rounded = std::round(number * scale) / scale;
  return std::isfinite(rounded) ? rounded : number;
}

/// The counters of an entry that has them, or null.
ordered_json* counters_of(ordered_json& entry) {
  const auto counters = entry.find("counters");
  const bool has_kernels = counters != entry.end() && counters->is_object() &&
                           counters->contains("kernels") && counters->contains("values") &&
                           (*counters)["values"].is_object() && (*counters)["kernels"].is_array();
  return has_kernels ? &*counters : nullptr;
}

bool is_row_of(const ordered_json& row, const ordered_json& names, const ordered_json& kernels,
               std::size_t i) {
  return row.is_array() && row.size() == names.size() && i < kernels.size() && kernels[i].is_object() &&
         kernels[i].contains("name");
}

void for_each_entry(ordered_json& record, void (*change)(ordered_json&)) {
  if (!record.is_object() || !record.contains("benchmarks") || !record["benchmarks"].is_array()) return;
  for (ordered_json& entry : record["benchmarks"])
    if (entry.is_object()) change(entry);
}

}  // namespace

ordered_json with_compact_counters(ordered_json entry) {
  ordered_json* const counters = counters_of(entry);
  if (!counters) return entry;
  ordered_json& values = (*counters)["values"];
  ordered_json rows = ordered_json::array();
  for (const ordered_json& kernel : (*counters)["kernels"]) {
    if (kernel.is_array()) {  // an entry that was read and is written again
      rows.push_back(kernel);
      continue;
    }
    ordered_json row = ordered_json::array();
    for (const auto& [name, whole] : values.items())
      row.push_back(short_number(kernel.at("values").value(name, ordered_json())));
    rows.push_back(std::move(row));
  }
  for (auto& [name, whole] : values.items()) whole = short_number(whole);
  (*counters)["kernels"] = std::move(rows);
  return entry;
}

void expand_counters(ordered_json& entry) {
  ordered_json* const counters = counters_of(entry);
  if (!counters || !entry.contains("kernels") || !entry["kernels"].is_array()) return;
  const ordered_json &names = (*counters)["values"], &kernels = entry["kernels"];
  ordered_json& rows = (*counters)["kernels"];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!is_row_of(rows[i], names, kernels, i)) continue;
    ordered_json values = ordered_json::object();
    std::size_t place = 0;
    for (const auto& [name, whole] : names.items()) values[name] = rows[i][place++];
    rows[i] = {{"name", kernels[i]["name"]}, {"values", std::move(values)}};
  }
}

ordered_json parse_record_as_written(const std::filesystem::path& path) {
  ordered_json record = parse_json_file(path);
  for_each_entry(record, expand_counters);
  return record;
}

ordered_json parse_record_file(const std::filesystem::path& path) {
  ordered_json record = parse_record_as_written(path);
  for_each_entry(record, combine_counters);
  return record;
}

}  // namespace ablate::reports
