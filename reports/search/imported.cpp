#include "reports/search/imported.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/statistics/quantile.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "reports/ablation/pairs.h"

namespace ablate::search {
namespace {

using reports::json_place;

double us_per(const std::string& unit, const json_place& at) {
  static const std::map<std::string, double> units = {
      {"nanoseconds", 1e-3}, {"ns", 1e-3}, {"microseconds", 1}, {"us", 1},
      {"milliseconds", 1e3}, {"ms", 1e3},  {"seconds", 1e6},    {"s", 1e6}};
  const auto found = units.find(unit);
  if (found == units.end()) at.refuse_value("nanoseconds, microseconds, milliseconds or seconds");
  return found->second;
}

std::string word_of(const json_place& at) {
  const auto& json = at.json();
  if (json.is_boolean()) return json.get<bool>() ? "on" : reports::off_value;
  if (json.is_number_float() && json.get<double>() == static_cast<double>(json.get<long>()))
    return std::to_string(json.get<long>());
  return json.is_string() ? at.text() : json.dump();
}

bool has_just(const point& p, const named_words& wanted) {
  std::size_t stated = 0;
  for (const auto& [name, value] : wanted) {
    const std::string* own = find_word(p.values, name);
    if ((own ? *own : reports::off_value) != value) return false;
    stated += own ? 1 : 0;
  }
  return stated == p.values.size();
}

std::optional<std::size_t> point_of(const json_place& configuration, const space& of) {
  if (const auto name = configuration.find("point"))
    if (name->json().is_string())
      if (const auto found = of.find(name->text())) return found;
  named_words wanted;
  for (const auto& [name, value] : configuration.members())
    if (name != "point") wanted.emplace_back(name, word_of(value));
  for (std::size_t p = 0; p < of.points().size(); ++p)
    if (has_just(of.points()[p], wanted)) return p;
  return std::nullopt;
}

std::optional<double> measured_time_us(const json_place& result, double file_us) {
  std::string objective = "time";
  if (const auto named = result.find("objectives"); named && !named->elements().empty())
    objective = named->elements().front().text();
  if (const auto measurements = result.find("measurements"))
    for (const json_place& m : measurements->elements())
      if (m.at("name").text() == objective && m.at("value").json().is_number()) {
        const auto unit = m.find("unit");
        const double per = unit && !unit->text().empty() ? us_per(unit->text(), *unit) : file_us;
        return m.at("value").positive() * per;
      }
  const auto runtimes = result.at("times").find("runtimes");
  if (!runtimes || runtimes->elements().empty()) return std::nullopt;
  std::vector<double> all;
  for (const json_place& time : runtimes->elements()) all.push_back(time.positive());
  return gate::median(all) * file_us;
}

}  // namespace

std::vector<std::size_t> imported_times::fastest(std::size_t count) const {
  std::vector<std::pair<double, std::size_t>> all;
  for (const auto& [point, time] : us) all.emplace_back(time, point);
  std::ranges::sort(all);
  std::vector<std::size_t> out;
  for (const auto& [time, point] : all)
    if (out.size() < count) out.push_back(point);
  return out;
}

imported_times read_t4(const std::filesystem::path& path, const space& of) {
  const auto json = reports::parse_json_file(path);
  const std::string file = path.string();
  const json_place at(json, file);
  double file_us = 1e3;
  if (const auto metadata = at.find("metadata"))
    if (const auto unit = metadata->find("timeunit")) file_us = us_per(unit->text(), *unit);
  imported_times out{path};
  for (const json_place& result : at.at("results").elements()) {
    ++out.configurations;
    const auto us = result.at("invalidity").text() == "correct" ? measured_time_us(result, file_us)
                                                                : std::optional<double>();
    const auto point = point_of(result.at("configuration"), of);
    if (!us)
      ++out.invalid;
    else if (!point)
      ++out.elsewhere;
    else if (const auto [known, is_new] = out.us.emplace(*point, *us); !is_new)
      known->second = std::min(known->second, *us);
  }
  return out;
}

}  // namespace ablate::search
