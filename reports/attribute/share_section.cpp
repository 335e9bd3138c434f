#include "reports/attribute/share_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "reports/ablation/pairs.h"
#include "reports/attribute/outputs.h"
#include "reports/attribute/words.h"

namespace ablate::attribute {
namespace {

using namespace reports;

/// More are not looked for: reports show what was measured as a lattice, and those have few.
constexpr std::size_t most_switches = 6;

using values = std::map<std::string, std::string>;

values values_of(const measured_case& c) {
  values out;
  for (const auto& [name, value] : c.switches)
    if (value != "off") out.emplace(name, value);
  return out;
}

std::vector<std::string> differences(const values& a, const values& b) {
  std::vector<std::string> out;
  for (const auto& [name, value] : a)
    if (const auto other = b.find(name); other == b.end() || other->second != value) out.push_back(name);
  for (const auto& entry : b)
    if (!a.contains(entry.first)) out.push_back(entry.first);
  return out;
}

/// Whether every point between the two is among those measured.
bool is_complete(const values& from, const values& to, const std::vector<std::string>& names,
                 const std::set<values>& measured) {
  for (std::size_t s = 1; s + 1 < std::size_t{1} << names.size(); ++s) {
    values point = from;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!(s >> i & 1)) continue;
      point.erase(names[i]);
      if (const auto value = to.find(names[i]); value != to.end()) point.insert(*value);
    }
    if (!measured.contains(point)) return false;
  }
  return true;
}

struct candidate {
  std::size_t switches = 0;
  double gain = 0;  ///< sum of logarithms over the workloads
  std::vector<const comparable_cases*> rows;
};

/// The variants of a row with their switches, without those whose switches another has too.
std::vector<std::pair<const measured_case*, values>> points_on(const record& r, const operation_view& view,
                                                               const comparable_cases& row) {
  std::vector<std::pair<const measured_case*, values>> out;
  std::map<values, std::size_t> times;
  for (const measured_case* c : own_cases(r, view, row)) {
    out.emplace_back(c, values_of(*c));
    ++times[out.back().second];
  }
  std::erase_if(out, [&](const auto& point) { return times.at(point.second) > 1; });
  return out;
}

}  // namespace

std::optional<complete_points> most_complete_points(const record& r, const operation_view& view) {
  std::map<std::pair<std::string, std::string>, candidate> found;
  for (const comparable_cases& row : view.rows) {
    const auto points = points_on(r, view, row);
    std::set<values> measured;
    for (const auto& point : points) measured.insert(point.second);
    for (const auto& [from, from_values] : points)
      for (const auto& [to, to_values] : points) {
        // Each pair once: from the baseline, or else in the order of the record.
        if (to->variant == view.baseline || (from->variant != view.baseline && !(from < to))) continue;
        const std::vector<std::string> names = differences(from_values, to_values);
        if (names.size() < 2 || names.size() > most_switches) continue;
        if (!is_complete(from_values, to_values, names, measured)) continue;
        candidate& here = found[{from->variant, to->variant}];
        here.switches = names.size();
        here.gain += std::log(from->time.median_us / to->time.median_us);
        here.rows.push_back(&row);
      }
  }
  const auto merit = [&](const auto& entry) {
    const candidate& c = entry.second;
    return std::tuple(entry.first.first == view.baseline, c.switches, c.rows.size(), std::fabs(c.gain));
  };
  const auto best = std::max_element(found.begin(), found.end(),
                                     [&](const auto& a, const auto& b) { return merit(a) < merit(b); });
  if (best == found.end()) return std::nullopt;
  const auto& [ends, of] = *best;
  const bool turned = ends.first != view.baseline && of.gain < 0;
  return complete_points{turned ? ends.second : ends.first, turned ? ends.first : ends.second, of.rows};
}

std::optional<share_section> share_section_of(const record& r, const operation_view& view,
                                              const case_launches& launches, const effect_limits& limits) {
  const auto between = most_complete_points(r, view);
  if (!between) return std::nullopt;
  attribution of =
      attribution_of(r, view, between->rows, between->from, between->to, nullptr, launches, limits);
  std::erase_if(of.workloads, [](const workload_shares& w) { return w.rests_on != evidence::exact; });
  if (of.workloads.empty()) return std::nullopt;
  return share_section{heading_of(of), about_shares(of, limits), share_table(of), sentences_of(of)};
}

}  // namespace ablate::attribute
