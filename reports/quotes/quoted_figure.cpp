#include "reports/quotes/quoted_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <stdexcept>

#include "base/record/record_file.h"
#include "base/statistics/quantile.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "base/text/text_file.h"
#include "reports/claims/claims_reader.h"
#include "reports/quotes/rounding.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

std::string word(const quote_query& query, const std::string& key) {
  const auto found = query.find(key);
  return found == query.end() ? "" : found->second;
}

ordered_json list_of(const std::string& words) {
  ordered_json out = ordered_json::array();
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find(',', at), words.size());
    out.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// The keys of one of the two cases, "/" before those of the other, as claims have them.
ordered_json selection_of(const quote_query& query, const std::string& side) {
  ordered_json out = ordered_json::object();
  const auto take = [&](const std::string& key, const char* as) {
    if (const std::string value = word(query, side + key); !value.empty()) out[as] = list_of(value);
  };
  if (const std::string operation = word(query, side + "operation"); !operation.empty())
    out["operation"] = operation;
  take("variant", "variants");
  take("rival", "rivals");
  take("cache", "cache");
  if (const std::string best = word(query, side + "best"); !best.empty()) out["best"] = best;
  for (const auto& [kind, as] : {std::pair("axis.", "axes"), std::pair("switch.", "switches")})
    for (const auto& [key, value] : query)
      if (key.starts_with(side + kind))
        out[as][key.substr(side.size() + std::string(kind).size())] = list_of(value);
  return out;
}

/// "PATH>=NUMBER" as claims have a condition.
ordered_json condition_of(const std::string& text) {
  const std::size_t sign = std::min(text.find(">="), text.find("<="));
  if (sign == text.npos)
    throw std::invalid_argument("where=" + text + ": expected a path, >= or <=, and a number");
  return {{"value", text.substr(0, sign)},
          {text[sign] == '>' ? "at_least" : "at_most", parsed_number(text.substr(sign + 2))}};
}

/// As in claims, without an aggregate: a mark needs the figures of all cases. Its unit is what the text says.
ordered_json quantity_of(const quote_query& query) {
  const std::string value = word(query, "value"), per = word(query, "per"), scale = word(query, "scale");
  ordered_json out = {{"value", list_of(value.empty() ? "time_us.median" : value)}, {"unit", "as written"}};
  if (!per.empty()) out["per"] = list_of(per);
  if (!scale.empty()) out["scale"] = parsed_number(scale);
  out["of"] = selection_of(query, "");
  if (const std::string where = word(query, "where"); !where.empty())
    out["where"] = ordered_json::array({condition_of(where)});
  const ordered_json other = selection_of(query, "/");
  if (!other.empty()) out[query.contains("minus") ? "minus" : "over"] = other;
  return out;
}

std::filesystem::path record_of(const quote_query& query, const std::filesystem::path& folder) {
  const std::string record = word(query, "record");
  if (record.empty()) throw std::invalid_argument("expected record=FOLDER, or file=FILE");
  return folder / record;
}

/// A ratio expressed differently: 1.043 as 4.3 percent more.
double expressed_as(const std::string& as, double value) {
  if (as == "%") return 100 * value;
  if (as == "%more") return 100 * (value - 1);
  if (as == "%less") return 100 * (1 - value);
  return value;
}

bool has_all(const ordered_json& element, const std::string& members) {
  for (const auto& member : list_of(members)) {
    const std::string text = member.get<std::string>();
    const std::size_t colon = text.find(':');
    if (colon == text.npos) throw std::invalid_argument("having=" + members + ": expected NAME:VALUE");
    const std::string name = text.substr(0, colon), value = text.substr(colon + 1);
    if (!element.is_object() || !element.contains(name)) return false;
    const ordered_json& found = element.at(name);
    if ((found.is_string() ? found.get<std::string>() : found.dump()) != value) return false;
  }
  return true;
}

