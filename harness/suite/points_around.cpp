#include "harness/suite/points_around.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/names.h"

namespace ablate {
namespace {

using word_list = std::vector<std::string>;

void add_new_word(word_list& to, const std::string& word) {
  if (std::ranges::find(to, word) == to.end()) to.push_back(word);
}

word_list values_at(const variant_facts& v, const std::string& name) {
  word_list out = {value_of(v.switches, name)};
  for (const std::string& value : values_taken(v, name)) add_new_word(out, value);
  return out;
}

}  // namespace

std::optional<std::string> refuses_switch(const operation& of, const std::string& name,
                                          const word_list& values) {
  word_list names, known;
  for (const variant_facts& v : of.variants) {
    for (const switch_entry& entry : v.switches) add_new_word(names, entry.first);
    for (const switch_range& range : v.takes) add_new_word(names, range.name);
    for (const std::string& value : values_at(v, name)) add_new_word(known, value);
  }
  if (std::ranges::find(names, name) == names.end())
    return no_such(fmt::format("switch of '{}'", of.name), name, names);
  for (const std::string& value : values)
    if (value != "*" && std::ranges::find(known, value) == known.end())
      return no_such(fmt::format("value of switch '{}' of '{}'", name, of.name), value, known);
  return std::nullopt;
}

std::string why_no_point(const variant_facts& v, const switch_values& changes) {
  word_list known;
  for (const switch_range& range : v.takes) known.push_back(range.name);
  for (const auto& [name, value] : changes_of(v, changes)) {
    if (known.empty()) return fmt::format("variant '{}' accepts no switches but its own", v.name);
    if (find_range(v, name, value)) continue;
    if (std::ranges::find(known, name) == known.end())
      return no_such(fmt::format("switch that variant '{}' accepts", v.name), name, known);
    return no_such(fmt::format("value of switch '{}' that variant '{}' accepts", name, v.name), value,
                   values_taken(v, name));
  }
  return fmt::format("variant '{}' with a switch twice; expected each once", v.name);
}

std::vector<const variant_facts*> points_around(const operation& of,
                                                const std::vector<const variant_facts*>& variants,
                                                const values_by_switch& wanted) {
  std::vector<const variant_facts*> out;
  for (const variant_facts* v : variants) {
    values_by_switch of_variant;
    for (const auto& [name, values] : wanted) {
      of_variant.emplace_back(name, values_at(*v, name));
      std::erase_if(of_variant.back().second, [&](const std::string& value) {
        return std::ranges::none_of(values, [&](const auto& one) { return one == "*" || one == value; });
      });
    }
    for (const switch_values& combination : combinations_of(of_variant))
      if (const variant_facts* point = of.point(*v, combination);
          point && std::ranges::find(out, point) == out.end())
        out.push_back(point);
  }
  return out;
}

}  // namespace ablate
