#include "base/record/ladder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/json_place.h"
#include "base/text/number_spelling.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

std::string word_at(const json_place& at) {
  std::string word = at.text();
  if (word.empty()) at.refuse_value("a name");
  return word;
}

/// "1" of 1: records hold the values of axes as text.
std::string plain_value(const json_place& at, const std::string&) {
  return at.json().is_number() ? *axis_word(at.json()) : word_at(at);
}

ladder_change change_at(const json_place& at, const ladder_words& words) {
  ladder_change out;
  if (const auto variant = at.find("variant")) out.variant = words.variant(*variant);
  if (const auto axes = at.find("axes"))
    for (const auto& [name, value] : axes->members()) {
      if (!axis_word(value.json())) value.refuse_value("one number or word: a step selects one case");
      out.axes.emplace_back(name, words.value(value, name));
    }
  return out;
}

std::size_t count_of(const ladder_change& change) {
  return change.axes.size() + (change.variant.empty() ? 0 : 1);
}

auto find_axis(auto& axes, const std::string& name) {
  return std::find_if(axes.begin(), axes.end(), [&](const auto& a) { return a.first == name; });
}

ladder_case changed(ladder_case from, const ladder_change& change) {
  if (!change.variant.empty()) from.variant = change.variant;
  for (const auto& [name, value] : change.axes) find_axis(from.axes, name)->second = value;
  return from;
}

/// Refuses a change to the value already set, and one of an axis whose previous value is unknown.
void require_changes(const json_place& at, const ladder_case& from, const ladder_change& change) {
  if (change.variant == from.variant)
    at.at("variant").refuse(
        fmt::format("expected another variant than '{}', which it is already", from.variant));
  for (const auto& [name, value] : change.axes) {
    const auto known = find_axis(from.axes, name);
    if (known == from.axes.end())
      at.at("axes").at(name).refuse(
          fmt::format("expected the first step to say which '{}' the ladder begins with", name));
    if (known->second == value)
      at.at("axes").at(name).refuse(
          fmt::format("expected another value of '{}' than '{}', which it is already", name, value));
  }
}

ladder_control control_at(const json_place& at, const ladder_case& step, const ladder_words& words) {
  at.expect_keys({"label", "variant", "axes"});
  ladder_control out{word_at(at.at("label")), change_at(at, words)};
  if (count_of(out.change) == 0)
    at.refuse("expected what the control has otherwise than its step: 'variant' or 'axes'");
  require_changes(at, step, out.change);
  return out;
}

std::vector<ladder_step> steps_at(const json_place& list, const ladder_words& words) {
  std::vector<ladder_step> out;
  ladder_case now;
  for (const json_place& at : list.at_least_one("step")) {
    at.expect_keys({"label", "variant", "axes", "control"});
    ladder_step step{word_at(at.at("label")), change_at(at, words), std::nullopt};
    if (out.empty()) {
      if (step.change.variant.empty()) at.refuse("expected the variant with which the ladder begins");
      now = {step.change.variant, step.change.axes};
    } else {
      if (const std::size_t count = count_of(step.change); count != 1)
        at.refuse(fmt::format(
            "expected one change from the step before, a variant or the value of an axis; found {}", count));
      require_changes(at, now, step.change);
      now = changed(std::move(now), step.change);
    }
    for (const ladder_step& other : out)
      if (other.label == step.label)
        at.at("label").refuse(fmt::format("expected a label of its own, found '{}' again", step.label));
    if (const auto control = at.find("control")) step.control = control_at(*control, now, words);
    out.push_back(std::move(step));
  }
  if (out.size() < 2) list.refuse("expected at least two steps, found one");
  return out;
}

void add(ordered_json& to, const ladder_change& change) {
  if (!change.variant.empty()) to["variant"] = change.variant;
  for (const auto& [name, value] : change.axes) to["axes"][name] = value;
}

}  // namespace

std::vector<ladder_cases> cases_of(const suite_ladder& ladder) {
  std::vector<ladder_cases> out;
  ladder_case now;
  for (const ladder_step& step : ladder.steps) {
    now = out.empty() ? ladder_case{step.change.variant, step.change.axes}
                      : changed(std::move(now), step.change);
    out.push_back({now, std::nullopt});
    if (step.control) out.back().control = changed(now, step.control->change);
  }
  return out;
}

std::vector<std::string> changed_axes(const suite_ladder& ladder) {
  std::vector<std::string> out;
  const auto add_all = [&](const ladder_change& change) {
    for (const auto& [name, value] : change.axes)
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
    if (i > 0) add_all(ladder.steps[i].change);
    if (ladder.steps[i].control) add_all(ladder.steps[i].control->change);
  }
  return out;
}

suite_ladder ladder_of(const json_place& at) { return ladder_of(at, {word_at, plain_value}); }

suite_ladder ladder_of(const json_place& at, const ladder_words& words) {
  at.expect_keys({"title", "operation", "cache", "figures", "steps"});
  suite_ladder out;
  out.title = word_at(at.at("title"));
  out.operation = word_at(at.at("operation"));
  const auto cache = at.find("cache");
  out.cache_state = cache ? word_at(*cache) : "cold-clean";
  if (const auto figures = at.find("figures")) out.figures = figures->one_or_more(word_at);
  out.steps = steps_at(at.at("steps"), words);
  return out;
}

ordered_json ladder_json(const suite_ladder& from) {
  ordered_json out = {{"title", from.title}, {"operation", from.operation}, {"cache", from.cache_state}};
  if (!from.figures.empty()) out["figures"] = from.figures;
  for (const ladder_step& step : from.steps) {
    ordered_json& to = out["steps"].emplace_back(ordered_json{{"label", step.label}});
    add(to, step.change);
    if (!step.control) continue;
    to["control"] = {{"label", step.control->label}};
    add(to["control"], step.control->change);
  }
  return out;
}

}  // namespace ablate