double matched_number(const std::string& text, const std::string& expression) {
  std::smatch found;
  try {
    const std::regex regex(expression);
    if (!std::regex_search(text, found, regex) || found.size() != 2)
      throw std::invalid_argument("the file has nothing that matches, or not one group: " + expression);
  } catch (const std::regex_error&) {
    throw std::invalid_argument("expected a regular expression (ECMAScript), found " + expression);
  }
  std::string number = found[1].str();
  std::erase(number, ' ');
  return parsed_number(number);
}

/// A number from another file than a record's cases: the one at a JSON pointer (`in` and `at`), the number of
/// elements there, all or those `having` certain members; or what a regular expression's group matches.
double of_file(const quote_query& query, const std::filesystem::path& folder, quote_sources& sources) {
  const std::filesystem::path file =
      query.contains("file") ? folder / word(query, "file") : record_of(query, folder) / "record.json";
  if (query.contains("matching")) return sources.match(file, word(query, "matching"));
  const std::string at = word(query, "in") + word(query, "at");
  if (at.empty()) throw std::invalid_argument("expected at=POINTER or matching=EXPRESSION with file=");
  const ordered_json& json = sources.json(file);
  try {
    const ordered_json::json_pointer pointer(at);
    if (!json.contains(pointer)) throw std::invalid_argument("the file has nothing at " + at);
    const ordered_json& value = json.at(pointer);
    if (value.is_number()) return value.get<double>();
    if (!value.is_array()) throw std::invalid_argument("expected a number or an array at " + at);
    return static_cast<double>(std::count_if(value.begin(), value.end(), [&](const ordered_json& element) {
      return !query.contains("having") || has_all(element, word(query, "having"));
    }));
  } catch (const nlohmann::json::exception&) {
    throw std::invalid_argument("expected a JSON pointer, found " + at);
  }
}

/// As the text tells them; nothing where the record has no such case.
std::vector<double> values_of(const quote_query& query, const std::filesystem::path& folder,
                              quote_sources& sources) {
  const std::string as = word(query, "as");
  if (query.contains("file") || query.contains("at") || query.contains("matching")) {
    const std::string scale = word(query, "scale");
    return {expressed_as(as, of_file(query, folder, sources) * (scale.empty() ? 1 : parsed_number(scale)))};
  }
  if (!query.contains("operation")) throw std::invalid_argument("expected operation=NAME, or file=FILE");
  const selected_figures& found = sources.figures(record_of(query, folder), quantity_of(query));
  if (found.pieces.empty() && !found.missing.empty())
    throw std::invalid_argument(found.missing.front().first + ": " + found.missing.front().second);
  if (found.pieces.size() > 1 && !query.contains("aggregate"))
    throw std::invalid_argument(
        fmt::format("expected one case, or range, min, max, median or count; found {}: {}, {} …",
                    found.pieces.size(), found.pieces[0].cases.front(), found.pieces[1].cases.front()));
  std::vector<double> out;
  for (const selected_figures::piece& p : found.pieces) out.push_back(expressed_as(as, p.figure.value));
  for (const double value : out)
    if (!std::isfinite(value)) throw std::invalid_argument("expected a finite figure");
  return out;
}

void expect_within(const quote_query& query, double value) {
  const std::string low = word(query, "low"), high = word(query, "high");
  if ((!low.empty() && !(value >= parsed_number(low))) || (!high.empty() && !(value <= parsed_number(high))))
    throw std::invalid_argument(
        fmt::format("the figure is now {}, outside the bounds of its sentence: change the sentence", value));
}

std::string rounded(const quote_query& query, double value) {
  const std::string how = word(query, "round");
  if (how.empty()) throw std::invalid_argument("expected how to round: #DIGITS or .DECIMALS");
  return rounded_number(value, how);
}

