#include "reports/sections/device_state.h"

#include <algorithm>
#include <set>

#include "base/record/clocks.h"
#include "base/text/or_null.h"
#include "base/text/text.h"
#include "reports/plots/vega.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

ordered_json number_of(const std::optional<written_number>& of) {
  if (!of) return nullptr;
  if (const auto integer = of->integer()) return *integer;
  return static_cast<double>(*of);
}

/// From both snapshots, before and after the case.
std::string event_reasons(const states_of_device& state) {
  std::set<std::string> reasons;
  for (const auto* glance : {&state.before, &state.after})
    if (*glance) reasons.insert((*glance)->reasons().begin(), (*glance)->reasons().end());
  std::string out;
  for (const std::string& reason : reasons) out += (out.empty() ? "" : ", ") + reason;
  return out.empty() ? "none" : out;
}

struct seen_quantity {
  const char *key, *title;
  stated<written_number> device_state::*of;
};

}  // namespace

std::vector<plot> device_state_plots(const record& r) {
  constexpr seen_quantity seen[] = {
      {"sm_clock_mhz", "SM clock (MHz)", &device_state::sm_clock_mhz},
      {"memory_clock_mhz", "memory clock (MHz)", &device_state::memory_clock_mhz},
      {"temperature_c", "temperature (°C)", &device_state::temperature_c},
      {"power_w", "power (W)", &device_state::power_w}};
  constexpr const char* timed = "timed_sm_clock_mhz";
  ordered_json rows = ordered_json::array();
  for (std::size_t i = 0; i < r.cases.size(); ++i) {
    const std::optional<states_of_device>& state = r.cases[i].device_state;
    if (!state) continue;
    const device_state after = state->after.value_or(device_state());
    ordered_json row = {{"case", r.cases[i].name}, {"place", i + 1}, {"group", event_reasons(*state)}};
    for (const auto& [key, title, of] : seen) row[key] = number_of(after.*of);
    row[timed] = or_null(sm_clock_mhz(r.cases[i]));
    rows.push_back(std::move(row));
  }
  std::vector<panel> panels;
  const auto add = [&](const char* field, const char* title) {
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const ordered_json& row) { return row[field].is_number(); }))
      panels.push_back({field, title});
  };
  add(timed, "SM clock, timed (MHz)");
  for (const auto& [key, title, of] : seen) add(key, title);
  if (panels.empty()) return {};
  const plot_heading heading{
      r.suite_name + ": device state over the run",
      r.device_name,
      "",
      {},
      "by NVML right after each case; the timed SM clock is counted by kernels around the samples, or by one "
      "after them"};
  return {{"device-state", r.suite_name + ": device state over the run",
           over_places(heading, panels, "clock event reasons", std::move(rows))}};
}

}  // namespace ablate::reports
