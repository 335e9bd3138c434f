#include "base/record/old_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/record/case_name.h"
#include "base/record/old_switches.h"
#include "base/text/bad_input.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"

namespace ablate {

/// base/record/old_names.json, put here by the build.
extern const char* const old_names_json;

namespace {

using reports::json_place;
using rule = old_names::rule;

/// The parts of a rule's key: operation[/variant][/axis[=value]].
rule key_of(const json_place& at, std::string_view key, bool has_variant, bool has_axis,
            std::string_view axis = "AXIS") {
  const auto refuse = [&] {
    at.refuse(fmt::format("expected a key OPERATION{}{}, found '{}'", has_variant ? "/VARIANT" : "",
                          has_axis ? fmt::format("/{}", axis) : "[/AXIS=VALUE]", key));
  };
  std::vector<std::string> words(1);
  for (const char c : key)
    if (c == '/')
      words.emplace_back();
    else
      words.back() += c;
  if (std::any_of(words.begin(), words.end(), [](const auto& word) { return word.empty(); })) refuse();
  rule out{words.front(), "", "", "", ""};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos && out.axis.empty() && equals > 0 && equals + 1 < word.size()) {
      out.axis = word.substr(0, equals);
      out.value = word.substr(equals + 1);
    } else if (equals == std::string::npos && has_axis && out.axis.empty()) {
      out.axis = word;
    } else if (equals == std::string::npos && !has_axis && out.variant.empty() && out.axis.empty()) {
      out.variant = word;
    } else {
      refuse();
    }
  }
  if (has_variant && out.variant.empty()) refuse();
  if (has_axis && out.axis.empty()) refuse();
  return out;
}

std::string rule_word(const json_place& at) {
  std::string word = at.text();
  if (word.empty() || word.find('/') != std::string::npos) at.refuse_value("a name");
  return word;
}

std::vector<rule> rules_of(const json_place& at, bool has_variant, bool has_axis) {
  std::vector<rule> out;
  for (const auto& [key, to] : at.members()) {
    out.push_back(key_of(to, key, has_variant, has_axis));
    out.back().to = rule_word(to);
  }
  return out;
}

std::vector<rule> switches_of(const json_place& at) {
  std::vector<rule> out;
  for (const auto& [key, to] : at.members()) {
    rule r = key_of(to, key, false, true, "SWITCH[=VALUE]");
    if (to.is_null()) {
      out.push_back(std::move(r));
      continue;
    }
    r.to = rule_word(to);
    const std::size_t equals = r.to.find('=');
    if (r.value.empty() && equals != std::string::npos) to.refuse_value("a switch alone, as the key has it");
    if (!r.value.empty() && (equals == std::string::npos || equals == 0 || equals + 1 == r.to.size()))
      to.refuse_value("SWITCH=VALUE, as the key has it");
    out.push_back(std::move(r));
  }
  return out;
}

std::vector<rule> dropped_of(const json_place& at) {
  std::vector<rule> out;
  for (const auto& [operation, axes] : at.members())
    for (const json_place& axis : axes.at_least_one("axis, or AXIS=VALUE"))
      out.push_back(key_of(axis, operation + "/" + axis.text(), false, true));
  return out;
}

/// Whether a rule holds where a case has these axes.
bool holds_at(const rule& r, const named_words& axes) {
  if (r.value.empty()) return true;
  const std::string* value = find_word(axes, r.axis);
  return value && *value == r.value;
}

/// What a name is called today: by the rules that apply to it, until none does.
template <class Applies>
std::string followed(const std::vector<rule>& rules, std::string name, const Applies& applies) {
  const auto next = [&] {
    return std::find_if(rules.begin(), rules.end(), [&](const rule& r) { return applies(r, name); });
  };
  for (auto r = next(); r != rules.end(); r = next()) name = r->to;
  return name;
}

std::string id_of(const rule& r) {
  std::string out = r.operation;
  if (!r.variant.empty()) out += "/" + r.variant;
  if (!r.axis.empty()) out += "/" + r.axis;
  if (!r.value.empty()) out += "=" + r.value;
  return out;
}

