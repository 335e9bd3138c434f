#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>

#include "base/record/bounded.h"
#include "base/record/counter_regime.h"
#include "base/text/or_null.h"
#include "base/text/text.h"
#include "reports/plots/plot_groups.h"
#include "reports/plots/plots.h"
#include "reports/plots/vega.h"
#include "reports/views/leading.h"
#include "reports/views/metrics.h"

namespace ablate::reports {
namespace {

/// Without namespaces, also in template arguments: a library's would fill the whole label.
std::string label_of_kernel(const std::string& demangled) {
  static const std::regex scope("[A-Za-z_][A-Za-z_0-9]*::");
  return std::regex_replace(short_kernel_name(demangled), scope, "");
}

/// The sweeps in which some case satisfies `asked`.
template <class Asked>
std::vector<scaling_group> groups_with(const operation_view& view, Asked asked) {
  std::vector<scaling_group> out;
  for (scaling_group& group : view.scaling_groups(3)) {
    bool any = false;
    for_each_case(view.variants, group, [&](const measured_case& c, long) { any = any || asked(c); });
    if (any) out.push_back(std::move(group));
  }
  return out;
}

/// Panels of the counter figure, in order; those with no value above 0 anywhere are left out.
constexpr const char* panel_metrics[] = {"sm_active_pct",   "sm_issue_pct",          "tensor_pct",
                                         "tensor_flop_pct", "work_flop_pct",         "dram_read_mb",
                                         "dram_read_gb_s",  "dram_write_gb_s",       "occupancy_pct",
                                         "l2_hit_pct",      "red_sectors_per_point", "points_per_atomic"};

constexpr std::pair<const char*, const char*> lane_titles[] = {{"sm_active_pct", "SM active (%)"},
                                                               {"sm_issue_pct", "SM issue (%)"},
                                                               {"tensor_pct", "tensor (%)"},
                                                               {"dram_read_pct", "DRAM read (%)"},
                                                               {"dram_write_pct", "DRAM write (%)"}};

}  // namespace

std::vector<plot> metric_plots(const record& r, const operation_view& view, std::size_t limit) {
  auto counted = groups_with(view, [](const measured_case& c) { return c.counters.any(); });
  std::vector<plot> out;
  for (const auto& [group, words, title] : plotted_groups(view, std::move(counted), limit)) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    std::vector<panel> panels = {{"us", "median time (µs)", true}};
    for (const char* name : panel_metrics) {
      bool any = false;
      for_each_case(view.drawn, group, [&, &of = metric_named(name)](const measured_case& c, long) {
        any = any || of.of(r, c).value_or(0) > 0;
      });
      if (any) panels.push_back({name, std::string(metric_named(name).title)});
      if (any && name == std::string_view("occupancy_pct")) {
        panels.back().dashed = "theoretical_occupancy_pct";
        panels.back().dashed_title = metric_named(panels.back().dashed).title;
      }
    }
    bool is_marked = false;
    for_each_case(fastest_curves(view.drawn, group), group, [&](const measured_case& c, long size) {
      nlohmann::ordered_json row = {
          {"case", c.name}, {"variant", c.variant}, {"size", size}, {"us", c.time.median_us}};
      if (const std::string mark = regime_mark(c); !mark.empty()) {
        row["regime"] = mark.substr(1);
        is_marked = true;
      }
      for (const panel& p : panels)
        for (const std::string& field : {p.field, p.dashed})
          if (!field.empty() && field != "us") row[field] = or_null(metric_named(field).of(r, c));
      rows.push_back(std::move(row));
    });
    if (rows.empty()) continue;
    const plot_heading heading{
        fmt::format("{}: time and counters against {}", view.name, group.axis), r.device_name,
        group.cache_state, group.fixed,
        std::string("time as timed without counters; counters of one launch; dashed: theoretical occupancy") +
            (is_marked ? std::string("; ") + about_regime_mark : "")};
    out.push_back(
        {file_name(view, "metrics", words), view.name + ": time and counters " + title,
         small_multiples(heading, names_of(view), view.axis_title(group.axis), panels, std::move(rows))});
  }
  return out;
}

