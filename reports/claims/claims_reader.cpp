#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text/json_text.h"
#include "base/text/names.h"
#include "reports/claims/claims_names.h"
#include "reports/claims/claims_reader.h"

namespace ablate {
namespace {

using reports::json_place;
using names = std::vector<std::string>;

std::string text_of(const json_place& at) {
  std::string text = at.text();
  if (text.empty()) at.refuse("expected a text that is not empty");
  return text;
}

std::string text_or_empty(const json_place& at, std::string_view key) {
  const auto found = at.find(key);
  return found ? text_of(*found) : "";
}

template <class Value>
Value word_of(const json_place& at, std::string_view kind,
              const std::vector<std::pair<std::string, Value>>& words) {
  const std::string given = at.text();
  names known;
  for (const auto& [word, value] : words) {
    if (word == given) return value;
    known.push_back(word);
  }
  at.refuse(no_such(kind, given, known));
}

/// A word or an integer, as case ids write it.
std::string axis_word(const json_place& at) {
  return at.json().is_number() ? std::to_string(at.count()) : text_of(at);
}

claim_selection::words_by_name words_by_name_of(const json_place& at) {
  claim_selection::words_by_name out;
  for (const auto& [name, words] : at.members()) out.emplace_back(name, words.one_or_more(axis_word));
  return out;
}

claim_bounds bounds_of(const json_place& at) {
  claim_bounds out;
  if (const auto low = at.find("at_least")) out.at_least = low->number();
  if (const auto high = at.find("at_most")) out.at_most = high->number();
  if (!out.at_least && !out.at_most) at.refuse("expected at_least, at_most or both");
  if (out.at_least && out.at_most && !(*out.at_least <= *out.at_most))
    at.refuse(fmt::format("expected at_least <= at_most, found {} and {}", *out.at_least, *out.at_most));
  return out;
}

claim_bounds bounds_alone(const json_place& at) {
  at.expect_keys({"at_least", "at_most"});
  return bounds_of(at);
}

claim_measure measure_of(const json_place& at) {
  claim_measure out;
  out.value = at.at("value").one_or_more(text_of);
  if (const auto per = at.find("per")) out.per = per->one_or_more(text_of);
  if (const auto scale = at.find("scale")) out.scale = scale->positive();
  return out;
}

claim_selection selection_of(const json_place& at, const std::string& pointer, std::string operation) {
  claim_selection out;
  out.pointer = pointer;
  out.operation = std::move(operation);
  if (const auto variants = at.find("variants")) out.variants = variants->one_or_more(text_of);
  if (const auto rivals = at.find("rivals")) out.rivals = rivals->one_or_more(text_of);
  out.variants.insert(out.variants.end(), out.rivals.begin(), out.rivals.end());
  if (const auto cache = at.find("cache")) out.cache = cache->one_or_more(text_of);
  if (const auto switches = at.find("switches")) out.switches = words_by_name_of(*switches);
  give_todays_names(out);
  if (const auto axes = at.find("axes")) out.axes = words_by_name_of(*axes);
  if (const auto best = at.find("best"))
    out.best = word_of<claim_selection::best_of>(
        *best, "best",
        {{"lowest", claim_selection::best_of::lowest}, {"highest", claim_selection::best_of::highest}});
  return out;
}

/// The unit of a value in the record: empty for a pure number.
std::string unit_of(const std::string& path) {
  if (path.starts_with("time_us.") || path.ends_with("_us")) return "us";
  const bool counts_bytes = path.find("bytes") != path.npos && path.find("pct_of_peak") == path.npos;
  return counts_bytes ? "bytes" : "";
}

/// A figure that is not a pure number must name its unit: it is not judged on a chip other than the claim's.
void expect_unit(const json_place& at, const claim_quantity& quantity) {
  const bool is_ratio = quantity.counterpart && quantity.compared_by == claim_quantity::comparison::ratio;
  const std::string value = unit_of(quantity.measure.value.front());
  const std::string per = quantity.measure.per.empty() ? "" : unit_of(quantity.measure.per.front());
  if (is_ratio || value == per || !quantity.unit.empty()) return;
  at.refuse("expected a unit: '" + (value.empty() ? quantity.measure.per : quantity.measure.value).front() +
            "' makes the figure no pure number");
}

claim_model model_of(const json_place& at, const std::string& name) {
  at.expect_keys({"title", "layers", "rest_us", "whole", "assumptions"});
  claim_model out;
  out.name = name;
  out.title = text_of(at.at("title"));
  out.layers = at.at("layers").positive();
  out.rest_us = at.at("rest_us").not_negative();
  const json_place whole = at.at("whole");
  whole.expect_keys({"value", "per", "scale"});
  out.whole = measure_of(whole);
  for (const json_place& assumption : at.at("assumptions").at_least_one("assumption"))
    out.assumptions.push_back(text_of(assumption));
  return out;
}

claim_model named_model(const json_place& at, const std::vector<claim_model>& models) {
  std::vector<std::pair<std::string, const claim_model*>> known;
  for (const claim_model& model : models) known.emplace_back(model.name, &model);
  return *word_of(at, "model", known);
}

}  // namespace

claim_quantity read_quantity(const json_place& at, const std::string& pointer,
                             const std::vector<claim_model>& models) {
  using aggregation = claim_quantity::aggregation;
  at.expect_keys(
      {"value", "per", "scale", "unit", "model", "of", "where", "over", "minus", "aggregate", "within"});
  claim_quantity out;
  out.measure = measure_of(at);
  out.unit = text_or_empty(at, "unit");

  const json_place of = at.at("of");
  of.expect_keys({"operation", "variants", "rivals", "switches", "axes", "cache", "best"});
  out.of = selection_of(of, pointer + "/of", text_of(of.at("operation")));

  if (const auto where = at.find("where"))
    for (const json_place& condition : where->elements()) {
      condition.expect_keys({"value", "per", "scale", "at_least", "at_most"});
      out.where.push_back({measure_of(condition), bounds_of(condition)});
    }
  for (const auto& [key, by] : {std::pair("over", claim_quantity::comparison::ratio),
                                std::pair("minus", claim_quantity::comparison::difference)})
    if (const auto other = at.find(key)) {
      if (out.counterpart) other->refuse("expected over or minus, found both");
      other->expect_keys({"operation", "variants", "rivals", "switches", "axes", "cache", "best"});
      const auto operation = other->find("operation");
      out.counterpart =
          selection_of(*other, pointer + "/" + key, operation ? text_of(*operation) : out.of.operation);
      out.compared_by = by;
      if (other->json().empty())
        other->refuse(
            "expected what the other case differs in: operation, variants, rivals, switches, axes or cache");
    }
  if (const auto aggregate = at.find("aggregate"))
    out.aggregate = word_of<aggregation>(*aggregate, "aggregate",
                                         {{"each", aggregation::each},
                                          {"min", aggregation::smallest},
                                          {"max", aggregation::largest},
                                          {"median", aggregation::median},
                                          {"count", aggregation::count},
                                          {"share", aggregation::share}});
  const bool counts = out.aggregate == aggregation::count || out.aggregate == aggregation::share;
  const auto within = at.find("within");
  if (counts) out.within = bounds_alone(at.at("within"));
  if (within && !counts) within->refuse("expected only beside the aggregate count or share");
  if (const auto model = at.find("model")) {
    out.model = named_model(*model, models);
    if (!out.counterpart || out.compared_by != claim_quantity::comparison::ratio)
      model->refuse("expected an over beside it: what a model gains is a ratio of two wholes");
  }
  expect_unit(at, out);
  return out;
}

namespace {

claim_wait wait_of(const json_place& at) {
  at.expect_keys({"operation", "lacks"});
  return {text_of(at.at("operation")), text_or_empty(at, "lacks")};
}

std::optional<double> holds_for_of(const json_place& at) {
  if (!at.json().is_number()) return word_of<double>(at, "holds_for", {{"every", 1.0}, {"some", 0.0}});
  const double share = at.number();
  if (!(share > 0 && share <= 1))
    at.refuse(fmt::format("expected a share above 0 and up to 1, found {}", share));
  return share;
}

/// "2026-11-20"
bool is_day(const std::string& text) {
  constexpr std::string_view form = "dddd-dd-dd";
  return text.size() == form.size() && std::equal(text.begin(), text.end(), form.begin(), [](char c, char f) {
           return f == 'd' ? c >= '0' && c <= '9' : c == f;
         });
}

std::string registered_of(const json_place& at) {
  const auto day = at.find("registered");
  if (!day)
    at.refuse(
        "expected the day on which the claim was written down: add \"registered\": \"YYYY-MM-DD\", and leave it "
        "as it is when the claim is measured");
  if (!is_day(day->text())) day->refuse_value("expected a day, YYYY-MM-DD");
  return day->text();
}

claim claim_of(const json_place& at, const std::string& file, const std::string& pointer,
               const std::vector<claim_model>& models) {
  at.expect_keys({"id", "registered", "source", "statement", "note", "chip", "quantity", "published",
                  "expectation", "holds_for", "prediction", "waits_for"});
  claim out;
  out.file = file;
  out.pointer = pointer;
  out.id = text_of(at.at("id"));
  out.registered = registered_of(at);
  const json_place source = at.at("source");
  source.expect_keys({"document", "section"});
  out.document = text_of(source.at("document"));
  out.section = text_of(source.at("section"));
  out.statement = text_of(at.at("statement"));
  out.note = text_or_empty(at, "note");
  out.chip = text_or_empty(at, "chip");
  if (const auto expectation = at.find("expectation")) out.expectation = bounds_alone(*expectation);
  if (const auto published = at.find("published")) out.published = published->number();
  if (const auto prediction = at.find("prediction")) out.prediction = bounds_alone(*prediction);
  if (const auto holds_for = at.find("holds_for")) out.holds_for = holds_for_of(*holds_for);

  if (const auto waits_for = at.find("waits_for")) out.waits_for = wait_of(*waits_for);
  const auto quantity = at.find("quantity");
  if (!quantity && !out.waits_for)
    at.refuse("expected a quantity, or waits_for with the operation that is missing");
  if (!quantity) return out;
  out.quantity = read_quantity(*quantity, pointer + "/quantity", models);
  if (!out.expectation) at.refuse("expected an expectation beside the quantity");
  return out;
}

}  // namespace

std::vector<claim> read_claims(const std::filesystem::path& path) {
  const nlohmann::ordered_json json = reports::parse_json_file(path);
  const std::string file = path.string();
  const json_place root(json, file);
  root.expect_keys({"$schema", "name", "description", "models", "claims"});
  const std::string list = text_of(root.at("name"));
  // The page of its figures is named after it, and file systems allow 255 bytes.
  constexpr std::size_t longest_name = 200;
  if (list.size() > longest_name)
    root.at("name").refuse(
        fmt::format("expected a name of at most {} bytes, found {}", longest_name, list.size()));
  text_of(root.at("description"));
  std::vector<claim_model> models;
  if (const auto named = root.find("models"))
    for (const auto& [name, model] : named->members()) models.push_back(model_of(model, name));
  std::vector<claim> out;
  std::map<std::string, std::string> places;
  for (const json_place& at : root.at("claims").elements()) {
    const std::string pointer = fmt::format("/claims/{}", out.size());
    out.push_back(claim_of(at, file, pointer, models));
    out.back().list = list;
    const auto [first, is_new] = places.emplace(out.back().id, pointer);
    if (!is_new)
      at.at("id").refuse(
          fmt::format("expected an id of its own, found '{}' of {} again", out.back().id, first->second));
  }
  return out;
}

}  // namespace ablate