class table_check {
 public:
  table_check(const old_names::all_rules& all, const std::string& file) : all_(all), file_(file) {}

  void run() const {
    for (const section& each : sections()) {
      check_changes(each);
      if (each.rules != &all_.operations) check_operations(each.name, *each.rules);
    }
    check_switches();
    check_operations("dropped", all_.dropped);
    check_operations("gone", all_.gone);
    for (const rule& r : all_.gone)
      for (const rule& renamed : all_.variants)
        if (renamed.operation == r.operation && renamed.variant == r.variant)
          refuse("gone", r, fmt::format("expected a variant without a rule, found '{}'", renamed.to));
    for (const section& each : sections()) check_circles(each);
    for (const auto& [section, rules] :
         {std::pair("values", &all_.values), std::pair("dropped", &all_.dropped)})
      for (const rule& r : *rules)
        for (const rule& renamed : all_.axes)
          if (renamed.operation == r.operation && renamed.axis == r.axis)
            refuse(section, r, fmt::format("expected the axis by its name of today, '{}'", renamed.to));
    for (const auto& [section, operations] :
         {std::pair("order", names_of(all_.order)), std::pair("baselines", names_of(all_.baselines))})
      for (const std::string& name : operations) check_operations(section, {{name, "", "", "", ""}});
    for (const auto& [operation, variant] : all_.baselines)
      for (const rule& r : all_.variants)
        if (r.operation == operation && r.variant == variant)
          refuse("baselines", {operation, "", "", "", ""},
                 fmt::format("expected the variant by its name of today, '{}'", r.to));
  }

 private:
  struct section {
    const char* name;
    const std::vector<rule>* rules;
    std::string rule::*renamed;
  };
  std::vector<section> sections() const {
    return {{"operations", &all_.operations, &rule::operation},
            {"variants", &all_.variants, &rule::variant},
            {"axes", &all_.axes, &rule::axis},
            {"values", &all_.values, &rule::value}};
  }
  template <class Pairs>
  static std::vector<std::string> names_of(const Pairs& pairs) {
    std::vector<std::string> out;
    for (const auto& [name, rest] : pairs) out.push_back(name);
    return out;
  }

  [[noreturn]] void refuse(std::string_view section, const rule& r, const std::string& why) const {
    throw bad_input(file_, fmt::format("/{}", section), fmt::format("'{}': {}", id_of(r), why));
  }

  void check_changes(const section& of) const {
    for (const rule& r : *of.rules)
      if (r.*of.renamed == r.to) refuse(of.name, r, "expected another name, found the same");
  }

  /// A rule of an operation that is another one by now would never apply.
  void check_operations(const char* section, const std::vector<rule>& rules) const {
    for (const rule& r : rules)
      for (const rule& renamed : all_.operations)
        if (renamed.operation == r.operation && renamed.value.empty() && renamed.variant.empty())
          refuse(section, r, fmt::format("expected the operation by its name of today, '{}'", renamed.to));
  }

  void check_switches() const {
    check_operations("switches", all_.switches);
    for (const rule& r : all_.switches) {
      if (r.to == (r.value.empty() ? r.axis : r.axis + "=" + r.value))
        refuse("switches", r, "expected another name, found the same");
      if (old_switches::is_circle(all_.switches, r))
        refuse("switches", r, "expected names that end, found a circle");
    }
  }

  /// What a rule renames, whatever the axis on which it depends.
  static std::string name_of(rule r, std::string rule::*renamed) {
    if (renamed == &rule::operation) r.variant.clear();
    if (renamed == &rule::operation || renamed == &rule::variant) {
      r.axis.clear();
      r.value.clear();
    }
    return id_of(r);
  }

  void check_circles(const section& of) const {
    for (const rule& first : *of.rules) {
      const std::string begin = name_of(first, of.renamed);
      std::set<std::string> seen = {begin};
      std::vector<rule> open = {first};
      while (!open.empty()) {
        rule to = open.back();
        open.pop_back();
        to.*of.renamed = to.to;
        const std::string name = name_of(to, of.renamed);
        if (name == begin) refuse(of.name, first, "expected names that end, found a circle");
        if (!seen.insert(name).second) continue;
        for (const rule& next : *of.rules)
          if (name_of(next, of.renamed) == name) open.push_back(next);
      }
    }
  }

