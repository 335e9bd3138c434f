#include "reports/record/compact_counters.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "reports/record/combined_counters.h"
#include "reports/record/compact_launches.h"
#include "reports/record/compact_samples.h"
#include "reports/record/kernels_by_name.h"
#include "reports/text/json_text.h"

namespace ablate::reports {

using nlohmann::ordered_json;

namespace {

/// Without a fraction where it has none: 4096, not 4096.0.
ordered_json plain_number(double number) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (std::floor(number) == number && std::fabs(number) < exact) return static_cast<std::int64_t>(number);
  return number;
}

}  // namespace

ordered_json short_number(const ordered_json& value) {
  if (!value.is_number_float()) return value;
  const double number = value.get<double>();
  if (!std::isfinite(number) || plain_number(number).is_number_integer()) return plain_number(number);
  constexpr int digits = 6;
  const double scale = std::pow(10, digits - 1 - std::floor(std::log10(std::fabs(number))));
  const double rounded = std::round(number * scale) / scale;
  return plain_number(std::isfinite(rounded) ? rounded : number);
}

namespace {

/// The counters of an entry that has them, or null.
ordered_json* counters_of(ordered_json& entry) {
  const auto counters = entry.find("counters");
  const bool has_values = counters != entry.end() && counters->is_object() && counters->contains("values");
  return has_values ? &*counters : nullptr;
}

ordered_json row_of(const ordered_json& values, const ordered_json& names) {
  ordered_json row = ordered_json::array();
  for (const auto& [name, whole] : names.items()) {
    const ordered_json value = values.value(name, ordered_json());
    row.push_back(value.is_number_float() ? plain_number(value.get<double>()) : value);
  }
  return row;
}

/// Rows of the launches, or what they come to by name; what already is by name stays so.
void add_kernels(const ordered_json& counters, ordered_json& out) {
  const ordered_json &kernels = counters["kernels"], &values = counters["values"];
  if (counters.contains("by_name")) return;
  if (kernels.size() > max_launches_with_counters) {
    out["by_name"] = kernels_by_name(kernels, values);
    for (ordered_json& kernel : out["by_name"])
      for (ordered_json& number : kernel["values"]) number = short_number(number);
    return;
  }
  out["kernels"] = ordered_json::array();
  for (const ordered_json& kernel : kernels)
    out["kernels"].push_back(kernel.is_object() ? row_of(kernel.at("values"), values) : kernel);
}

bool is_row_of(const ordered_json& row, const ordered_json& names, const ordered_json& kernels,
               std::size_t i) {
  return row.is_array() && row.size() == names.size() && i < kernels.size() && kernels[i].is_object() &&
         kernels[i].contains("name");
}

ordered_json named(const ordered_json& row, const ordered_json& names) {
  ordered_json values = ordered_json::object();
  std::size_t place = 0;
  for (const auto& [name, whole] : names.items()) add_member(values, name, row[place++]);
  return values;
}

/// Each once.
bool are_names(const ordered_json& list) {
  std::set<std::string> seen;
  return list.is_array() && std::all_of(list.begin(), list.end(), [&](const ordered_json& name) {
           return name.is_string() && seen.insert(name.get<std::string>()).second;
         });
}

void expand_values(ordered_json& counters, const ordered_json& columns) {
  const auto number = counters.find("columns");
  if (number == counters.end() || !number->is_number_unsigned() || !counters["values"].is_array()) return;
  const auto place = number->get<std::size_t>();
  if (!columns.is_array() || place >= columns.size() || !are_names(columns[place])) return;
  const ordered_json &names = columns[place], &row = counters["values"];
  if (row.size() != names.size()) return;
  ordered_json values = ordered_json::object();
  for (std::size_t i = 0; i < names.size(); ++i) add_member(values, names[i].get<std::string>(), row[i]);
  counters["values"] = std::move(values);
  counters.erase("columns");
}

void expand_kernels(ordered_json& counters, const ordered_json& kernels) {
  const ordered_json& names = counters["values"];
  ordered_json& rows = counters["kernels"];
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (is_row_of(rows[i], names, kernels, i))
      rows[i] = {{"name", kernels[i]["name"]}, {"values", named(rows[i], names)}};
}

void expand_names(ordered_json& counters) {
  ordered_json kernels = ordered_json::array();
  for (const ordered_json& of_one_name : counters["by_name"])
    kernels.push_back(kernel_of_launches(of_one_name, counters["values"]));
  counters["kernels"] = std::move(kernels);
}

ordered_json lists_of_columns(const ordered_json& record) {
  const ordered_json* at = &record;
  for (const char* key : {"context", "ablate", "counter_columns"}) {
    if (!at->is_object() || !at->contains(key)) return nullptr;
    at = &(*at)[key];
  }
  return *at;
}

}  // namespace

