#include "harness/suite/one_off.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/record/one_off_suite.h"
#include "base/text/json_text.h"
#include "harness/suite/override.h"

namespace ablate {

namespace {

suite of_defaults(const operation& of) {
  suite out;
  out.name = one_off_suite_name(of.name);
  out.path = of.name;
  suite_block all;
  all.operation = &of;
  for (const variant_facts& v : of.variants) all.variants.push_back(&v);
  for (const axis& a : of.axes) all.axes.emplace_back(a.name, std::vector<std::string>{a.default_value});
  all.cache_states = {cache_state::cold_clean};
  out.blocks = {all};
  return out;
}

/// A number as a number, which is how a person writes it; another value as text.
nlohmann::ordered_json value_json(const std::string& value) {
  const auto parsed = nlohmann::ordered_json::parse(value, nullptr, false);
  return parsed.is_number() && parsed.dump() == value ? parsed : nlohmann::ordered_json(value);
}

bool is_set(const suite& from, const std::string& name) {
  return std::ranges::any_of(from.overrides, [&](const auto& given) { return given.first == name; });
}

bool has_all_variants(const suite_block& block) {
  const auto& all = block.operation->variants;
  return block.variants.size() == all.size() &&
         std::ranges::equal(block.variants, all, [](const auto* a, const auto& b) { return a == &b; });
}

}  // namespace

std::string one_off_suite_text(const operation& of, const std::vector<std::string>& assignments) {
  const suite chosen = overridden(of_defaults(of), assignments);
  const suite_block& block = chosen.blocks.front();
  nlohmann::ordered_json cases = {{"operation", of.name}};
  if (!has_all_variants(block))
    for (const variant_facts* v : block.variants) cases["variants"].push_back(v->name);
  for (const auto& [name, values] : block.axes) {
    if (!is_set(chosen, name)) continue;
    for (const std::string& value : values) cases["axes"][name].push_back(value_json(value));
  }
  if (is_set(chosen, "cache"))
    for (const cache_state state : block.cache_states) cases["cache"].push_back(to_string(state));
  const nlohmann::ordered_json text = {{"name", chosen.name},
                                       {"description", fmt::format("{}, from the command line", of.name)},
                                       {"cases", nlohmann::ordered_json::array({cases})}};
  return reports::json_text(text, 2) + "\n";
}

}  // namespace ablate
