#include "harness/counters/metric_groups_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "harness/counters/metric_groups.h"

namespace ablate {

namespace {

using reports::json_place;

/// Appears in comma-separated lists and in records.
std::string group_name(const json_place& at, std::set<std::string>& others) {
  const std::string name = at.text();
  if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
    at.refuse(fmt::format("'{}' cannot name a group; expected lowercase letters, digits and _", name));
  const auto& own = counters();
  const bool is_taken = name == no_counters || name == "metrics" ||
                        std::ranges::find(own.groups, name, &counter_group::name) != own.groups.end() ||
                        std::ranges::find(own.sets, name, &counter_set::name) != own.sets.end();
  if (is_taken) at.refuse(fmt::format("the name '{}' is taken; expected another", name));
  if (!others.insert(name).second) at.refuse(fmt::format("there are two groups '{}'", name));
  return name;
}

void add_metrics(const json_place& at, std::vector<std::string>& to) {
  for (const json_place& one : at.at_least_one("metric")) to.push_back(one.text());
}

}  // namespace

std::vector<named_metrics> read_metric_groups(const std::filesystem::path& path, const std::string& silicon) {
  const nlohmann::ordered_json document = reports::parse_json_file(path);
  const std::string file = path.string();
  const json_place root(document, file);
  root.expect_keys({"groups"});
  std::vector<named_metrics> all;
  std::set<std::string> names;
  for (const json_place& at : root.at("groups").at_least_one("group")) {
    std::vector<std::string> keys = {"name", "purpose", "both"};
    keys.insert(keys.end(), counters().silicon.begin(), counters().silicon.end());
    at.expect_keys(keys);
    named_metrics group{group_name(at.at("name"), names), "", {}};
    if (const auto purpose = at.find("purpose")) group.purpose = purpose->text();
    bool has_metrics = false;
    for (const std::string& part : keys)
      if (const auto list = part == "name" || part == "purpose" ? std::nullopt : at.find(part)) {
        has_metrics = true;
        std::vector<std::string> metrics;
        add_metrics(*list, metrics);
        if (part == "both" || part == silicon)
          group.metrics.insert(group.metrics.end(), metrics.begin(), metrics.end());
      }
    if (!has_metrics)
      at.refuse(fmt::format("expected metrics: a key 'both', or the name of a silicon ('{}')",
                            fmt::join(counters().silicon, "', '")));
    all.push_back(std::move(group));
  }
  std::erase_if(all, [](const named_metrics& group) { return group.metrics.empty(); });
  return all;
}

}  // namespace ablate
