#include "harness/wrapped/read_variant.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/names.h"
#include "harness/wrapped/json_values.h"

namespace ablate::wrapped {

namespace {

switches switches_at(const json_place& at) {
  switches out;
  for (const auto& [name, value] : at.members())
    out = out.with({{name, value.json().is_string() ? value.text() : value.json().dump()}});
  return out;
}

std::vector<std::string> axis_names(const std::vector<axis>& axes) {
  std::vector<std::string> out;
  for (const axis& a : axes) out.push_back(a.name);
  return out;
}

axis_conditions conditions_at(const json_place& at, const std::vector<axis>& axes) {
  axis_conditions out;
  for (const auto& [name, words] : at.members()) {
    const auto of = std::ranges::find(axes, name, &axis::name);
    if (of == axes.end()) words.refuse(no_such("axis", name, axis_names(axes)));
    out.emplace_back(name, words.one_or_more([&of](const json_place& one) {
      const std::string word = one.json().is_number_integer() ? one.json().dump() : std::string(one.text());
      if (const auto why = of->refuses(word, {})) one.refuse(*why);
      return word;
    }));
  }
  return out;
}

}  // namespace

variant_facts read_variant(const json_place& at, const std::vector<axis>& axes,
                           std::set<std::string>& names) {
  variant_facts facts;
  facts.name = case_word(at.at("name"));
  if (facts.name == "reference")
    at.at("name").refuse("'reference' is the name of the host reference; expected another");
  if (!names.insert(facts.name).second)
    at.at("name").refuse(fmt::format("there are two variants '{}'", facts.name));
  if (const auto given = at.find("description")) facts.description = given->text();
  if (const auto given = at.find("switches")) facts.switches = switches_at(*given);
  if (const auto given = at.find("only_where")) facts.only_where = conditions_at(*given, axes);
  return facts;
}

}  // namespace ablate::wrapped
