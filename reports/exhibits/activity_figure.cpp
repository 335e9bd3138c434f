#include "reports/exhibits/activity_figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/record/bounded.h"
#include "base/record/counter_regime.h"
#include "base/text/or_null.h"
#include "base/text/text.h"
#include "reports/exhibits/chosen_cases.h"
#include "reports/plots/vega.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

struct metric_panel {
  const char *key, *title;
};
constexpr metric_panel panels_of_activity[] = {{"sm_active_pct", "SM active (%)"},
                                               {"sm_issue_pct", "SM issue (%)"},
                                               {"tensor_pct", "tensor activity (%)"},
                                               {"dram_read_pct", "DRAM read (%)"}};

struct drawn_forward {
  const exhibit_choice* curve;
  const measured_case* of;
  long points;
};

/// Of each curve its cases by points, whether they were sampled or not.
std::vector<drawn_forward> forwards_of(const record& r, const suite_exhibit& exhibit) {
  std::vector<drawn_forward> out;
  for (const exhibit_choice& curve : exhibit.curves) {
    const std::size_t first = out.size();
    for (const measured_case& c : r.cases)
      if (is_chosen(r, exhibit, curve, c) && c.items()) out.push_back({&curve, &c, std::lround(*c.items())});
    std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                     [](const drawn_forward& a, const drawn_forward& b) { return a.points < b.points; });
  }
  return out;
}

std::string in_points(std::optional<double> value) { return value ? fmt::format("{:.1f}", *value) : "–"; }

/// A share beyond its bound is not shown.
std::optional<double> shown_activity(const activity_values& of, const char* key) {
  const auto value = find_activity(of, key);
  return value ? shown_figure(*value, 100, sampling_slack) : std::nullopt;
}

/// "41.2 ± 0.3 (51.0, 50.2)"
std::string activity_cell(const measured_case& c, const char* key) {
  const auto mean = shown_activity(c.sampled->mean, key), sigma = find_activity(c.sampled->sigma, key);
  if (!mean) return "";
  const auto counted = counted_activity(c.counters, *c.sampled, key);
  return fmt::format("{:.1f} ± {} ({}, {}{})", *mean, in_points(sigma),
                     in_points(shown_activity(c.sampled->without_gaps, key)), in_points(counted),
                     counted ? regime_sign(c) : "");
}

table_line line_of(const drawn_forward& f) {
  table_line out{{f.curve->label, std::to_string(f.points)}, {f.of->name}};
  if (!f.of->sampled) {
    out.cells.push_back(f.of->sampled_reason.empty() ? "not sampled" : f.of->sampled_reason);
    out.cells.resize(5 + std::size(panels_of_activity));
    return out;
  }
  const sampled_activity& s = *f.of->sampled;
  out.cells.push_back(fmt::format("{} ± {}", plain(s.range_us), plain(s.range_sigma_us)));
  out.cells.push_back(fmt::format("{:.2f}", s.busy_share));
  for (const metric_panel& p : panels_of_activity) out.cells.push_back(activity_cell(*f.of, p.key));
  out.cells.push_back(s.cost_pct ? fmt::format("{:.2f}", *s.cost_pct) : "");
  return out;
}

ordered_json row_of(const drawn_forward& f) {
  ordered_json row = {{"case", f.of->name}, {"variant", f.curve->label}, {"size", f.points}};
  for (const metric_panel& p : panels_of_activity) {
    row[p.key] = or_null(shown_activity(f.of->sampled->mean, p.key));
    row[std::string(p.key) + "_busy"] = or_null(shown_activity(f.of->sampled->without_gaps, p.key));
  }
  return row;
}

/// What sampling cost the forwards that were sampled.
std::optional<std::string> cost_sentence(const std::vector<drawn_forward>& forwards) {
  std::vector<double> costs;
  for (const drawn_forward& f : forwards)
    if (f.of->sampled && f.of->sampled->cost_pct) costs.push_back(*f.of->sampled->cost_pct);
  if (costs.empty()) return std::nullopt;
  std::sort(costs.begin(), costs.end());
  return fmt::format("Sampling adds **{:.2f} %** to a forward, {:.2f} % at most (the aim: at most 2 %).",
                     costs[costs.size() / 2], costs.back());
}

