#include "base/record/counter_definitions.h"

#include <stdexcept>

namespace ablate {

/// harness/counters/metric_groups.json, put here by the build.
extern const char* const metric_groups_json;

bool adds_up(std::string_view counter) {
  return counter.ends_with(".sum") || counter.ends_with(".avg") || counter.ends_with(".max");
}

namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::logic_error("metric_groups.json: " + what); }

/// Percentages are of 100, rates of a second whose time is in nanoseconds.
double scale_of(const counter_definition& ratio, const counter_definitions& all) {
  if (ratio.unit == "%") return 100;
  const auto over = all.find(ratio.over);
  return over != all.end() && over->second.unit == "ns" ? 1e9 : 1;
}

}  // namespace

counter_definitions parse_counter_definitions(const nlohmann::ordered_json& metrics) {
  counter_definitions all;
  for (const auto& [counter, facts] : metrics.items()) {
    counter_definition& made = all[counter];
    made.display = facts.at("display");
    made.unit = facts.at("unit");
    made.over = facts.value("over", "");
    made.of = facts.value("of", "");
    if (adds_up(counter) && !made.over.empty()) refuse("'" + counter + "' adds up and is over something");
    if (!made.of.empty() && made.over.empty()) refuse("'" + counter + "' is of something over nothing");
  }
  for (auto& [counter, made] : all)
    if (!made.over.empty()) made.scale = scale_of(made, all);
  return all;
}

const counter_definitions& defined_counters() {
  static const counter_definitions all =
      parse_counter_definitions(nlohmann::ordered_json::parse(metric_groups_json).at("metrics"));
  return all;
}

}  // namespace ablate
