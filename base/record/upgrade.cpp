#include "base/record/upgrade.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "base/record/fields.h"
#include "base/record/recorded_counters.h"
#include "base/record/suite_report.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"

namespace ablate::reports {

using nlohmann::ordered_json;

namespace {

constexpr const char *names_key = "kernel_names", *launches_key = "launches",
                     *columns_key = "counter_columns", *schema_key = "record_schema";

/// Up to here a double holds every integer, so that a sample is the quotient nearest to its nanoseconds over
/// 1000, as it was when it was taken.
constexpr std::int64_t max_ns = std::int64_t{1} << 53;

/// A member of an object, or null where there is none.
ordered_json* member(ordered_json& of, const char* key) {
  if (!of.is_object()) return nullptr;
  const auto found = of.find(key);
  return found == of.end() ? nullptr : &*found;
}

/// Extracts a table from the record's facts; empty if there is none.
ordered_json taken(ordered_json& facts, const char* table) {
  ordered_json* const is = member(facts, table);
  if (!is) return ordered_json::array();
  ordered_json out = std::move(*is);
  facts.erase(table);
  return out;
}

std::string pointer_to(const char* table) { return fmt::format("/context/ablate/{}", table); }

/// Each once.
bool are_names(const ordered_json& list) {
  std::set<std::string> seen;
  return list.is_array() && std::all_of(list.begin(), list.end(), [&](const ordered_json& name) {
           return name.is_string() && seen.insert(name.get<std::string>()).second;
         });
}

/// A row of values by the keys of `names`; what is no such row stays as it is.
ordered_json named(const ordered_json& row, const ordered_json& names) {
  if (!row.is_array() || row.size() != names.size()) return row;
  ordered_json out = ordered_json::object();
  std::size_t place = 0;
  for (const auto& [name, whole] : names.items()) add_member(out, name, row[place++]);
  return out;
}

/// The tables of a record of 1.9.0 to 1.20.0; empty ones before.
class tables {
 public:
  tables(ordered_json& facts, const std::string& file) : file_(file), columns_(taken(facts, columns_key)) {
    const ordered_json names = taken(facts, names_key), launches = taken(facts, launches_key);
    for (const json_place& name : json_place(names, file, pointer_to(names_key)).elements())
      names_.push_back(name.text());
    for (const json_place& launch : json_place(launches, file, pointer_to(launches_key)).elements()) {
      ordered_json by_text = {{"name", name_at(launch.at("kernel"))}};
      for (const auto& [key, value] : launch.json().items())
        if (key != "kernel") by_text[key] = value;
      launches_.push_back(std::move(by_text));
    }
  }

  void expand(ordered_json& entry, const std::string& pointer) const {
    expand_launches(entry, pointer);
    expand_samples(entry, pointer + "/time_us/samples");
    ordered_json* const counters = member(entry, "counters");
    if (!counters || !member(*counters, "values")) return;
    expand_values(*counters);
    if (!(*counters)["values"].is_object()) return;
    if (const ordered_json* const by_name = member(*counters, "by_name"); by_name && by_name->is_array())
      expand_by_name(*counters, pointer + "/counters/by_name");
    else
      expand_kernels(*counters, entry);
    mend_roundings((*counters)["values"]);
    if (ordered_json* const kernels = member(*counters, "kernels"); kernels && kernels->is_array())
      for (ordered_json& kernel : *kernels)
        if (ordered_json* const values = member(kernel, "values")) mend_roundings(*values);
  }

 private:
  const std::string& name_at(const json_place& number) const {
    return names_[place_in(names_.size(), "names", names_key, number)];
  }

  void expand_launches(ordered_json& entry, const std::string& pointer) const {
    ordered_json* const kernels = member(entry, "kernels");
    if (!kernels || !kernels->is_array()) return;
    for (std::size_t i = 0; i < kernels->size(); ++i)
      if (ordered_json& launch = (*kernels)[i]; launch.is_number())
        launch = launches_[place_in(launches_.size(), "launches", launches_key,
                                    {launch, file_, fmt::format("{}/kernels/{}", pointer, i)})];
  }

  void expand_values(ordered_json& counters) const {
    const ordered_json* const number = member(counters, "columns");
    if (!number || !number->is_number_unsigned() || !columns_.is_array()) return;
    const auto place = number->get<std::size_t>();
    if (place >= columns_.size() || !are_names(columns_[place])) return;
    ordered_json names = ordered_json::object();
    for (const ordered_json& name : columns_[place]) add_member(names, name.get<std::string>(), nullptr);
    ordered_json values = named(counters["values"], names);
    if (!values.is_object()) return;
    counters["values"] = std::move(values);
    counters.erase("columns");
  }

  /// Row i is of kernel i of the entry; before 1.3.0 there are objects already.
  static void expand_kernels(ordered_json& counters, ordered_json& entry) {
    ordered_json *const rows = member(counters, "kernels"), *const kernels = member(entry, "kernels");
    if (!rows || !rows->is_array() || !kernels || !kernels->is_array()) return;
    for (std::size_t i = 0; i < std::min(rows->size(), kernels->size()); ++i) {
      if (!(*rows)[i].is_array() || !member((*kernels)[i], "name")) continue;
      ordered_json values = named((*rows)[i], counters["values"]);
      if (values.is_object()) (*rows)[i] = {{"name", (*kernels)[i]["name"]}, {"values", std::move(values)}};
    }
  }

