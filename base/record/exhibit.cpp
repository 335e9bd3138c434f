#include "base/record/exhibit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/json_place.h"
#include "base/text/number_spelling.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

std::string label_at(const json_place& at) {
  std::string word = at.text();
  if (word.empty()) at.refuse_value("a name");
  return word;
}

/// Records hold the values of axes as text.
std::string plain_word(const json_place& at, const std::string&) {
  return at.json().is_number() ? *axis_word(at.json()) : label_at(at);
}

std::string file_word(const json_place& at) {
  std::string word = label_at(at);
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
    at.refuse_value("lowercase letters, digits and _");
  return word;
}

std::vector<std::pair<std::string, std::string>> axes_at(const json_place& at, const exhibit_words& words) {
  std::vector<std::pair<std::string, std::string>> out;
  if (const auto axes = at.find("axes"))
    for (const auto& [name, value] : axes->members()) {
      if (!axis_word(value.json())) value.refuse_value("one number or word");
      out.emplace_back(name, words.value(value, name));
    }
  return out;
}

exhibit_choice choice_at(const json_place& at, const exhibit_words& words) {
  at.expect_keys({"label", "variant", "rival", "axes"});
  exhibit_choice out{label_at(at.at("label")), "", false, axes_at(at, words)};
  if (const auto variant = at.find("variant")) out.variant = words.variant(*variant);
  if (const auto rival = at.find("rival")) {
    if (!out.variant.empty()) rival->refuse("expected a variant or a rival, found both");
    out.variant = label_at(*rival);
    out.is_rival = true;
  }
  return out;
}

std::vector<exhibit_choice> choices_at(const json_place& at, const char* what, const exhibit_words& words) {
  std::vector<exhibit_choice> out;
  for (const json_place& choice : at.at_least_one(what)) {
    out.push_back(choice_at(choice, words));
    const std::string& label = out.back().label;
    if (std::any_of(out.begin(), out.end() - 1, [&](const exhibit_choice& c) { return c.label == label; }))
      choice.at("label").refuse(fmt::format("there are two '{}'", label));
  }
  return out;
}

exhibit_quantity quantity_at(const json_place& at, std::size_t rows, const exhibit_words& words) {
  at.expect_keys({"label", "unit", "values", "axes", "scale", "published", "missing"});
  exhibit_quantity out;
  out.label = label_at(at.at("label"));
  out.unit = label_at(at.at("unit"));
  if (const auto values = at.find("values")) out.values = values->one_or_more(label_at);
  out.axes = axes_at(at, words);
  if (const auto scale = at.find("scale")) out.scale = scale->positive();
  if (const auto missing = at.find("missing")) out.missing = label_at(*missing);
  if (out.values.empty() == out.missing.empty())
    at.refuse("expected 'values' or, where there are none, 'missing', which says why");
  const json_place published = at.at("published");
  for (const json_place& value : published.elements())
    out.published.push_back(value.is_null() ? std::nullopt : std::optional(value.positive()));
  if (out.published.size() != rows)
    published.refuse(
        fmt::format("expected {} values, one for each row, found {}", rows, out.published.size()));
  return out;
}

suite_exhibit exhibit_at(const json_place& at, const exhibit_words& words) {
  at.expect_keys(
      {"name", "title", "source", "operation", "cache", "axes", "curves", "rows", "columns", "quantities"});
  suite_exhibit out;
  out.name = file_word(at.at("name"));
  out.title = label_at(at.at("title"));
  out.source = label_at(at.at("source"));
  out.operation = label_at(at.at("operation"));
  const auto cache = at.find("cache");
  out.cache_state = cache ? label_at(*cache) : "cold-clean";
  out.axes = axes_at(at, words);
  if (const auto curves = at.find("curves")) {
    if (at.find("rows") || at.find("columns") || at.find("quantities"))
      at.refuse("expected curves, or rows, columns and quantities, found both");
    out.curves = choices_at(*curves, "curve", words);
    return out;
  }
  out.rows = choices_at(at.at("rows"), "row", words);
  out.columns = choices_at(at.at("columns"), "column", words);
  for (const json_place& quantity : at.at("quantities").at_least_one("quantity"))
    out.quantities.push_back(quantity_at(quantity, out.rows.size(), words));
  return out;
}

ordered_json axes_json_of(const std::vector<std::pair<std::string, std::string>>& axes) {
  ordered_json out = ordered_json::object();
  for (const auto& [name, value] : axes) out[name] = value;
  return out;
}

ordered_json choices_json(const std::vector<exhibit_choice>& choices) {
  ordered_json out = ordered_json::array();
  for (const exhibit_choice& c : choices) {
    ordered_json& to = out.emplace_back(ordered_json{{"label", c.label}});
    if (!c.variant.empty()) to[c.is_rival ? "rival" : "variant"] = c.variant;
    if (!c.axes.empty()) to["axes"] = axes_json_of(c.axes);
  }
  return out;
}

ordered_json quantity_json(const exhibit_quantity& q) {
  ordered_json out = {{"label", q.label}, {"unit", q.unit}};
  if (!q.values.empty()) out["values"] = q.values;
  if (!q.axes.empty()) out["axes"] = axes_json_of(q.axes);
  if (q.scale != 1) out["scale"] = q.scale;
  out["published"] = ordered_json::array();
  for (const auto& value : q.published)
    out["published"].push_back(value ? ordered_json(*value) : ordered_json());
  if (!q.missing.empty()) out["missing"] = q.missing;
  return out;
}

}  // namespace

std::vector<suite_exhibit> exhibits_of(const json_place& at) {
  return exhibits_of(at, [](const json_place&) { return exhibit_words{label_at, plain_word}; });
}

std::vector<suite_exhibit> exhibits_of(
    const json_place& at, const std::function<exhibit_words(const json_place& operation)>& words) {
  std::vector<suite_exhibit> out;
  for (const json_place& one : at.at_least_one("exhibit")) {
    out.push_back(exhibit_at(one, words(one.at("operation"))));
    const std::string& name = out.back().name;
    if (std::any_of(out.begin(), out.end() - 1, [&](const suite_exhibit& e) { return e.name == name; }))
      one.at("name").refuse(fmt::format("there are two exhibits '{}'", name));
  }
  return out;
}

ordered_json exhibits_json(const std::vector<suite_exhibit>& all) {
  ordered_json out = ordered_json::array();
  for (const suite_exhibit& e : all) {
    ordered_json& to = out.emplace_back(ordered_json{{"name", e.name},
                                                     {"title", e.title},
                                                     {"source", e.source},
                                                     {"operation", e.operation},
                                                     {"cache", e.cache_state}});
    if (!e.axes.empty()) to["axes"] = axes_json_of(e.axes);
    if (e.is_figure()) {
      to["curves"] = choices_json(e.curves);
      continue;
    }
    to["rows"] = choices_json(e.rows);
    to["columns"] = choices_json(e.columns);
    for (const exhibit_quantity& q : e.quantities) to["quantities"].push_back(quantity_json(q));
  }
  return out;
}

}  // namespace ablate
