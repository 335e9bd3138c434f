#include "harness/cli/registered_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ablate {
namespace {

const switch_facts* declaration(const operation& of, const std::string& name) {
  const auto found = std::ranges::find(of.switches, name, &switch_facts::name);
  return found == of.switches.end() ? nullptr : &*found;
}

std::string value_in(const named_words& values, const std::string& name) {
  const std::string* found = find_word(values, name);
  return found ? *found : "off";
}

/// Of every switch that the variant or the values state.
switch_values wanted_of(const variant_facts& v, const named_words& values) {
  switch_values out = values;
  for (const switch_entry& entry : v.switches)
    if (!find_word(values, entry.first)) out.emplace_back(entry.first, "off");
  return out;
}

/// The workload's, with defaults for axes that a record of before lacks.
axis_values axes_at(const operation& of, const named_words& workload) {
  axis_values out;
  for (const axis& a : of.axes) {
    const std::string* value = find_word(workload, a.name);
    out.set(a.name, value ? *value : a.default_value);
  }
  return out;
}

std::string values_text(const named_words& values) {
  std::vector<std::string> out;
  for (const auto& [name, value] : values) out.push_back(name + "=" + value);
  return out.empty() ? "with all switches off" : fmt::format("with {}", fmt::join(out, " "));
}

}  // namespace

std::optional<named_words> registered_space::values_of(const std::string& name) const {
  const variant_facts* found = of_.find_variant(name);
  if (!found) return std::nullopt;
  named_words out;
  for (const switch_entry& entry : found->switches) out.emplace_back(entry.first, entry.second);
  return out;
}

bool registered_space::has_meaning(const std::string& name, const named_words& values) const {
  const switch_facts* facts = declaration(of_, name);
  return !facts || facts->only_with.empty() ||
         std::ranges::any_of(facts->only_with, [&](const auto& condition) {
           return std::ranges::find(condition.second, value_in(values, condition.first)) !=
                  condition.second.end();
         });
}

const variant_facts* registered_space::variant_at(const named_words& values) const {
  for (const variant_facts& v : of_.variants)
    if (const variant_facts* found = of_.point(v, wanted_of(v, values))) return found;
  return nullptr;
}

attribute::switch_space::point registered_space::point_at(const named_words& values,
                                                          const reports::comparable_cases& workload) const {
  const variant_facts* found = variant_at(values);
  if (!found) return {"", fmt::format("no launch function accepts the point {}", values_text(values))};
  if (const auto* unmet = first_unmet(found->only_where, axes_at(of_, workload.axes)))
    return {"", fmt::format("`{}` runs only at {}={}", found->name, unmet->first,
                            fmt::join(unmet->second, " or "))};
  if (found->minimum_compute_capability > compute_capability_)
    return {"", fmt::format("`{}` needs compute capability {}.{}", found->name,
                            found->minimum_compute_capability / 10, found->minimum_compute_capability % 10)};
  return {found->name, ""};
}

std::string registered_space::should_move(const std::string& name) const {
  const switch_facts* facts = declaration(of_, name);
  return facts ? facts->counter : "";
}

}  // namespace ablate
