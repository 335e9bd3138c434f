#include "harness/registry/points.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/registry/operation.h"

namespace ABLATE_ABI {
namespace {

/// Conditions of `values` replace those of `to` on the same axes.
void limit(axis_conditions& to, const axis_conditions& values) {
  for (const auto& condition : values) {
    std::erase_if(to, [&](const auto& one) { return one.first == condition.first; });
    to.push_back(condition);
  }
}

}  // namespace

const switch_range* find_range(const variant_facts& v, const std::string& name, const std::string& value) {
  const auto found = std::ranges::find_if(v.takes, [&](const switch_range& range) {
    return range.name == name && std::ranges::find(range.values, value) != range.values.end();
  });
  return found == v.takes.end() ? nullptr : &*found;
}

std::vector<std::string> values_taken(const variant_facts& v, const std::string& name) {
  std::vector<std::string> out;
  for (const switch_range& range : v.takes)
    if (range.name == name) out.insert(out.end(), range.values.begin(), range.values.end());
  return out;
}

std::string value_of(const switches& of, const std::string& name) {
  return of.has(name) ? std::string(of.word(name)) : "off";
}

switch_values changes_of(const variant_facts& v, const switch_values& wanted) {
  switch_values out;
  const auto add = [&](const auto& change) {
    if (value_of(v.switches, change.first) != change.second) out.push_back(change);
  };
  std::vector<std::string> ordered;
  for (const switch_range& range : v.takes) {
    if (std::ranges::find(ordered, range.name) != ordered.end()) continue;
    ordered.push_back(range.name);
    for (const auto& change : wanted)
      if (change.first == range.name) add(change);
  }
  for (const auto& change : wanted)
    if (std::ranges::find(ordered, change.first) == ordered.end()) add(change);
  return out;
}

bool takes(const variant_facts& v, const switch_values& wanted) {
  return std::ranges::all_of(changes_of(v, wanted), [&](const auto& change) {
    return find_range(v, change.first, change.second) &&
           std::ranges::count(wanted, change.first, &switch_values::value_type::first) == 1;
  });
}

variant_facts changed(const variant_facts& v, const switch_values& changes) {
  variant_facts out = v;
  out.name = point_name({v.name, changes});
  out.takes.clear();
  std::vector<std::string> texts;
  for (const auto& [name, value] : changes) {
    out.switches = out.switches.with({{name, value}});
    const switch_range& range = *find_range(v, name, value);
    out.minimum_compute_capability =
        std::max(out.minimum_compute_capability, range.minimum_compute_capability);
    limit(out.only_where, range.only_where);
    texts.push_back(name + " " + value);
  }
  out.description = fmt::format("{} with {}", v.name, fmt::join(texts, ", "));
  return out;
}

}  // namespace ABLATE_ABI
