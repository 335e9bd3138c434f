#include "reports/quotes/quoted_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>

#include "reports/claims/claims_reader.h"
#include "reports/claims/claims_select.h"
#include "reports/record/record_file.h"
#include "reports/text/json_place.h"
#include "reports/text/json_text.h"
#include "reports/text/text_file.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

/// "131072.5" as "131 072.5"; unchanged below 10 000.
std::string grouped(std::string number) {
  const std::size_t whole = std::min(number.find('.'), number.size());
  if (whole < 5) return number;
  for (std::size_t at = whole; at > 3; at -= 3) number.insert(at - 3, at > 3 ? " " : "");
  return number.front() == ' ' ? number.substr(1) : number;
}

/// Decimals that leave `digits` significant digits; the integer part is never shortened.
int decimals_for(double value, int digits) {
  if (value == 0) return 0;
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  return std::max(0, digits - 1 - std::stoi(scientific.substr(scientific.find('e') + 1)));
}

std::string rounded(const json_place& at, double value) {
  constexpr int most = 17;  // a double has no more
  if (const auto decimals = at.find("decimals"))
    return grouped(fmt::format("{:.{}f}", value, decimals->integer(0, most)));
  const auto digits = static_cast<int>(at.at("digits").integer(1, most));
  return grouped(fmt::format("{:.{}f}", value, decimals_for(value, digits)));
}

/// A ratio expressed differently: 1.043 as 4.3 percent more.
double told_as(const json_place& at, double value) {
  const auto as = at.find("as");
  if (!as) return value;
  const std::string word = as->text();
  if (word == "percent") return 100 * value;
  if (word == "percent_more") return 100 * (value - 1);
  if (word == "percent_less") return 100 * (1 - value);
  as->refuse("expected percent, percent_more or percent_less");
}

std::optional<double> of_record(const json_place& at, const std::string& file, const std::string& place,
                                quote_sources& sources) {
  ordered_json quantity = at.json();
  for (const char* key : {"record", "digits", "decimals", "as", "at_least", "at_most"}) quantity.erase(key);
  const claim_evidence& evidence = sources.record(at.at("record").text());
  const claim_quantity asked = read_quantity(json_place(quantity, file, place), place);
  const selected_figures found = figures_of(asked, evidence);
  if (found.pieces.empty() && !found.missing.empty())
    at.refuse(found.missing.front().first + ": " + found.missing.front().second);
  if (found.pieces.empty()) return std::nullopt;
  if (asked.aggregate == claim_quantity::aggregation::each && found.pieces.size() > 1)
    at.refuse(fmt::format("expected one case or an aggregate, found {}: {}, {} …", found.pieces.size(),
                          found.pieces[0].cases.front(), found.pieces[1].cases.front()));
  std::vector<claim_figure> figures;
  for (const selected_figures::piece& p : found.pieces) figures.push_back(p.figure);
  return aggregate(figures, asked).value;
}

bool has_all(const ordered_json& element, const ordered_json& members) {
  for (const auto& [key, value] : members.items())
    if (!element.is_object() || !element.contains(key) || element.at(key) != value) return false;
  return true;
}

std::regex expression_of(const json_place& at) try {
  return std::regex(at.text());
} catch (const std::regex_error&) {
  at.refuse_value("a regular expression (ECMAScript)");
}

/// "131 072.5" as a number; nothing for other texts.
std::optional<double> number_in(std::string text) {
  std::erase(text, ' ');
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

ordered_json::json_pointer pointer_of(const json_place& at, const std::string& text) try {
  return ordered_json::json_pointer(text);
} catch (const nlohmann::json::exception&) {
  at.refuse_value("a JSON pointer");
}

/// A number from another file: the one at a JSON pointer (`in` and `at`), or the number of elements there
/// `having` certain members; or what a regular expression's group matches in its text.
double of_file(const json_place& at, quote_sources& sources) {
  const std::string file = at.at("file").text();
  if (const auto matching = at.find("matching")) {
    std::smatch found;
    if (!std::regex_search(sources.text(file), found, expression_of(*matching)) || found.size() != 2)
      matching->refuse(sources.path_of(file) + " has nothing that matches, or not one group");
    const std::optional<double> number = number_in(found[1].str());
    if (!number) matching->refuse("expected a group that is a number, found '" + found[1].str() + "'");
    return *number;
  }
  const auto in = at.find("in");
  const ordered_json::json_pointer pointer =
      pointer_of(at.at("at"), (in ? in->text() : "") + at.at("at").text());
  const ordered_json& json = sources.json(file);
  if (!json.contains(pointer)) at.at("at").refuse(sources.path_of(file) + " has nothing there");
  const ordered_json& value = json.at(pointer);
  if (value.is_number()) return value.get<double>();
  if (!value.is_array()) at.at("at").refuse("expected a number or an array there");
  const auto having = at.find("having");
  return static_cast<double>(std::count_if(value.begin(), value.end(), [&](const ordered_json& element) {
    return !having || has_all(element, having->json());
  }));
}

}  // namespace

const claim_evidence& quote_sources::record(const std::string& name) {
  const auto found = records_.find(name);
  return found != records_.end()
             ? found->second
             : records_.emplace(name, read_claim_evidence(folder_ / name / "record.json")).first->second;
}

const ordered_json& quote_sources::json(const std::string& file) {
  const auto found = jsons_.find(file);
  if (found != jsons_.end()) return found->second;
  const std::filesystem::path path = folder_ / file;
  return jsons_
      .emplace(file, path.filename() == "record.json" ? parse_record_as_written(path) : parse_json_file(path))
      .first->second;
}

const std::string& quote_sources::text(const std::string& file) {
  const auto found = texts_.find(file);
  return found != texts_.end() ? found->second
                               : texts_.emplace(file, read_text_file(folder_ / file)).first->second;
}

std::optional<quoted_figure> figure_to_quote(const ordered_json& specification, const std::string& file,
                                             const std::string& place, quote_sources& sources) {
  const json_place at(specification, file, place);
  const std::optional<double> read =
      at.find("file") ? of_file(at, sources) : of_record(at, file, place, sources);
  if (!read) return std::nullopt;
  const double value = told_as(at, *read);
  if (!std::isfinite(value)) at.refuse("expected a finite figure");
  const auto low = at.find("at_least"), high = at.find("at_most");
  if ((low && !(value >= low->number())) || (high && !(value <= high->number())))
    at.refuse(
        fmt::format("the figure is {} now, outside of what its sentence says: change the sentence", value));
  return quoted_figure{value, rounded(at, value)};
}

}  // namespace ablate::reports
