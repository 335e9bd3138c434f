#include "base/record/question.h"

#include <fmt/format.h>

#include "base/record/read_values.h"
#include "base/text/json_place.h"
#include "base/text/number_spelling.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

std::string name_at(const json_place& at) {
  std::string name = at.text();
  if (name.empty()) at.refuse_value("a name");
  return name;
}

/// "1" of 1: records hold the values of axes as text.
std::string value_at(const json_place& at) {
  return at.json().is_number() ? *axis_word(at.json()) : name_at(at);
}

std::vector<std::string> names_if_any(const json_place& of, std::string_view key) {
  const auto at = of.find(key);
  return at ? at->one_or_more(name_at) : std::vector<std::string>{};
}

accepted_values values_if_any(const json_place& of, std::string_view key) {
  accepted_values out;
  if (const auto at = of.find(key))
    for (const auto& [name, values] : at->members()) out.emplace_back(name, values.one_or_more(value_at));
  return out;
}

question_family family_of(const json_place& at) {
  at.expect_keys({"name", "operations", "variants", "switches", "axes"});
  question_family out{name_at(at.at("name")), names_if_any(at, "operations"), names_if_any(at, "variants"),
                      values_if_any(at, "switches"), values_if_any(at, "axes")};
  if (out.operations.empty() && out.variants.empty() && out.switches.empty() && out.axes.empty())
    at.refuse("expected what the family consists of: 'operations', 'variants', 'switches' or 'axes'");
  return out;
}

question_workloads workloads_of(const json_place& at) {
  at.expect_keys({"operations", "along", "by", "axes", "cache"});
  return {at.at("operations").one_or_more(name_at), name_at(at.at("along")), names_if_any(at, "by"),
          values_if_any(at, "axes"), names_if_any(at, "cache")};
}

/// Text, families and workloads.
void read_families(const json_place& at, suite_question& out) {
  out.text = name_at(at.at("text"));
  const json_place families = at.at("families");
  for (const json_place& family : families.at_least_one("family of variants")) {
    out.families.push_back(family_of(family));
    for (std::size_t i = 0; i + 1 < out.families.size(); ++i)
      if (out.families[i].name == out.families.back().name)
        family.refuse(fmt::format("expected a name of its own, found '{}' again", out.families[i].name));
  }
  if (out.families.size() < 2) families.refuse("expected at least two families, found one");
  const json_place workloads = at.at("workloads");
  if (workloads.json().is_array())
    for (const json_place& part : workloads.at_least_one("choice of workloads"))
      out.workloads.push_back(workloads_of(part));
  else
    out.workloads.push_back(workloads_of(workloads));
}

ordered_json json_of(const accepted_values& values) {
  ordered_json out = ordered_json::object();
  for (const auto& [name, accepted] : values) out[name] = accepted;
  return out;
}

void add(ordered_json& to, const char* key, const std::vector<std::string>& words) {
  if (!words.empty()) to[key] = words;
}

void add(ordered_json& to, const char* key, const accepted_values& values) {
  if (!values.empty()) to[key] = json_of(values);
}

}  // namespace

suite_question question_of(const json_place& at) {
  return question_of(at, {[](const json_place& ladder) { return ladder_of(ladder); },
                          [](const json_place& exhibits) { return exhibits_of(exhibits); }});
}

suite_question question_of(const json_place& at, const question_parts& parts) {
  at.expect_keys({"text", "families", "workloads", "scans", "ladder", "exhibits"});
  suite_question out;
  const auto ladder = at.find("ladder"), exhibits = at.find("exhibits");
  if (!(ladder || exhibits) || at.find("text") || at.find("families") || at.find("workloads"))
    read_families(at, out);
  if (const auto scans = at.find("scans")) out.scans = texts_of(*scans);
  if (ladder) out.ladder = parts.ladder(*ladder);
  if (exhibits) out.exhibits = parts.exhibits(*exhibits);
  return out;
}

ordered_json question_json(const suite_question& from) {
  ordered_json families = ordered_json::array(), workloads = ordered_json::array();
  for (const question_family& family : from.families) {
    ordered_json& to = families.emplace_back(ordered_json{{"name", family.name}});
    add(to, "operations", family.operations);
    add(to, "variants", family.variants);
    add(to, "switches", family.switches);
    add(to, "axes", family.axes);
  }
  for (const question_workloads& part : from.workloads) {
    ordered_json& to =
        workloads.emplace_back(ordered_json{{"operations", part.operations}, {"along", part.along}});
    add(to, "by", part.by);
    add(to, "axes", part.axes);
    add(to, "cache", part.cache_states);
  }
  ordered_json out = ordered_json::object();
  if (from.has_families()) out = {{"text", from.text}, {"families", families}, {"workloads", workloads}};
  add(out, "scans", from.scans);
  if (from.ladder) out["ladder"] = ladder_json(*from.ladder);
  if (!from.exhibits.empty()) out["exhibits"] = exhibits_json(from.exhibits);
  return out;
}

}  // namespace ablate
