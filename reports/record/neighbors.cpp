#include "reports/record/neighbors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ablate {

neighbor_facts read_neighbors(const reports::json_place& at) {
  neighbor_facts out;
  for (const reports::json_place& specimen : at.at("specimens").at_least_one("specimen"))
    out.specimens.push_back(specimen.text());
  out.in_turns = at.at("in_turns").boolean();
  for (const reports::json_place& c : at.at("cases").at_least_one("case"))
    out.cases.push_back({c.at("name").text(), c.at("ratio").positive(), c.at("ratio_low").positive(),
                         c.at("ratio_high").positive()});
  return out;
}

std::string neighbors_text(const neighbor_facts& of) {
  const auto most = std::max_element(of.cases.begin(), of.cases.end(), [](const auto& a, const auto& b) {
    return std::fabs(a.ratio - 1) < std::fabs(b.ratio - 1);
  });
  const std::size_t busy = of.specimens.size() - 1;
  return fmt::format("with {} busy, {} takes {:.3f} times as long ({:.3f} to {:.3f}){}",
                     busy == 1 ? "the neighbor" : fmt::format("{} neighbors", busy), most->name, most->ratio,
                     most->low, most->high,
                     of.in_turns ? ": the devices took turns" : "; other calibrations changed less");
}

}  // namespace ablate
