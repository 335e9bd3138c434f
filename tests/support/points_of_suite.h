#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "harness/registry/operation.h"
#include "harness/suite/suite.h"

namespace ablate::test_support {

/// The points around an operation's variants: each value by itself, and all switches at their last ones.
inline std::vector<const variant_facts*> points_around_variants(const operation& of) {
  std::vector<const variant_facts*> out;
  const auto add = [&](const variant_facts* point) {
    if (!read_point(point->name).changes.empty() && std::ranges::find(out, point) == out.end())
      out.push_back(point);
  };
  for (const variant_facts& v : of.variants) {
    switch_values last;
    for (const switch_range& range : v.takes) {
      for (const std::string& value : range.values) add(of.point(v, {{range.name, value}}));
      std::erase_if(last, [&](const auto& change) { return change.first == range.name; });
      last.emplace_back(range.name, range.values.back());
    }
    add(of.point(v, last));
  }
  return out;
}

/// A case at whose axes the point runs, one of its own variant where there is one; null where there is none.
inline const suite_case* case_of_point(const std::vector<suite_case>& cases, const operation& of,
                                       const variant_facts& point) {
  const std::string variant = read_point(point.name).variant;
  const suite_case* found = nullptr;
  for (const suite_case& c : cases) {
    if (c.operation != &of || c.not_applicable || first_unmet(point.only_where, c.axes)) continue;
    if (c.variant->name == variant) return &c;
    if (!found) found = &c;
  }
  return found;
}

}  // namespace ablate::test_support