/// Of a case's workload: everything of it but the variant, and an axis if one is left out.
std::string workload_of(const measured_case& c, const std::string& without) {
  std::string out = c.cache_state;
  for (const auto& [axis, value] : c.axes)
    if (axis != without) out += "/" + axis + "=" + value;
  return out;
}

/// The fastest of some variants and of all others in one workload.
struct race {
  std::string workload;
  long long size = 0;  ///< the value of the axis along which races are held
  double named = INFINITY, others = INFINITY;
  std::string winner;  ///< id of the fastest of the others
};

/// By workload and size, those alone in which both take part.
std::vector<race> races_of(quote_query query, const std::string& named, const std::string& axis,
                           const std::filesystem::path& folder, quote_sources& sources) {
  for (const char* key : {"value", "per", "scale", "variant", "rival", "best", "minus", "aggregate"})
    query.erase(key);
  std::erase_if(query, [](const auto& member) { return member.first.starts_with("/"); });
  const std::filesystem::path record = record_of(query, folder);
  const selected_figures& all = sources.figures(record, quantity_of(query));
  query["variant"] = named;
  const selected_figures& of_named = sources.figures(record, quantity_of(query));
  const std::vector<measured_case>& cases = sources.record(record).facts.cases;
  std::map<std::string, const measured_case*> by_id;
  for (const measured_case& c : cases) by_id[c.name] = &c;
  std::map<std::pair<std::string, long long>, race> races;
  for (const selected_figures::piece& p : all.pieces) {
    const measured_case& c = *by_id.at(p.cases.front());
    const std::string* size = find_word(c.axes, axis);
    if (!axis.empty() && !size)
      throw std::invalid_argument("leads=" + axis + ": the cases have no such axis");
    race& r = races[{workload_of(c, axis), size ? std::llround(parsed_number(*size)) : 0}];
    r.workload = workload_of(c, axis);
    r.size = size ? std::llround(parsed_number(*size)) : 0;
    const bool is_named = std::any_of(of_named.pieces.begin(), of_named.pieces.end(),
                                      [&](const auto& n) { return n.cases.front() == c.name; });
    if (is_named) r.named = std::min(r.named, p.figure.value);
    if (is_named || p.figure.value >= r.others) continue;
    r.others = p.figure.value;
    r.winner = c.name;
  }
  std::vector<race> out;
  for (const auto& [key, r] : races)
    if (std::isfinite(r.named) && std::isfinite(r.others)) out.push_back(r);
  if (out.empty()) throw std::invalid_argument("the record has no other variant to be faster than");
  return out;
}

std::string variants_of(const quote_query& query, const std::string& side) {
  const std::string variants = word(query, side + "variant"), rivals = word(query, side + "rival");
  return variants + (variants.empty() || rivals.empty() ? "" : ",") + rivals;
}

/// The smallest size from which on the named variants are faster than all others, in every workload.
double lead_of(const quote_query& query, const std::filesystem::path& folder, quote_sources& sources) {
  const std::string named = variants_of(query, "");
  if (named.empty()) throw std::invalid_argument("expected the variant that leads");
  double begin = INFINITY, behind = -INFINITY;
  const std::vector<race> races = races_of(query, named, word(query, "leads"), folder, sources);
  std::string winner;
  for (const race& r : races)
    if (!(r.named < r.others) && static_cast<double>(r.size) > behind) {
      behind = static_cast<double>(r.size);
      winner = r.winner;
    }
  for (const race& r : races)
    if (static_cast<double>(r.size) > behind) begin = std::min(begin, static_cast<double>(r.size));
  if (!std::isfinite(begin))
    throw std::invalid_argument("does not lead at the largest size: " + winner + " does");
  return begin;
}

}  // namespace

const claim_evidence& quote_sources::record(const std::filesystem::path& folder) {
  const std::string file = (folder / "record.json").lexically_normal().string();
  const auto found = records_.find(file);
  return found != records_.end()
             ? found->second
             : records_.emplace(file, read_claim_evidence(file, further_launches_in(folder))).first->second;
}

