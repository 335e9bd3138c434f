#include "reports/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/metrics.h"
#include "reports/pages.h"
#include "reports/text.h"
#include "reports/vega.h"

namespace ablate::reports {
namespace {

// One screen high, and a few tens of kB as SVG.
constexpr std::size_t maximum_rows = 36;

std::string file_name(const operation_view& view, const std::string& kind,
                      const std::vector<std::string>& words) {
  std::string out = slug(view.name) + "-" + kind;
  for (const std::string& word : words) out += "-" + slug(word);
  return out;
}

plot_heading page_heading(const page& p, const std::string& title, const std::string& device,
                          const std::string& note) {
  plot_heading out{title, device, p.rows.front()->cache_state, {}, note};
  for (const auto& [axis, value] : p.rows.front()->axes)
    if (std::all_of(p.rows.begin(), p.rows.end(), [&](const auto* row) { return row->value(axis) == value; }))
      out.fixed.emplace_back(axis, value);
  return out;
}

std::vector<std::string> labels_of(const operation_view& view, const page& p) {
  std::vector<named_words> points;
  for (const comparable_cases* row : p.rows) points.push_back(row->axes);
  const auto axes = telling_axes(view, view.axes, points);
  std::vector<std::string> out;
  for (const named_words& point : points) out.push_back(label(view, point, axes));
  return out;
}

std::optional<double> over_floor(const measured_case& c) {
  return c.floors ? c.floors->time_over_floor : std::nullopt;
}

/// The rows in which some case has the value that is plotted.
template <class Value>
std::vector<const comparable_cases*> rows_with(const operation_view& view, Value has_value) {
  std::vector<const comparable_cases*> out;
  for (const comparable_cases& row : view.rows)
    if (std::any_of(view.variants.begin(), view.variants.end(),
                    [&](const std::string& variant) { return has_value(row, variant); }))
      out.push_back(&row);
  return out;
}

/// The colors of every heat map of a kind reach equally far: at least 0.25 doublings, at most `limit`.
template <class Value>
double widest_of(const operation_view& view, const std::vector<const comparable_cases*>& rows, Value value_of,
                 double limit) {
  double widest = 0.25;
  for (const comparable_cases* row : rows)
    for (const std::string& variant : view.variants)
      if (const std::optional<double> value = value_of(*row, variant))
        widest = std::max(widest, std::abs(std::log2(*value)));
  return std::min(widest, limit);
}

/// The groups that are plotted, those with the most sizes first, and what the name of each one's plot has to
/// tell it from the others.
struct plotted_group {
  scaling_group group;
  std::vector<std::string> words;
  std::string title;  ///< "against points, order=morton, cold-clean"
};

std::vector<plotted_group> plotted_groups(const operation_view& view, std::vector<scaling_group> groups,
                                          std::size_t limit) {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.points.size() > b.points.size(); });
  if (groups.size() > limit) groups.resize(limit);
  std::vector<plotted_group> out;
  for (const scaling_group& group : groups) {
    std::vector<named_words> alike;
    bool other_method = false;
    for (const scaling_group& other : groups) {
      if (other.axis != group.axis) continue;
      alike.push_back(other.fixed);
      other_method = other_method || (other.cache_state == group.cache_state && other.method != group.method);
    }
    const std::vector<std::string> telling = telling_axes(view, view.axes, alike);
    plotted_group& here = out.emplace_back();
    if (group.axis != view.swept) here.words.push_back(group.axis);
    for (const std::string& axis : telling)
      here.words.push_back((view.is_integer(axis) ? axis : "") + *find_word(group.fixed, axis));
    here.words.push_back(group.cache_state);
    if (other_method) here.words.push_back(group.method);
    const std::string told = axes_text(group.fixed, telling);
    here.title =
        fmt::format("against {}{}{}, {}", group.axis, told.empty() ? "" : ", ", told, group.cache_state);
    here.group = group;
  }
  return out;
}

/// Every measured case of a group, variant by variant, by growing size.
template <class Visit>
void for_each_case(const operation_view& view, const scaling_group& group, Visit visit) {
  for (const std::string& variant : view.variants)
    for (const comparable_cases* row : group.points)
      if (const measured_case* c = row->of(variant)) visit(*c, std::stol(row->value(group.axis)));
}

nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// Without the namespaces that all kernels of the operation have.
std::string own_kernel_name(const operation_view& view, const std::string& demangled) {
  const std::string name = short_kernel_name(demangled);
  const std::string common = "ablate::" + view.name + "::";
  return name.starts_with(common) ? name.substr(common.size()) : name;
}

/// Panels of the figure of counters, in order; those without a value above 0 anywhere are left out.
constexpr const char* panel_metrics[] = {"sm_active_pct",  "sm_issue_pct",          "tensor_pct",
                                         "dram_read_gb_s", "dram_write_gb_s",       "occupancy_pct",
                                         "l2_hit_pct",     "red_sectors_per_point", "points_per_atomic"};

