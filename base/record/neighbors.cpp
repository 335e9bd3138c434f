#include "base/record/neighbors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ablate {
namespace {

std::vector<neighbor_facts::change> changes_of(const reports::json_place& at) {
  std::vector<neighbor_facts::change> out;
  for (const reports::json_place& c : at.at_least_one("case"))
    out.push_back({c.at("name").text(), c.at("ratio").positive(), c.at("ratio_low").positive(),
                   c.at("ratio_high").positive()});
  return out;
}

/// Of the case that changes most.
std::string change_text(const std::vector<neighbor_facts::change>& of) {
  const auto most = std::max_element(of.begin(), of.end(), [](const auto& a, const auto& b) {
    return std::fabs(a.ratio - 1) < std::fabs(b.ratio - 1);
  });
  return fmt::format("{} takes {:.3f} times as long ({:.3f} to {:.3f})", most->name, most->ratio, most->low,
                     most->high);
}

}  // namespace

neighbor_facts read_neighbors(const reports::json_place& at) {
  neighbor_facts out;
  for (const reports::json_place& specimen : at.at("specimens").at_least_one("specimen"))
    out.specimens.push_back(specimen.text());
  out.in_turns = at.at("in_turns").boolean();
  out.cases = changes_of(at.at("cases"));
  if (const auto end = at.find("at_end"))
    out.at_end = {end->at("matters").boolean(), changes_of(end->at("cases"))};
  return out;
}

std::string neighbors_text(const neighbor_facts& of) {
  const std::size_t busy = of.specimens.size() - 1;
  std::string text = fmt::format(
      "with {} busy, {}{}", busy == 1 ? "the neighbor" : fmt::format("{} neighbors", busy),
      change_text(of.cases), of.in_turns ? ": the devices took turns" : "; other calibrations changed less");
  if (!of.at_end) return text;
  text += fmt::format("; at the end of the run {}", change_text(of.at_end->cases));
  if (of.at_end->matters && !of.in_turns) text += ", although no turns were taken";
  return text;
}

}  // namespace ablate