  const old_names::all_rules& all_;
  const std::string& file_;
};

}  // namespace

old_names::old_names(const std::string& text, const std::string& file) {
  const nlohmann::ordered_json json = reports::parse_json(text, file);
  const json_place root(json, file);
  root.expect_keys(
      {"operations", "variants", "axes", "values", "switches", "dropped", "order", "baselines", "gone"});
  for (const auto& [key, to] : root.at("operations").members()) {
    rules_.operations.push_back(key_of(to, key, false, false));
    rules_.operations.back().to = rule_word(to);
  }
  rules_.variants = rules_of(root.at("variants"), true, false);
  rules_.axes = rules_of(root.at("axes"), false, true);
  for (const rule& r : rules_.axes)
    if (!r.value.empty())
      root.at("axes").refuse(fmt::format("'{}': expected a key OPERATION/AXIS", id_of(r)));
  rules_.values = rules_of(root.at("values"), false, true);
  for (const rule& r : rules_.values)
    if (r.value.empty())
      root.at("values").refuse(fmt::format("'{}': expected a key OPERATION/AXIS=VALUE", id_of(r)));
  rules_.switches = switches_of(root.at("switches"));
  rules_.dropped = dropped_of(root.at("dropped"));
  for (const auto& [operation, axes] : root.at("order").members())
    rules_.order.emplace_back(operation, axes.one_or_more(rule_word));
  for (const auto& [operation, variant] : root.at("baselines").members())
    rules_.baselines.emplace_back(operation, rule_word(variant));
  for (const auto& [key, why] : root.at("gone").members()) {
    rules_.gone.push_back(key_of(why, key, true, false));
    rules_.gone.back().to = why.text();
    if (rules_.gone.back().to.empty()) why.refuse_value("why no name of today stands for it");
  }
  table_check(rules_, file).run();
}

const old_names& old_names::known() {
  static const old_names all(old_names_json, "base/record/old_names.json");
  return all;
}

std::string old_names::todays_variant(const std::string& operation, std::string variant,
                                      const named_words& axes) const {
  const auto todays = [&](const std::string& of) {
    return followed(rules_.variants, of, [&](const rule& r, const std::string& name) {
      return r.operation == operation && r.variant == name && holds_at(r, axes);
    });
  };
  variant = todays(variant);
  return variant.find('+') == std::string::npos ? variant : todays_point(operation, variant, todays);
}

std::optional<std::string> old_names::todays_axis(const std::string& operation, std::string axis) const {
  axis = followed(rules_.axes, std::move(axis), [&](const rule& r, const std::string& name) {
    return r.operation == operation && r.axis == name;
  });
  for (const rule& r : rules_.dropped)
    if (r.operation == operation && r.axis == axis && r.value.empty()) return std::nullopt;
  return axis;
}

std::string old_names::todays_value(const std::string& operation, const std::string& axis,
                                    std::string value) const {
  return followed(rules_.values, std::move(value), [&](const rule& r, const std::string& name) {
    return r.operation == operation && r.axis == axis && r.value == name;
  });
}

named_words old_names::todays_axes(const std::string& operation, const named_words& axes,
                                   const kept_axes& keep) const {
  named_words out;
  for (const auto& [name, value] : axes) {
    const bool is_kept = std::find(keep.begin(), keep.end(), name) != keep.end();
    const std::string axis = todays_axis(operation, name).value_or(is_kept ? name : "");
    if (axis.empty()) continue;
    std::string word = todays_value(operation, axis, value);
    const bool is_dropped = std::any_of(rules_.dropped.begin(), rules_.dropped.end(), [&](const rule& r) {
      return r.operation == operation && r.axis == axis && r.value == word;
    });
    if (!is_dropped || is_kept) out.emplace_back(axis, std::move(word));
  }
  put_in_order(operation, out);
  return out;
}

