#include <fmt/format.h>

#include <algorithm>

#include "reports/plots/plot_groups.h"
#include "reports/plots/plots.h"
#include "reports/plots/vega.h"
#include "reports/views/leading.h"
#include "reports/views/ranking.h"

namespace ablate::reports {
namespace {

/// Of the drawn variants, the fastest first.
std::vector<const measured_case*> cases_with_energy(const operation_view& view, const comparable_cases& row) {
  std::vector<const measured_case*> out;
  for (const std::string& variant : fastest_first(view.drawn, {&row}))
    if (const measured_case* c = row.of(variant); c && c->energy) out.push_back(c);
  return out;
}

/// An end of an interval that a log scale can show.
nlohmann::ordered_json drawable(double end) { return end > 0 ? nlohmann::ordered_json(end) : nullptr; }

}  // namespace

std::vector<plot> energy_plots(const operation_view& view, const std::string& device) {
  const comparable_cases* chosen = nullptr;
  std::vector<const measured_case*> cases;
  for (const comparable_cases& row : view.rows)
    if (auto here = cases_with_energy(view, row); here.size() >= std::max<std::size_t>(cases.size(), 2)) {
      chosen = &row;
      cases = std::move(here);
    }
  if (!chosen) return {};
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const measured_case* c : cases) {
    const merit_interval energy = *merit_of(*c, merit::energy);
    rows.push_back({{"case", c->name},
                    {"variant", c->variant},
                    {"us", c->time.median_us},
                    {"us_low", c->time.ci95_low_us},
                    {"us_high", c->time.ci95_high_us},
                    {"mj", energy.value},
                    {"mj_low", drawable(energy.low)},
                    {"mj_high", energy.high},
                    {"mj_us", *c->energy_delay_mj_us()},
                    {"mean_w", c->energy->mean_w}});
  }
  const plot_heading heading{view.name + ": energy of a launch against time", device, chosen->cache_state,
                             chosen->axes, "one mark per variant; bars are 95 % intervals"};
  return {{file_name(view, "energy", {chosen->cache_state}),
           fmt::format("{}: energy against time, {}", view.name, chosen->cache_state),
           energy_against_time(heading, names_of(view), std::move(rows))}};
}

}  // namespace ablate::reports