constexpr std::pair<const char*, const char*> lane_titles[] = {{"sm_active_pct", "SM active (%)"},
                                                               {"sm_issue_pct", "SM issue (%)"},
                                                               {"tensor_pct", "tensor (%)"},
                                                               {"dram_read_pct", "DRAM read (%)"},
                                                               {"dram_write_pct", "DRAM write (%)"}};

}  // namespace

std::vector<plot> scaling_plots(const operation_view& view, const std::string& device, std::size_t limit) {
  std::vector<plot> out;
  for (const auto& [group, words, title] : plotted_groups(view, view.scaling_groups(3), limit)) {
    std::vector<curve_point> points;
    for_each_case(view, group, [&](const measured_case& c, long size) {
      points.push_back(
          {c.variant, size, c.time.median_us, c.time.ci95_low_us, c.time.ci95_high_us, c.items(), c.name});
    });
    const plot_heading heading{fmt::format("{}: time and throughput against {}", view.name, group.axis),
                               device, group.cache_state, group.fixed, "median with 95 % interval"};
    out.push_back({file_name(view, "scaling", words), view.name + ": time " + title,
                   curves(heading, view.variants, view.axis_title(group.axis), points)});
  }
  return out;
}

std::vector<plot> metric_plots(const record& r, const operation_view& view, std::size_t limit) {
  std::vector<scaling_group> counted;
  for (scaling_group& group : view.scaling_groups(3)) {
    bool any = false;
    for_each_case(view, group, [&](const measured_case& c, long) { any = any || c.counters.any(); });
    if (any) counted.push_back(std::move(group));
  }
  std::vector<plot> out;
  for (const auto& [group, words, title] : plotted_groups(view, std::move(counted), limit)) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    std::vector<panel> panels = {{"us", "median time (µs)", true}};
    for (const char* name : panel_metrics) {
      bool any = false;
      for_each_case(view, group, [&, &of = metric_named(name)](const measured_case& c, long) {
        any = any || of.of(r, c).value_or(0) > 0;
      });
      if (any) panels.push_back({name, std::string(metric_named(name).title)});
      if (any && name == std::string_view("occupancy_pct")) {
        panels.back().beside = "theoretical_occupancy_pct";
        panels.back().beside_title = metric_named(panels.back().beside).title;
      }
    }
    for_each_case(view, group, [&](const measured_case& c, long size) {
      nlohmann::ordered_json row = {
          {"case", c.name}, {"variant", c.variant}, {"size", size}, {"us", c.time.median_us}};
      for (const panel& p : panels)
        for (const std::string& field : {p.field, p.beside})
          if (!field.empty() && field != "us") row[field] = number_or_null(metric_named(field).of(r, c));
      rows.push_back(std::move(row));
    });
    const plot_heading heading{
        fmt::format("{}: time and counters against {}", view.name, group.axis), r.device_name,
        group.cache_state, group.fixed,
        "time as timed without counters; counters of one launch; dashed: theoretical occupancy"};
    out.push_back(
        {file_name(view, "metrics", words), view.name + ": time and counters " + title,
         small_multiples(heading, view.variants, view.axis_title(group.axis), panels, std::move(rows))});
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
  std::vector<scaling_group> counted;
  for (scaling_group& group : view.scaling_groups(3)) {
    bool any = false;
    for_each_case(view, group, [&](const measured_case& c, long) { any = any || split(c); });
    if (any) counted.push_back(std::move(group));
  }
  std::vector<plot> out;
  for (const auto& [group, words, title] : plotted_groups(view, std::move(counted), limit)) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for_each_case(view, group, [&](const measured_case& c, long size) {
      if (!split(c)) return;
      double sum = 0;
      for (const auto& kernel : c.counters.kernels) sum += *find_counter(kernel.values, cycles);
      for (const auto& kernel : c.counters.kernels) {
        const double own = *find_counter(kernel.values, cycles);
        nlohmann::ordered_json row = {{"case", c.name},     {"variant", c.variant},
                                      {"size", size},       {"kernel", own_kernel_name(view, kernel.name)},
                                      {"share", own / sum}, {std::string(cycles), own}};
        rows.push_back(std::move(row));
      }
    });
    const plot_heading heading{fmt::format("{}: cycles by kernel against {}", view.name, group.axis),
                               r.device_name, group.cache_state, group.fixed,
                               "each kernel's sm__cycles_elapsed.max over their sum in the case"};
    out.push_back({file_name(view, "kernels", words), view.name + ": cycles by kernel " + title,
                   stacked_shares(heading, view.variants, view.axis_title(group.axis), "share of SM cycles",
                                  std::move(rows))});
  }
  return out;
}

