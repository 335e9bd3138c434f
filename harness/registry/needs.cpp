#include "harness/registry/needs.h"

#include <algorithm>

namespace ABLATE_ABI {
namespace {

std::vector<const variant_facts*> points_with(const operation& of, const std::string& name,
                                              const std::string& value) {
  std::vector<const variant_facts*> out;
  for (const variant_facts& v : of.variants)
    if (const variant_facts* point = of.point(v, {{name, value}})) out.push_back(point);
  return out;
}

/// What an axis may be at one of the points, at least; empty where one of them leaves it free.
std::vector<std::string> words_at(const std::vector<const variant_facts*>& points, const axis& a) {
  std::vector<std::string> out;
  for (const variant_facts* point : points) {
    const auto found = std::ranges::find(point->only_where, a.name, &axis_conditions::value_type::first);
    if (found == point->only_where.end()) return {};
    for (const std::string& word : found->second)
      if (std::ranges::find(out, word) == out.end()) out.push_back(word);
  }
  return out;
}

}  // namespace

value_needs needs_of(const operation& of, const std::string& name, const std::string& value) {
  const std::vector<const variant_facts*> points = points_with(of, name, value);
  if (points.empty()) return {};
  value_needs out{.minimum_compute_capability = 100000};
  for (const variant_facts* point : points)
    out.minimum_compute_capability =
        std::min(out.minimum_compute_capability, point->minimum_compute_capability);
  for (const axis& a : of.axes) {
    const std::vector<std::string> words = words_at(points, a);
    const bool are_all = !a.words.empty() && words.size() == a.words.size();
    if (!words.empty() && !are_all) out.only_where.emplace_back(a.name, words);
  }
  return out;
}

}  // namespace ABLATE_ABI