  /// `kernels` replaces `by_name`.
  void expand_by_name(ordered_json& counters, const std::string& pointer) const {
    ordered_json out = ordered_json::object();
    for (const auto& [key, value] : counters.items()) {
      if (key == "kernels") continue;
      if (key != "by_name") {
        out[key] = value;
        continue;
      }
      ordered_json& kernels = out["kernels"] = ordered_json::array();
      for (std::size_t i = 0; i < value.size(); ++i)
        kernels.push_back(counted(value[i], counters["values"], fmt::format("{}/{}", pointer, i)));
    }
    counters = std::move(out);
  }

  /// Since 1.18.0 a row that begins with the number of a name and that of launches; before, an object.
  ordered_json counted(const ordered_json& of, const ordered_json& names, const std::string& pointer) const {
    if (!of.is_array()) {
      ordered_json out = of;
      if (ordered_json* const values = member(out, "values")) *values = named(*values, names);
      return out;
    }
    const json_place row(of, file_, pointer);
    const std::vector<json_place> elements = row.elements();
    if (elements.size() < 2) row.refuse("expected the number of a name, launches and values, found fewer");
    return {{"name", name_at(elements[0])},
            {"launches", of[1]},
            {"values", named(ordered_json(of.begin() + 2, of.end()), names)}};
  }

  /// Older programs wrote 15922199999.999998 for 15922200000, to which they had rounded.
  static void mend_roundings(ordered_json& values) {
    if (!values.is_object()) return;
    for (ordered_json& value : values) {
      if (!value.is_number_float()) continue;
      const double written = value.get<double>();
      const written_number rounded = short_number(written);
      if (std::fabs(rounded - written) <= 1e-14 * std::fabs(written)) value = fields::json_of(rounded);
    }
  }

  void expand_samples(ordered_json& entry, const std::string& pointer) const {
    ordered_json* const time = member(entry, "time_us");
    ordered_json* const samples = time ? member(*time, "samples") : nullptr;
    if (!samples) return;
    if (samples->contains("deltas"))
      *samples = summed({*samples, file_, pointer});
    else if (samples->contains("order"))
      *samples = in_order({*samples, file_, pointer});
    if (samples->is_array() && std::ranges::all_of(*samples, &ordered_json::is_number))
      std::sort(samples->begin(), samples->end());
  }

  /// Since 1.20.0: the first sample, then each one's difference from the one before, in ticks.
  static ordered_json summed(const json_place& encoded) {
    const std::int64_t tick_ns = encoded.at("tick_ns").integer(1, max_ns);
    ordered_json samples = ordered_json::array();
    std::int64_t ticks = 0;
    for (const json_place& delta : encoded.at("deltas").elements()) {
      ticks += delta.integer(-max_ns, max_ns);
      if (ticks < 1 || ticks > max_ns / tick_ns)
        delta.refuse(fmt::format("expected a sum of deltas from 1 to {}, found {}", max_ns / tick_ns, ticks));
      samples.push_back(static_cast<double>(ticks * tick_ns) / 1000);
    }
    return samples;
  }

  /// From 1.10.0 to 1.19.0: the distinct values, and for each sample the place of its value among them.
  static ordered_json in_order(const json_place& distinct) {
    const std::vector<json_place> values = distinct.at("values").elements();
    ordered_json samples = ordered_json::array();
    for (const json_place& place : distinct.at("order").elements()) {
      const std::int64_t last = static_cast<std::int64_t>(values.size()) - 1;
      samples.push_back(values[static_cast<std::size_t>(place.integer(0, last))].json());
    }
    return samples;
  }

  static std::size_t place_in(std::size_t size, const char* of_what, const char* table,
                              const json_place& number) {
    const ordered_json& is = number.json();
    if (!is.is_number_unsigned() || is.get<std::size_t>() >= size)
      number.refuse_value(fmt::format("the number of one of {} {} in {}", size, of_what, pointer_to(table)));
    return is.get<std::size_t>();
  }

  const std::string& file_;
  const ordered_json columns_;
  std::vector<std::string> names_;
  std::vector<ordered_json> launches_;
};

void expand_tables(ordered_json& facts, ordered_json& benchmarks, const std::string& file) {
  const tables of_record(facts, file);
  for (std::size_t i = 0; i < benchmarks.size(); ++i)
    of_record.expand(benchmarks[i], fmt::format("/benchmarks/{}", i));
}

}  // namespace

void upgrade(ordered_json& record, const std::string& file) {
  ordered_json* const context = member(record, "context");
  ordered_json* const facts = context ? member(*context, "ablate") : nullptr;
  ordered_json* const schema = facts ? member(*facts, schema_key) : nullptr;
  ordered_json* const benchmarks = member(record, "benchmarks");
  if (!schema || !schema->is_string() || !benchmarks || !benchmarks->is_array()) return;
  const auto version = schema->get<std::string>();
  if (version.starts_with("1."))
    expand_tables(*facts, *benchmarks, file);
  else if (!version.starts_with("2.0."))
    return;
  if (ordered_json* const suite = member(*facts, "suite")) gather_report(*suite);
  (*facts)[schema_key] = record_schema;
  if (!facts->contains("upgraded_from")) (*facts)["upgraded_from"] = version;
}

std::string written_schema(const ordered_json& facts) {
  return facts.value("upgraded_from", facts.at(schema_key).get<std::string>());
}

bool is_written_since(const ordered_json& facts, int major, int minor) {
  const std::string version = written_schema(facts);
  const char* const end = version.data() + version.size();
  int its_major = 0, its_minor = 0;
  const char* dot = std::from_chars(version.data(), end, its_major).ptr;
  if (dot != end) std::from_chars(dot + 1, end, its_minor);
  return std::pair(its_major, its_minor) >= std::pair(major, minor);
}

}  // namespace ablate::reports
