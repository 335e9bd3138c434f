#include "base/record/old_switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/bad_input.h"
#include "base/text/spelled_point.h"
#include "base/text/text.h"

namespace ablate {
namespace {

using rule = old_names::rule;
using switch_word = old_names::switch_word;

constexpr const char *every_operation = "*", *every_value = "*";
/// A value without a rule.
constexpr const char* unruled_value = "";

bool is_rule_of(const rule& r, const std::string& operation) {
  return r.operation == operation || r.operation == every_operation;
}

std::string spelled(const switch_word& word) { return word.first + "=" + word.second; }

void append_new(std::vector<std::string>& to, const std::string& one) {
  if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
}

bool has_change(const spelled_point& of, const switch_word& change) {
  return std::find(of.changes.begin(), of.changes.end(), change) != of.changes.end();
}

/// The point without the changes of another around the same variant; nothing where it lacks some.
std::optional<spelled_point> rest_of(const spelled_point& of, const spelled_point& around) {
  if (of.variant != around.variant ||
      !std::all_of(around.changes.begin(), around.changes.end(),
                   [&](const switch_word& change) { return has_change(of, change); }))
    return std::nullopt;
  spelled_point out = of;
  std::erase_if(out.changes, [&](const switch_word& change) { return has_change(around, change); });
  return out;
}

}  // namespace

const rule* old_switches::next_rule(const std::vector<rule>& rules, const std::string& operation,
                                    const switch_word& word) {
  const rule* out = nullptr;
  int rank = 4;
  for (const rule& r : rules) {
    if (r.axis != word.first || !is_rule_of(r, operation) || (!r.value.empty() && r.value != word.second))
      continue;
    const int own = (r.value.empty() ? 2 : 0) + (r.operation == every_operation ? 1 : 0);
    if (own >= rank) continue;
    out = &r;
    rank = own;
  }
  return out;
}

std::optional<switch_word> old_switches::renamed_by(const rule& r, const switch_word& word) {
  if (r.to.empty()) return std::nullopt;
  return r.value.empty() ? switch_word(r.to, word.second) : read_change(r.to);
}

bool old_switches::is_circle(const std::vector<rule>& rules, const rule& from) {
  std::set<std::string> operations = {from.operation};
  if (from.operation == every_operation)
    for (const rule& r : rules) operations.insert(r.operation);
  const switch_word begin = {from.axis, from.value.empty() ? unruled_value : from.value};
  return std::any_of(operations.begin(), operations.end(), [&](const std::string& operation) {
    std::set<switch_word> seen;
    std::optional<switch_word> word = begin;
    while (word) {
      const rule* r = next_rule(rules, operation, *word);
      if (!r) break;
      if (!seen.insert(*word).second) return *word == begin;
      word = renamed_by(*r, *word);
    }
    return false;
  });
}

std::optional<switch_word> old_names::todays_switch(const std::string& operation, switch_word word) const {
  while (const rule* r = old_switches::next_rule(rules_.switches, operation, word)) {
    auto renamed = old_switches::renamed_by(*r, word);
    if (!renamed) return std::nullopt;
    word = std::move(*renamed);
  }
  return word;
}

named_words old_names::todays_switches(const std::string& operation, const named_words& words,
                                       const std::string& file, const std::string& place) const {
  named_words out;
  for (const switch_word& word : words) {
    std::optional<switch_word> today = todays_switch(operation, word);
    if (!today) continue;
    const std::string* other = find_word(out, today->first);
    if (other && *other != today->second)
      throw bad_input(file, place,
                      fmt::format("expected one value of '{}', found '{}' and, of '{}', '{}'", today->first,
                                  *other, spelled(word), today->second));
    if (!other) out.push_back(std::move(*today));
  }
  return out;
}

std::optional<old_names::switch_choice> old_names::todays_choice(const std::string& operation,
                                                                 const switch_choice& choice) const {
  const auto& [name, values] = choice;
  std::vector<std::string> names, today;
  for (const std::string& value : values) {
    if (value != every_value) {
      const auto word = todays_switch(operation, {name, value});
      if (!word) return std::nullopt;
      append_new(names, word->first);
      append_new(today, word->second);
      continue;
    }
    append_new(today, every_value);
    const auto renamed = todays_switch(operation, {name, unruled_value});
    if (!renamed) return std::nullopt;
    bool is_moved = false;
    for (const rule& r : rules_.switches)
      if (renamed->first == name && r.axis == name && !r.value.empty() && is_rule_of(r, operation)) {
        const auto moved = todays_switch(operation, {name, r.value});
        if (!moved) return std::nullopt;
        append_new(names, moved->first);
        is_moved = true;
      }
    if (!is_moved) append_new(names, renamed->first);
  }
  if (names.size() != 1) return std::nullopt;
  return switch_choice(names.front(), std::move(today));
}

std::string choice_text(const old_names::switch_choice& of) {
  return of.first + "=" + reports::joined(of.second, ",");
}

bool old_names::speak_of_switches(const std::string& operation) const {
  return std::any_of(rules_.switches.begin(), rules_.switches.end(),
                     [&](const rule& r) { return is_rule_of(r, operation); });
}

std::string old_names::todays_point(const std::string& operation, const std::string& point,
                                    const std::function<std::string(const std::string&)>& todays) const {
  const spelled_point before = read_point(point);
  const auto renamed = [&](const named_words& changes) {
    named_words out;
    for (const switch_word& change : changes)
      if (auto today = todays_switch(operation, change);
          today && std::find(out.begin(), out.end(), *today) == out.end())
        out.push_back(std::move(*today));
    return out;
  };
  spelled_point today = read_point(todays(before.variant));
  const named_words own = renamed(before.changes);
  if (today.variant == before.variant && own == before.changes) return point;
  // What the point says of a switch holds, not what its variant's name of before did.
  today.changes = renamed(today.changes);
  std::erase_if(today.changes, [&](const switch_word& change) { return find_word(own, change.first); });
  today.changes.insert(today.changes.end(), own.begin(), own.end());
  return point_name(today);
}

std::vector<std::string> old_names::former_variants(const std::string& operation,
                                                    const std::string& variant) const {
  std::vector<std::string> out;
  const spelled_point point = read_point(variant);
  for (const rule& r : rules_.variants) {
    if (r.operation != operation) continue;
    if (auto rest = rest_of(point, read_point(r.to))) {
      rest->variant = r.variant;
      out.push_back(point_name(*rest));
    }
  }
  for (std::size_t i = 0; i < point.changes.size(); ++i) {
    const switch_word& change = point.changes[i];
    for (const rule& r : rules_.switches) {
      if (!is_rule_of(r, operation) || r.to != (r.value.empty() ? change.first : spelled(change))) continue;
      const switch_word former = {r.axis, r.value.empty() ? change.second : r.value};
      // A rule that goes before this one may make something else of it.
      if (todays_switch(operation, former) != todays_switch(operation, change)) continue;
      spelled_point with = point;
      with.changes[i] = former;
      out.push_back(point_name(with));
    }
  }
  return out;
}

}  // namespace ablate