const ordered_json& quote_sources::json(const std::filesystem::path& file) {
  const std::string name = file.lexically_normal().string();
  const auto found = jsons_.find(name);
  if (found != jsons_.end()) return found->second;
  return jsons_
      .emplace(name, file.filename() == "record.json" ? parse_record_as_written(file) : parse_json_file(name))
      .first->second;
}

const std::string& quote_sources::text(const std::filesystem::path& file) {
  const std::string name = file.lexically_normal().string();
  const auto found = texts_.find(name);
  return found != texts_.end() ? found->second : texts_.emplace(name, read_text_file(name)).first->second;
}

double quote_sources::match(const std::filesystem::path& file, const std::string& expression) {
  const std::string key = file.lexically_normal().string() + "\n" + expression;
  const auto found = matches_.find(key);
  return found != matches_.end()
             ? found->second
             : matches_.emplace(key, matched_number(text(file), expression)).first->second;
}

const selected_figures& quote_sources::figures(const std::filesystem::path& folder,
                                               const ordered_json& quantity) {
  const std::string key = folder.lexically_normal().string() + "\n" + quantity.dump();
  if (const auto found = figures_.find(key); found != figures_.end()) return found->second;
  const claim_quantity asked = read_quantity(json_place(quantity, folder.string(), ""), "");
  return figures_.emplace(key, figures_of(asked, record(folder), any_effect)).first->second;
}

std::optional<quoted_figure> figure_of(const quote_query& query, const std::filesystem::path& folder,
                                       quote_sources& sources) {
  if (query.contains("leads")) {
    const double value = lead_of(query, folder, sources);
    return quoted_figure{value, rounded_number(value, ".0"), "", "", ""};
  }
  std::vector<double> values = values_of(query, folder, sources);
  if (values.empty()) return std::nullopt;
  const std::string aggregate = word(query, "aggregate");
  if (aggregate.starts_with("count")) {
    const double bound = parsed_number(aggregate.substr(7));
    const auto many = static_cast<double>(std::count_if(values.begin(), values.end(), [&](double value) {
      return aggregate[5] == '>' ? value >= bound : value <= bound;
    }));
    expect_within(query, many);
    return quoted_figure{many, rounded(query, many), "", "", ""};
  }
  const double median = gate::median(values);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const bool of_several = aggregate == "range" || aggregate == "min" || aggregate == "max";
  const double value = aggregate == "max" ? *most : aggregate == "median" ? median : *least;
  quoted_figure out{value, rounded(query, value), "", "", ""};
  expect_within(query, value);
  if (aggregate == "range") {
    expect_within(query, *most);
    out.upper = rounded(query, *most);
  }
  if (of_several) {
    out.count = std::to_string(values.size());
    out.median = rounded(query, median);
    std::erase(out.median, ' ');
  }
  return out;
}

void expect_fastest(const quote_query& query, const std::filesystem::path& folder, quote_sources& sources) {
  std::string named = word(query, "fastest");
  if (named.empty()) return;
  quote_query of_case = query;
  const bool is_ratio =
      std::any_of(query.begin(), query.end(), [](const auto& m) { return m.first.starts_with("/"); });
  if (named == "yes") {
    // A ratio of times has the faster way below, one of rates above.
    const bool is_below = is_ratio && !query.contains("per");
    named = variants_of(query, is_below ? "/" : "");
    if (is_below)
      for (const auto& [key, value] : query)
        if (key.starts_with("/")) of_case[key.substr(1)] = value;
  }
  if (named.empty())
    throw std::invalid_argument("expected the variant that is the fastest, or fastest=VARIANT");
  for (const race& r : races_of(of_case, named, "", folder, sources))
    if (r.named > r.others)
      throw std::invalid_argument(
          fmt::format("{} is not the fastest ({} us): {} takes {} us", named, r.named, r.winner, r.others));
}

}  // namespace ablate::reports
