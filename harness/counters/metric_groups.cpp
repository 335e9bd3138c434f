#include "harness/counters/metric_groups.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/text/names.h"

namespace ablate {

/// metric_groups.json, put here by the build.
extern const char* const metric_groups_json;

namespace {

using nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& what) { throw std::logic_error("metric_groups.json: " + what); }

counter_group read_group(const ordered_json& from, const std::vector<std::string>& silicon) {
  counter_group group;
  group.name = from.at("name");
  group.purpose = from.at("purpose");
  const std::string how = from.at("profiler");
  if (how != "range" && how != "pm_sampling") refuse("no profiler '" + how + "'");
  group.how = how == "range" ? counter_group::profiler::range : counter_group::profiler::pm_sampling;
  for (const std::string& s : silicon) {
    std::vector<std::string> metrics;
    for (const std::string& part : {std::string("both"), s})
      if (from.contains(part))
        for (const auto& metric : from.at(part)) metrics.push_back(metric);
    if (!metrics.empty()) group.metrics[s] = std::move(metrics);
  }
  if (group.metrics.empty()) refuse("group '" + group.name + "' has no metric");
  return group;
}

const counter_group* group_named(const counter_catalog& in, std::string_view name) {
  for (const counter_group& g : in.groups)
    if (g.name == name) return &g;
  return nullptr;
}

const counter_set* set_named(const counter_catalog& in, std::string_view name) {
  for (const counter_set& s : in.sets)
    if (s.name == name) return &s;
  return nullptr;
}

counter_set read_set(const ordered_json& from, const counter_catalog& in) {
  counter_set set{from.at("name"), from.at("purpose"), {}};
  for (const std::string name : from.at("groups")) {
    const counter_group* group = group_named(in, name);
    if (!group || group->how != counter_group::profiler::range)
      refuse("set '" + set.name + "' names '" + name + "', which is no group of range counters");
    set.groups.push_back(group);
  }
  return set;
}

void refuse_undefined(const std::string& metric, const counter_group& in,
                      const counter_definitions& definitions) {
  const auto defined = definitions.find(metric);
  if (defined == definitions.end()) refuse("'" + metric + "' has no display name and unit");
  if (in.how == counter_group::profiler::range && !adds_up(metric) && defined->second.over.empty())
    refuse("'" + metric + "' is a ratio over nothing");
}

counter_catalog& catalog() {
  static counter_catalog all = parse_counter_catalog(metric_groups_json);
  return all;
}

/// Of a counter that the data file does not define: percentages say so in their names.
std::string unit_by_name(std::string_view metric) {
  const std::string_view last = metric.substr(metric.rfind('.') + 1);
  return last.starts_with("pct") ? "%" : "";
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t comma = text.find(',');
    words.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

const std::vector<std::string>& counter_group::metrics_on(const std::string& silicon) const {
  static const std::vector<std::string> nothing;
  const auto found = metrics.find(silicon);
  return found == metrics.end() ? nothing : found->second;
}

counter_catalog parse_counter_catalog(std::string_view json) {
  const ordered_json from = ordered_json::parse(json);
  counter_catalog all;
  for (const auto& s : from.at("silicon")) all.silicon.push_back(s);
  for (const auto& group : from.at("groups")) all.groups.push_back(read_group(group, all.silicon));
  for (const auto& set : from.at("sets")) all.sets.push_back(read_set(set, all));
  all.metrics = parse_counter_definitions(from.at("metrics"));
  for (const auto& [key, metric] : from.at("timeline").items()) all.timeline.emplace_back(key, metric);
  for (const auto& [key, metric] : from.at("sampled").items()) all.sampled.emplace_back(key, metric);
  for (const counter_group& g : all.groups)
    for (const auto& [silicon, metrics] : g.metrics)
      for (const std::string& metric : metrics) refuse_undefined(metric, g, all.metrics);
  return all;
}

const counter_catalog& counters() { return catalog(); }

void add_counter_groups(const std::vector<counter_group>& added) {
  counter_catalog& all = catalog();
  for (const counter_group& group : added) {
    if (group_named(all, group.name) || set_named(all, group.name) || group.name == no_counters)
      throw std::invalid_argument("the name '" + group.name + "' of a group of counters is taken");
    for (const auto& [silicon, metrics] : group.metrics)
      for (const std::string& metric : metrics)
        all.metrics.try_emplace(metric, counter_definition{metric, unit_by_name(metric), "", "", 1});
    all.groups.push_back(group);
    all.groups.back().asked_for = true;
  }
}

std::vector<std::string> counter_set_names() {
  std::vector<std::string> names = {std::string(no_counters)};
  for (const counter_set& s : counters().sets) names.push_back(s.name);
  return names;
}

std::vector<const counter_group*> chosen_groups(std::string_view choice) {
  std::vector<const counter_group*> chosen;
  if (choice == no_counters) return chosen;
  const auto add = [&](const counter_group* group) {
    if (std::find(chosen.begin(), chosen.end(), group) == chosen.end()) chosen.push_back(group);
  };
  for (const std::string& word : split(choice)) {
    if (const counter_set* set = set_named(counters(), word)) {
      std::for_each(set->groups.begin(), set->groups.end(), add);
      continue;
    }
    const counter_group* group = group_named(counters(), word);
    if (!group || group->how != counter_group::profiler::range)
      throw std::invalid_argument(no_such("set of counters", word, counter_set_names()) +
                                  ", or a group of harness/counters/metric_groups.json");
    add(group);
  }
  return chosen;
}

std::vector<const counter_group*> chosen_groups(std::string_view choice, const std::string& silicon) {
  std::vector<const counter_group*> chosen = chosen_groups(choice);
  std::erase_if(chosen, [&](const counter_group* g) { return g->metrics_on(silicon).empty(); });
  return chosen;
}

}  // namespace ablate
