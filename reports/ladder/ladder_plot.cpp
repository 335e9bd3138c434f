#include "reports/ladder/ladder_plot.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/record/clocks.h"
#include "base/text/text.h"
#include "reports/ablation/tables.h"
#include "reports/plots/vega.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

ordered_json whole_bar(const measured_case& c, const std::string& label) {
  return {{"case", c.name},      {"step", label},
          {"start", 0},          {"end", c.time.median_us},
          {"verdict", "median"}, {"ratio", nullptr},
          {"moved", ""},         {"label", significant(c.time.median_us) + " µs"}};
}

ordered_json step_bar(const ladder_step_result& step) {
  const effect& e = *step.at.over;
  return {
      {"case", e.to->name},
      {"step", step.at.label},
      {"start", e.from->time.median_us},
      {"end", e.to->time.median_us},
      {"verdict", gate::name_of(e.verdict.word)},
      {"ratio", ratio_with_interval(e.ratio(), e.low(), e.high()) + cycles_mark(e.in_cycles())},
      {"moved", step.at.change},
      {"label", fmt::format("{:.2f}×{}{}", e.ratio(), e.in_cycles() ? " ‡" : "", step.skips ? " *" : "")}};
}

/// The axes in which no case differs from the others.
named_words shared_axes(const ladder_result& of) {
  named_words out;
  for (const ladder_case_result* c : of.cases()) {
    if (!c->found) continue;
    if (out.empty()) out = c->found->axes;
    std::erase_if(out, [&](const auto& axis) {
      const std::string* value = find_word(c->found->axes, axis.first);
      return !value || *value != axis.second;
    });
  }
  return out;
}

}  // namespace

std::optional<plot> ladder_plot(const ladder_result& of, const std::string& device) {
  if (!of.whole || !of.is_of_one_clock) return std::nullopt;
  ordered_json rows = ordered_json::array();
  std::size_t steps = 0;
  bool skips = false, unlike_clocks = false;
  for (const ladder_step_result& step : of.steps) {
    if (!step.at.found) continue;
    rows.push_back(step.at.over ? step_bar(step) : whole_bar(*step.at.found, step.at.label));
    steps += step.at.over ? 1 : 0;
    skips = skips || step.skips;
    unlike_clocks = unlike_clocks || (step.at.over && step.at.over->in_cycles());
    if (step.control && step.control->found)
      rows.push_back(whole_bar(*step.control->found, fmt::format("control: {}", step.control->label)));
  }
  rows.push_back(whole_bar(*of.whole->to, "in the end"));
  std::string note =
      fmt::format("{}{}, {}, in {} steps, in the order of the suite",
                  ratio_with_interval(of.whole->ratio(), of.whole->low(), of.whole->high()),
                  cycles_mark(of.whole->in_cycles()), gate::name_of(of.whole->verdict.word), steps);
  if (skips) note += "; * several changes at once: a step between was not measured";
  if (unlike_clocks) note += fmt::format("; {}", about_clock_sign);
  return plot{"ladder", of.asked.title,
              falling_bars({of.asked.title, device, of.asked.cache_state, shared_axes(of), note}, rows)};
}

}  // namespace ablate::reports
