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

ordered_json number_in(const ordered_json& state, const char* key) {
  const auto found = state.find(key);
  return found != state.end() && found->is_number() ? *found : ordered_json(nullptr);
}

/// From both snapshots, before and after the case.
std::string event_reasons(const ordered_json& state) {
  std::set<std::string> reasons;
  for (const char* when : {"before", "after"})
    if (const auto glance = state.find(when); glance != state.end() && glance->is_object())
      for (const ordered_json& reason : glance->value("event_reasons", ordered_json::array()))
        if (reason.is_string()) reasons.insert(reason.get<std::string>());
  std::string out;
  for (const std::string& reason : reasons) out += (out.empty() ? "" : ", ") + reason;
  return out.empty() ? "none" : out;
}

}  // namespace

std::vector<plot> device_state_plots(const record& r) {
  constexpr std::pair<const char*, const char*> seen[] = {{"sm_clock_mhz", "SM clock (MHz)"},
                                                          {"memory_clock_mhz", "memory clock (MHz)"},
                                                          {"temperature_c", "temperature (°C)"},
                                                          {"power_w", "power (W)"}};
  constexpr const char* timed = "timed_sm_clock_mhz";
  ordered_json rows = ordered_json::array();
  for (std::size_t i = 0; i < r.cases.size(); ++i) {
    const ordered_json& state = r.cases[i].device_state;
    if (!state.is_object()) continue;
    const ordered_json after = state.value("after", ordered_json::object());
    ordered_json row = {{"case", r.cases[i].name}, {"place", i + 1}, {"group", event_reasons(state)}};
    for (const auto& [key, title] : seen)
      row[key] = after.is_object() ? number_in(after, key) : ordered_json();
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
  for (const auto& [key, title] : seen) add(key, title);
  if (panels.empty()) return {};
  const plot_heading heading{
      r.suite_name + ": device state over the run",
      r.device_name,
      "",
      {},
      "as NVML told it right after each case; a timed SM clock is counted by kernels around the samples, or "
      "else by one then"};
  return {{"device-state", r.suite_name + ": device state over the run",
           over_places(heading, panels, "clock event reasons", std::move(rows))}};
}

}  // namespace ablate::reports
