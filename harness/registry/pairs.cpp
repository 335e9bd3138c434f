#include "harness/registry/pairs.h"

#include <algorithm>

namespace ablate {
namespace {

std::vector<std::string> switches_that_differ(const variant_facts& a, const variant_facts& b) {
  std::vector<std::string> out;
  for (const switch_entry& entry : a.switches)
    if (value_of(b.switches, entry.first) != entry.second) out.push_back(entry.first);
  for (const switch_entry& entry : b.switches)
    if (!a.switches.has(entry.first) && entry.second != "off") out.push_back(entry.first);
  return out;
}

bool share_words(const axis_conditions::value_type& condition, const axis_conditions& others) {
  const auto same_axis = std::ranges::find(others, condition.first, &axis_conditions::value_type::first);
  return same_axis == others.end() ||
         std::ranges::find_first_of(condition.second, same_axis->second) != condition.second.end();
}

/// Whether no axis keeps the two apart.
bool can_meet(const variant_facts& a, const variant_facts& b) {
  return std::ranges::all_of(a.only_where,
                             [&](const auto& condition) { return share_words(condition, b.only_where); });
}

}  // namespace

bool has_meaning(const operation& of, const std::string& name, const variant_facts& at) {
  const auto declared = std::ranges::find(of.switches, name, &switch_facts::name);
  return declared == of.switches.end() || declared->only_with.empty() ||
         std::ranges::any_of(declared->only_with, [&](const auto& condition) {
           return std::ranges::find(condition.second, value_of(at.switches, condition.first)) !=
                  condition.second.end();
         });
}

std::vector<const variant_facts*> points_of(const operation& of) {
  std::vector<const variant_facts*> out;
  for (const variant_facts& v : of.variants) {
    std::vector<std::string> names;
    for (const switch_range& range : v.takes)
      if (std::ranges::find(names, range.name) == names.end()) names.push_back(range.name);
    std::vector<switch_values> combinations = {{}};
    for (const std::string& name : names) {
      std::vector<switch_values> longer = combinations;
      for (const switch_values& before : combinations)
        for (const std::string& value : values_taken(v, name)) {
          longer.push_back(before);
          longer.back().emplace_back(name, value);
        }
      combinations = std::move(longer);
    }
    for (const switch_values& values : combinations)
      if (const variant_facts* point = of.point(v, values);
          point && std::ranges::find(out, point) == out.end())
        out.push_back(point);
  }
  return out;
}

std::optional<std::string> only_difference(const operation& of, const variant_facts& a,
                                           const variant_facts& b) {
  std::vector<std::string> differ = switches_that_differ(a, b);
  std::erase_if(
      differ, [&](const std::string& name) { return has_meaning(of, name, a) != has_meaning(of, name, b); });
  if (differ.size() != 1) return std::nullopt;
  return differ.front();
}

std::vector<point_pair> pairs_of(const operation& of) {
  const std::vector<const variant_facts*> points = points_of(of);
  std::vector<point_pair> out;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j)
      if (can_meet(*points[i], *points[j]))
        if (auto name = only_difference(of, *points[i], *points[j]))
          out.push_back({*name, points[i], points[j]});
  return out;
}

}  // namespace ablate