std::vector<plot> kernel_plots(const record& r, const operation_view& view, std::size_t limit) {
  constexpr std::string_view cycles = "sm__cycles_elapsed.max";
  const auto split = [&](const measured_case& c) {
    return c.counters.kernels.size() > 1 &&
           std::all_of(c.counters.kernels.begin(), c.counters.kernels.end(), [&](const auto& kernel) {
             return find_counter(kernel.values, cycles).value_or(0) > 0;
           });
  };
  auto counted = groups_with(view, split);
  std::vector<plot> out;
  for (const auto& [group, words, title] : plotted_groups(view, std::move(counted), limit)) {
    std::map<std::string, std::size_t> sizes;
    for_each_case(view.drawn, group,
                  [&](const measured_case& c, long) { sizes[c.variant] += split(c) ? 1 : 0; });
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for_each_case(fastest_curves(view.drawn, group), group, [&](const measured_case& c, long size) {
      if (!split(c) || sizes[c.variant] < 3) return;
      double sum = 0;
      for (const auto& kernel : c.counters.kernels) sum += *find_counter(kernel.values, cycles);
      for (const auto& kernel : c.counters.kernels) {
        const double own = *find_counter(kernel.values, cycles);
        nlohmann::ordered_json row = {{"case", c.name},     {"variant", c.variant},
                                      {"size", size},       {"kernel", label_of_kernel(kernel.name)},
                                      {"share", own / sum}, {std::string(cycles), own}};
        rows.push_back(std::move(row));
      }
    });
    if (rows.empty()) continue;
    const plot_heading heading{fmt::format("{}: cycles by kernel against {}", view.name, group.axis),
                               r.device_name, group.cache_state, group.fixed,
                               "each kernel's sm__cycles_elapsed.max over their sum in the case"};
    out.push_back({file_name(view, "kernels", words), view.name + ": cycles by kernel " + title,
                   stacked_shares(heading, group.axis, "share of SM cycles", std::move(rows))});
  }
  return out;
}

std::vector<plot> timeline_plots(const record& r, const operation_view& view) {
  std::vector<plot> out;
  for (const measured_case& c : r.cases) {
    if (c.operation != view.name || !c.timeline || c.timeline->time_us.empty()) continue;
    const activity_timeline& timeline = *c.timeline;
    std::vector<lane> named;
    for (const auto& [metric, samples] : timeline.metrics) {
      if (std::none_of(samples.begin(), samples.end(), [](const auto& of) { return of.has_value(); }))
        continue;
      const auto known = std::find_if(std::begin(lane_titles), std::end(lane_titles),
                                      [&name = metric](const auto& title) { return title.first == name; });
      named.push_back({metric, known == std::end(lane_titles) ? metric : known->second});
    }
    nlohmann::ordered_json samples = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < timeline.time_us.size(); ++i) {
      nlohmann::ordered_json row = {{"case", c.name}, {"time_us", timeline.time_us[i]}};
      for (const auto& [metric, values] : timeline.metrics)
        row[metric] = or_null(values[i] ? shown_figure(*values[i], 100, sampling_slack) : std::nullopt);
      samples.push_back(std::move(row));
    }
    nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
    for (const auto& kernel : timeline.kernels)
      kernels.push_back({{"case", c.name},
                         {"kernel", label_of_kernel(kernel.name)},
                         {"start_us", kernel.start_us},
                         {"end_us", kernel.end_us}});
    std::vector<std::string> words = {c.variant};
    for (const auto& [axis, value] : c.axes)
      if (view.varies(axis)) words.push_back((view.is_integer(axis) ? axis : "") + value);
    words.push_back(c.cache_state);
    const plot_heading heading{
        fmt::format("{}: {} over time", view.name, c.variant), r.device_name, c.cache_state, c.axes,
        fmt::format("PM sampling every {} ns, {} launches in a row; lines: where kernels begin and end",
                    timeline.interval_ns, timeline.loops)};
    out.push_back({file_name(view, "timeline", words),
                   fmt::format("{}: {} over time, {}", view.name, c.variant, c.cache_state),
                   lanes(heading, named, std::move(samples), std::move(kernels))});
  }
  return out;
}

}  // namespace ablate::reports
