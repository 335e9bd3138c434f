#include "harness/cli/searched_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "harness/registry/pairs.h"
#include "harness/suite/one_off.h"

namespace ablate {
namespace {

constexpr std::size_t fewest_allowed_cases = 1000;

suite suite_of_points(const operation& of, const std::vector<std::string>& assignments,
                      const std::vector<const variant_facts*>& points) {
  auto text = nlohmann::ordered_json::parse(one_off_suite_text(of, assignments));
  text["name"] = "search_" + of.name;
  text["description"] = fmt::format("{}, all points at which a search may arrive", of.name);
  text["maximum_cases"] = std::max(fewest_allowed_cases, points.size());
  auto names = nlohmann::ordered_json::array();
  for (const variant_facts* p : points) names.push_back(p->name);
  text["cases"][0]["variants"] = std::move(names);
  return read_suite_text(reports::json_text(text, 2) + "\n", of.name);
}

/// Variants and switches are what a search is for.
void require_axes(const std::vector<std::string>& assignments) {
  for (const std::string& word : assignments)
    if (word.starts_with("variants=") || word.starts_with("switch."))
      throw bad_input("--axes", "", fmt::format("expected values of axes, found '{}'", word));
}

void require_one_workload(const suite_block& block) {
  const auto refuse = [](const std::string& name, std::size_t count) {
    throw bad_input(
        "--axes", "",
        fmt::format("expected one value of '{}', since a search is of one workload; found {}", name, count));
  };
  for (const auto& [name, values] : block.axes)
    if (values.size() != 1) refuse(name, values.size());
  if (block.cache_states.size() != 1) refuse("cache", block.cache_states.size());
}

named_words stated_words(const switches& of) {
  named_words out;
  for (const switch_entry& entry : of)
    if (entry.second != "off") out.emplace_back(entry.first, entry.second);
  return out;
}

search::beginning beginning_of(const operation& of, const std::vector<const variant_facts*>& points) {
  search::beginning out;
  const auto add = [&](const variant_facts* v) {
    const auto at = std::ranges::find(points, v->name, [](const auto* p) { return p->name; });
    if (at == points.end()) return;
    const auto number = static_cast<std::size_t>(at - points.begin());
    if (v->name == of.baseline) out.baseline = number;
    if (std::ranges::find(out.points, number) == out.points.end()) out.points.push_back(number);
  };
  for (const char* preset : {"baseline", "best", "published"})
    for (const variant_facts* v : of.preset(preset)) add(v);
  for (const variant_facts& v : of.variants) add(&v);
  return out;
}

}  // namespace

search::difference declared_difference(const operation& of, std::vector<const variant_facts*> points) {
  return [&of, points = std::move(points)](std::size_t a, std::size_t b) {
    return only_difference(of, *points[a], *points[b]);
  };
}

searched_space searched_space_of(const operation& of, const std::vector<std::string>& assignments,
                                 const target& on) {
  require_axes(assignments);
  const std::vector<const variant_facts*> facts = points_of(of);
  suite from = suite_of_points(of, assignments, facts);
  const suite_block& block = from.blocks.front();
  require_one_workload(block);

  std::map<std::string, suite_case> cases;
  for (suite_case& c : expand(from, on, input_library(from.seed, from.point_files, {})))
    if (c.ceiling.empty() && c.variant) cases.emplace(c.variant->name, std::move(c));
  std::vector<search::point> points;
  std::vector<std::string> ids;
  for (const variant_facts* p : facts) {
    const suite_case& c = cases.at(p->name);
    points.push_back({p->name, stated_words(p->switches), c.not_applicable.value_or("")});
    ids.push_back(c.id);
  }
  named_words axes;
  for (const auto& [name, values] : block.axes) axes.emplace_back(name, values.front());
  const std::string state(to_string(block.cache_states.front()));
  if (std::ranges::none_of(points, [](const auto& p) { return p.why_not.empty(); }))
    throw bad_input("--axes", "", fmt::format("no point of {} can run: {}", of.name, points.front().why_not));
  return {std::move(from), search::space(std::move(points), declared_difference(of, facts)),
          std::move(ids),  beginning_of(of, facts),
          std::move(axes), state};
}

}  // namespace ablate