/// The greatest difference between what was sampled, over busy time alone, and what was counted.
std::optional<std::string> agreement_sentence(const std::vector<drawn_forward>& forwards) {
  double most = -1, sampled = 0, counted = 0;
  const char* title = "";
  const drawn_forward* at = nullptr;
  for (const drawn_forward& f : forwards)
    for (const metric_panel& p : panels_of_activity) {
      if (!f.of->sampled) continue;
      const auto busy = shown_activity(f.of->sampled->without_gaps, p.key);
      const auto by_counters = counted_activity(f.of->counters, *f.of->sampled, p.key);
      if (!busy || !by_counters || std::fabs(*busy - *by_counters) <= most) continue;
      most = std::fabs(*busy - *by_counters);
      sampled = *busy;
      counted = *by_counters;
      title = p.title;
      at = &f;
    }
  if (!at) return std::nullopt;
  return fmt::format(
      "Over busy time alone, samples are within **{:.1f} points** of the counters of the same kernels (the "
      "aim: 3); furthest is {} of {} at {} points, {:.1f} and {:.1f}.",
      most, title, at->curve->label, at->points, sampled, counted);
}

std::optional<std::string> missing_sentence(const record& r, const suite_exhibit& exhibit) {
  std::vector<std::string> missing;
  for (const exhibit_choice& curve : exhibit.curves)
    if (std::none_of(r.cases.begin(), r.cases.end(),
                     [&](const measured_case& c) { return is_chosen(r, exhibit, curve, c) && c.sampled; }))
      missing.push_back(fmt::format("“{}”", curve.label));
  if (missing.empty()) return std::nullopt;
  return fmt::format("Not sampled: {}.", fmt::join(missing, ", "));
}

}  // namespace

std::optional<shown_exhibit> activity_figure(const record& r, const suite_exhibit& exhibit) {
  const std::vector<drawn_forward> forwards = forwards_of(r, exhibit);
  if (forwards.empty()) return std::nullopt;
  const bool is_marked = std::any_of(forwards.begin(), forwards.end(), [](const drawn_forward& f) {
    return f.of->sampled && counted_over_timed(*f.of);
  });
  shown_exhibit out{
      "exhibit-" + exhibit.name,
      exhibit.title,
      {},
      {{"curve", "points", "forward µs", "busy share"}, 1, {}},
      fmt::format("After {}. Percent of the peak over whole forwards, idle time between kernels "
                  "included: mean ± deviation over forwards; in parentheses over busy time alone, and by "
                  "counters of the same kernels over the same time. Busy: some multiprocessor has a warp.{}",
                  exhibit.source, is_marked ? std::string(" ") + about_regime_mark + "." : ""),
      std::nullopt};
  for (const metric_panel& p : panels_of_activity) out.lines.header.emplace_back(p.title);
  out.lines.header.emplace_back("cost of sampling (%)");
  ordered_json rows = ordered_json::array();
  for (const drawn_forward& f : forwards) {
    out.lines.lines.push_back(line_of(f));
    if (f.of->sampled) rows.push_back(row_of(f));
  }
  for (const auto& sentence :
       {cost_sentence(forwards), agreement_sentence(forwards), missing_sentence(r, exhibit)})
    if (sentence) out.sentences.push_back(*sentence);
  if (rows.empty()) return out;

  std::vector<std::string> labels;
  for (const exhibit_choice& curve : exhibit.curves) labels.push_back(curve.label);
  std::vector<panel> panels;
  for (const metric_panel& p : panels_of_activity)
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const ordered_json& row) { return row[p.key].is_number(); }))
      panels.push_back({p.key, p.title, false, std::string(p.key) + "_busy", "over busy time alone"});
  const plot_heading heading{exhibit.title, r.device_name, exhibit.cache_state, exhibit.axes,
                             "whole forwards, idle time between kernels included; dashed: busy time alone"};
  out.drawn =
      plot{out.name, exhibit.title, small_multiples(heading, {labels}, "points", panels, std::move(rows))};
  return out;
}

}  // namespace ablate::reports
