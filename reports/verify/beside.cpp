#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics/quantile.h"
#include "reports/verify/place.h"
#include "reports/verify/verify.h"

namespace ablate::verify {
namespace {

using nlohmann::ordered_json;

// Of the committed records of one product: launches within 0.75 and 1.08 of their median, every other ceiling
// within 0.97 and 1.12, whose upper end two kinds of the product explain (docs/record.md).
constexpr std::size_t fewest_others = 3;
constexpr double widest_launch = 1.6, widest_rate = 1.25;

// Of pairs of committed records of the same sources: the instructions of calibrations agree exactly and their
// atomics' sectors within 0.05 %; of other cases, some with races, the instructions within 0.8 % and
// sectors within 17 %, so those are not held.
constexpr double max_sectors = 0.002, max_instructions = 0.03;

std::string product_of(const checked_record& r) { return facts_of(r).at("device").at("name"); }

double value_of(const ordered_json& ceiling) {
  return ceiling.at(ceiling.contains("us") ? "us" : "rate_per_s").get<double>();
}

std::optional<double> counter_of(const ordered_json& entry, const char* name) {
  const ordered_json& values = entry.at("counters").at("values");
  if (!values.is_object() || !values.contains(name) || !values[name].is_number()) return std::nullopt;
  return values[name].get<double>();
}

/// How far two counts of one case may differ, relative; nothing if they are not held to each other.
std::optional<double> tolerance_of(const ordered_json& entry, const std::string& counter) {
  const bool is_calibration = entry.contains("ceiling");
  if (counter == "smsp__inst_executed.sum") return is_calibration ? 0 : max_instructions;
  return is_calibration ? std::optional(max_sectors) : std::nullopt;
}

}  // namespace

std::size_t check_fleet(const checked_record& r, const std::vector<const checked_record*>& others,
                        std::vector<finding>& to) {
  std::size_t held = 0;
  for (const auto& [name, ceiling] : facts_of(r).at("ceilings").items()) {
    std::vector<double> fleet;
    for (const checked_record* other : others) {
      const ordered_json& theirs = facts_of(*other).at("ceilings");
      if (product_of(*other) == product_of(r) && theirs.contains(name))
        fleet.push_back(value_of(theirs[name]));
    }
    if (fleet.size() < fewest_others) continue;
    ++held;
    const double median = gate::median(fleet), value = value_of(ceiling);
    const double widest = name.starts_with("launch") ? widest_launch : widest_rate;
    if (value > median * widest || value < median / widest)
      to.push_back(
          {r.file, "/context/ablate/ceilings/" + name,
           fmt::format("expected {:.4g} to {:.4g}, about the median of {} other records of a {}, found "
                       "{:.4g}",
                       median / widest, median * widest, fleet.size(), product_of(r), value)});
  }
  return held;
}

std::size_t check_counts(const checked_record& r, const std::vector<const checked_record*>& others,
                         std::vector<finding>& to) {
  const ordered_json& entries = r.json.at("benchmarks");
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < entries.size(); ++i) places.emplace(entries[i].at("name"), i);
  std::vector<bool> held(entries.size());
  for (const checked_record* other : others) {
    if (facts_of(*other).at("build").at("source_hash") != facts_of(r).at("build").at("source_hash") ||
        product_of(*other) != product_of(r) || facts_of(*other).at("seed") != facts_of(r).at("seed"))
      continue;
    for (const ordered_json& theirs : other->json.at("benchmarks")) {
      const auto place = places.find(theirs.at("name").get<std::string>());
      if (place == places.end()) continue;
      const ordered_json& ours = entries[place->second];
      if (ours.at("input") != theirs.at("input")) continue;
      for (const char* name :
           {"smsp__inst_executed.sum", "lts__t_sectors_op_red.sum", "lts__t_sectors_op_atom.sum"}) {
        const auto a = counter_of(ours, name), b = counter_of(theirs, name), most = tolerance_of(ours, name);
        if (!a || !b || !most) continue;
        held[place->second] = true;
        if (std::fabs(*a - *b) > *most * std::max(*a, *b))
          to.push_back({r.file, fmt::format("/benchmarks/{}/counters/values/{}", place->second, name),
                        fmt::format("expected {:.8g} within {} %, as in {} of the same sources, found {:.8g}",
                                    *b, 100 * *most, other->file, *a)});
      }
    }
  }
  return static_cast<std::size_t>(std::count(held.begin(), held.end(), true));
}

}  // namespace ablate::verify
