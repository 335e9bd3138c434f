#include "harness/registry/pairs.h"

#include <algorithm>
#include <ranges>

#include "harness/registry/combinations.h"

namespace ABLATE_ABI {
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
    values_by_switch values;
    for (const switch_range& range : v.takes | std::views::reverse)  // so that the last one varies slowest
      if (std::ranges::find(values, range.name, &values_by_switch::value_type::first) == values.end()) {
        values.emplace_back(range.name, values_taken(v, range.name));
        values.back().second.insert(values.back().second.begin(), value_of(v.switches, range.name));
      }
    for (const switch_values& combination : combinations_of(values))
      if (const variant_facts* point = of.point(v, combination);
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

}  // namespace ABLATE_ABI