std::size_t counter_columns::number_of(const ordered_json& values) {
  ordered_json names = ordered_json::array();
  for (const auto& [name, value] : values.items()) names.push_back(name);
  const auto known = std::find(lists_.begin(), lists_.end(), names);
  if (known != lists_.end()) return static_cast<std::size_t>(known - lists_.begin());
  lists_.push_back(std::move(names));
  return lists_.size() - 1;
}

void shorten_counters(ordered_json& entry) {
  ordered_json* const counters = counters_of(entry);
  if (!counters) return;
  const auto shorten = [](ordered_json& of) {
    if (of.contains("values") && of["values"].is_object())
      for (ordered_json& value : of["values"]) value = short_number(value);
  };
  shorten(*counters);
  if (counters->contains("kernels"))
    for (ordered_json& kernel : (*counters)["kernels"]) shorten(kernel);
}

ordered_json with_compact_counters(ordered_json entry, counter_columns& columns) {
  ordered_json* const counters = counters_of(entry);
  if (!counters || !(*counters)["values"].is_object() || (*counters)["values"].empty()) return entry;
  const ordered_json& values = (*counters)["values"];
  ordered_json out = ordered_json::object();
  for (const auto& [key, member] : counters->items()) {
    if (key == "values") {
      out["columns"] = columns.number_of(values);
      out["values"] = row_of(values, values);
    } else if (key == "kernels" && member.is_array()) {
      add_kernels(*counters, out);
    } else {
      out[key] = member;
    }
  }
  *counters = std::move(out);
  return entry;
}

void expand_counters(ordered_json& entry, const ordered_json& columns) {
  ordered_json* const counters = counters_of(entry);
  if (!counters) return;
  expand_values(*counters, columns);
  if (!(*counters)["values"].is_object()) return;
  const auto holds = [&](const char* key) { return counters->contains(key) && (*counters)[key].is_array(); };
  if (holds("by_name"))
    expand_names(*counters);
  else if (holds("kernels") && entry.contains("kernels") && entry["kernels"].is_array())
    expand_kernels(*counters, entry["kernels"]);
}

ordered_json parse_record_as_written(const std::filesystem::path& path) {
  ordered_json record = parse_json_file(path);
  if (!record.is_object() || !record.contains("benchmarks") || !record["benchmarks"].is_array())
    return record;
  expand_launches(record, path.string());
  expand_samples(record, path.string());
  const ordered_json columns = lists_of_columns(record);
  for (ordered_json& entry : record["benchmarks"])
    if (entry.is_object()) expand_counters(entry, columns);
  return record;
}

ordered_json parse_record_file(const std::filesystem::path& path) {
  ordered_json record = parse_record_as_written(path);
  if (!record.is_object() || !record.contains("benchmarks") || !record["benchmarks"].is_array())
    return record;
  for (ordered_json& entry : record["benchmarks"])
    if (entry.is_object()) combine_counters(entry);
  return record;
}

}  // namespace ablate::reports