std::vector<plot> timeline_plots(const record& r, const operation_view& view) {
  std::vector<plot> out;
  for (const measured_case& c : r.cases) {
    if (c.operation != view.name || !c.timeline || c.timeline->time_us.empty()) continue;
    const activity_timeline& timeline = *c.timeline;
    std::vector<lane> shown;
    for (const auto& [metric, samples] : timeline.metrics) {
      const auto known = std::find_if(std::begin(lane_titles), std::end(lane_titles),
                                      [&name = metric](const auto& title) { return title.first == name; });
      shown.push_back({metric, known == std::end(lane_titles) ? metric : known->second});
    }
    nlohmann::ordered_json samples = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < timeline.time_us.size(); ++i) {
      nlohmann::ordered_json row = {{"case", c.name}, {"time_us", timeline.time_us[i]}};
      for (const auto& [metric, values] : timeline.metrics) row[metric] = number_or_null(values[i]);
      samples.push_back(std::move(row));
    }
    nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
    for (const auto& kernel : timeline.kernels)
      kernels.push_back({{"case", c.name},
                         {"kernel", own_kernel_name(view, kernel.name)},
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
                   lanes(heading, shown, std::move(samples), std::move(kernels))});
  }
  return out;
}

std::vector<plot> speed_up_plots(const operation_view& view, const std::string& device) {
  const auto rows = rows_with(
      view, [&](const auto& row, const auto& variant) { return view.speed_up_of(row, variant).has_value(); });
  const double widest = widest_of(
      view, rows,
      [&](const auto& row, const auto& variant) {
        const auto up = view.speed_up_of(row, variant);
        return up ? std::optional(up->ratio) : std::nullopt;
      },
      2);
  std::vector<plot> out;
  for (const page& p : pages(view, rows, maximum_rows)) {
    const std::vector<std::string> labels = labels_of(view, p);
    std::vector<cell> cells;
    for (const std::string& variant : view.variants)
      for (std::size_t i = 0; i < p.rows.size(); ++i)
        if (const auto up = view.speed_up_of(*p.rows[i], variant))
          cells.push_back({labels[i], variant, up->ratio,
                           fmt::format("{}{:.2f}", up->includes_one() ? "~ " : "", up->ratio),
                           p.rows[i]->of(variant)->name, up->low, up->high});
    const std::string title = fmt::format("{}: speed-up over {}", view.name, view.baseline);
    const std::string note = "above 1 is faster; ~ marks an interval that includes 1; blank was not measured";
    out.push_back(
        {file_name(view, "speedup", p.words), title + ", " + p.rows.front()->cache_state,
         heat_map(page_heading(p, title, device, note), labels, "speed-up", {widest, true}, cells)});
  }
  return out;
}

std::vector<plot> floor_plots(const operation_view& view, const std::string& device) {
  const auto rows = rows_with(view, [](const auto& row, const auto& variant) {
    return row.of(variant) && over_floor(*row.of(variant));
  });
  std::vector<plot> out;
  for (const page& p : pages(view, rows, maximum_rows)) {
    const std::vector<std::string> labels = labels_of(view, p);
    std::vector<dot> all;
    for (const std::string& variant : view.variants)
      for (std::size_t i = 0; i < p.rows.size(); ++i) {
        const measured_case* c = p.rows[i]->of(variant);
        if (!c || !over_floor(*c)) continue;
        const double over_median = *over_floor(*c) / c->time.median_us;
        all.push_back({labels[i], variant, *over_floor(*c), over_median * c->time.ci95_low_us,
                       over_median * c->time.ci95_high_us, c->name});
      }
    const std::string title = view.name + ": time over the binding floor";
    const std::string note =
        "1 is the least time by the ceilings measured in this run; bars are 95 % intervals";
    out.push_back({file_name(view, "floor", p.words), title + ", " + p.rows.front()->cache_state,
                   dots(page_heading(p, title, device, note), view.variants, labels,
                        "median time / floor (ratio, log scale)", all)});
  }
  return out;
}

std::vector<plot> merging_plots(const operation_view& view, const std::string& device) {
  const auto per_atomic = [](const comparable_cases& row,
                             const std::string& variant) -> std::optional<double> {
    const measured_case* c = row.of(variant);
    const std::optional<double> value = c ? c->points_per_atomic() : std::nullopt;
    return value && *value > 0 ? value : std::nullopt;
  };
  const auto rows = rows_with(view, per_atomic);
  const double widest = widest_of(view, rows, per_atomic, 4);
  std::vector<plot> out;
  for (const page& p : pages_of_axes(view, rows, maximum_rows)) {
    const std::vector<std::string> labels = labels_of(view, p);
    std::vector<cell> cells;
    for (const std::string& variant : view.variants)
      for (std::size_t i = 0; i < p.rows.size(); ++i)
        if (const auto value = per_atomic(*p.rows[i], variant))
          cells.push_back(
              {labels[i], variant, *value, fmt::format("{:.2f}", *value), p.rows[i]->of(variant)->name});
    const std::string title = view.name + ": points per atomic operation";
    const std::string note =
        "counted by the instrumented forms, not timed; 1 merges nothing; blank was not counted";
    out.push_back({file_name(view, "merging", p.words), title,
                   heat_map(page_heading(p, title, device, note), labels, "points per atomic",
                            {widest, false}, cells)});
  }
  return out;
}

}  // namespace ablate::reports