void old_names::put_in_order(const std::string& operation, named_words& out) const {
  for (const auto& [name, order] : rules_.order)
    if (name == operation)
      std::stable_sort(out.begin(), out.end(), [&order = order](const auto& a, const auto& b) {
        return std::find(order.begin(), order.end(), a.first) <
               std::find(order.begin(), order.end(), b.first);
      });
}

case_names old_names::todays(const case_names& of, const kept_axes& keep) const {
  std::string operation =
      followed(rules_.operations, of.operation, [&](const rule& r, const std::string& name) {
        return r.operation == name && (r.variant.empty() || r.variant == of.variant) && holds_at(r, of.axes);
      });
  std::string variant = todays_variant(operation, of.variant, of.axes);
  named_words axes = todays_axes(operation, of.axes, keep);
  return {std::move(operation), std::move(variant), std::move(axes)};
}

std::string old_names::todays_operation(std::string operation) const {
  return todays({operation, "", {}}).operation;
}

std::string old_names::todays_id(const std::string& id) const {
  const case_name_parts parts = parts_of_case_name(id);
  const case_names given = {parts.operation, parts.variant, parts.axes}, today = todays(given);
  if (today == given) return id;
  return case_name({today.operation, today.variant, parts.cache_state, today.axes});
}

std::optional<old_names::divided_by> old_names::division_of(const std::string& operation) const {
  std::optional<divided_by> out;
  for (const rule& r : rules_.operations) {
    if (r.operation != operation || r.value.empty()) continue;
    if (!out) out = divided_by{r.axis, {}};
    if (out->axis == r.axis)
      out->operations[r.value] = todays({operation, "", {{r.axis, r.value}}}).operation;
  }
  if (!out) return std::nullopt;
  for (const rule& r : rules_.dropped)
    if (r.operation == operation && r.axis == out->axis && !r.value.empty())
      out->operations.try_emplace(r.value, operation);
  return out;
}

bool old_names::speak_of(const std::string& operation) const {
  for (const auto* section :
       {&rules_.operations, &rules_.variants, &rules_.axes, &rules_.values, &rules_.dropped})
    for (const rule& r : *section)
      if (r.operation == operation) return true;
  return false;
}

std::string old_names::baseline_of(const std::string& operation) const {
  for (const auto& [name, variant] : rules_.baselines)
    if (name == operation) return variant;
  return "";
}

named_words old_names::former_words(const case_names& of) const {
  named_words out;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (std::find(out.begin(), out.end(), std::pair(name, value)) == out.end()) out.emplace_back(name, value);
  };
  std::vector<std::string> operations = {of.operation};
  for (std::size_t i = 0; i < operations.size(); ++i)
    for (const rule& r : rules_.operations) {
      if (r.to != operations[i]) continue;
      add("operation", r.operation);
      if (!r.value.empty()) add(r.axis, r.value);
      if (std::find(operations.begin(), operations.end(), r.operation) == operations.end())
        operations.push_back(r.operation);
    }
  std::vector<std::string> variants = {of.variant};
  for (std::size_t i = 0; i < variants.size(); ++i)
    for (std::string& former : former_variants(of.operation, variants[i]))
      if (std::find(variants.begin(), variants.end(), former) == variants.end()) {
        add("variant", former);
        variants.push_back(std::move(former));
      }
  for (const auto& [axis, value] : of.axes) {
    named_words words = {{axis, value}};
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (const rule& r : rules_.axes)
        if (r.operation == of.operation && r.to == words[i].first)
          words.emplace_back(r.axis, words[i].second);
      for (const rule& r : rules_.values)
        if (r.operation == of.operation && r.axis == words[i].first && r.to == words[i].second)
          words.emplace_back(words[i].first, r.value);
    }
    for (std::size_t i = 1; i < words.size(); ++i) add(words[i].first, words[i].second);
  }
  for (const rule& r : rules_.dropped)
    if (r.operation == of.operation) add(r.axis, r.value);
  return out;
}

void print_todays_names(const std::string& given, const std::string& today) {
  static std::set<std::string> printed;
  if (printed.insert(given + "\n" + today).second)
    fmt::print(stderr, "ablate: {}: of an earlier version; today: {}\n", given, today);
}

}  // namespace ablate
