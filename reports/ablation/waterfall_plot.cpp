#include "reports/ablation/waterfall_plot.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/record/clocks.h"
#include "reports/ablation/tables.h"
#include "reports/plots/plot_groups.h"
#include "reports/plots/vega.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

ordered_json whole_bar(const measured_case& c) {
  return {{"case", c.name},      {"step", c.variant},
          {"start", 0},          {"end", c.time.median_us},
          {"verdict", "median"}, {"ratio", nullptr},
          {"moved", ""},         {"label", fmt::format("{:.4g} µs", c.time.median_us)}};
}

ordered_json step_bar(const waterfall_step& step) {
  const effect& e = step.measured;
  std::string moved;
  for (const moved_metric& m : step.moved) moved += (moved.empty() ? "" : "; ") + text_of(m);
  return {{"case", e.to->name},
          {"step", fmt::format("{}: {} → {}", step.change.name, step.change.from, step.change.to)},
          {"start", e.from->time.median_us},
          {"end", e.to->time.median_us},
          {"verdict", gate::name_of(e.verdict.word)},
          {"ratio", ratio_with_interval(e.ratio(), e.low(), e.high()) + cycles_mark(e.in_cycles())},
          {"moved", moved},
          {"label", fmt::format("{:.2f}×{}", e.ratio(), e.in_cycles() ? " ‡" : "")}};
}

bool has_unlike_clocks(const waterfall& w) {
  return w.whole.in_cycles() || std::any_of(w.steps.begin(), w.steps.end(), [](const waterfall_step& step) {
           return step.measured.in_cycles().has_value();
         });
}

}  // namespace

std::vector<plot> waterfall_plots(const operation_view& view, const operation_waterfalls& from,
                                  const std::string& device, std::size_t limit) {
  std::vector<plot> out;
  for (const waterfall& w : from.paths) {
    if (out.size() == limit) break;
    const std::string title =
        fmt::format("{}: from {} to {}", view.name, w.whole.from->variant, w.whole.to->variant);
    ordered_json rows = ordered_json::array({whole_bar(*w.whole.from)});
    for (const waterfall_step& step : w.steps) rows.push_back(step_bar(step));
    rows.push_back(whole_bar(*w.whole.to));
    std::vector<std::string> words = {w.whole.to->variant};
    if (out.size() > 0) words.push_back(fmt::format("path{}", out.size() + 1));
    const std::string note = fmt::format(
        "{}{}, {}: one switch a step{}; the path of {} of {} workloads{}",
        ratio_with_interval(w.whole.ratio(), w.whole.low(), w.whole.high()), cycles_mark(w.whole.in_cycles()),
        gate::name_of(w.whole.verdict.word), order_of(w), w.workloads, from.workloads,
        has_unlike_clocks(w) ? fmt::format("; {}", about_clock_sign) : "");
    out.push_back({file_name(view, "waterfall", words), title,
                   falling_bars({title, device, w.row->cache_state, w.row->axes, note}, rows)});
  }
  return out;
}

}  // namespace ablate::reports
