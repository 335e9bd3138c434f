#include "reports/plots/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/record/clocks.h"
#include "base/record/floors.h"
#include "base/text/text.h"
#include "reports/plots/pages.h"
#include "reports/plots/plot_groups.h"
#include "reports/plots/vega.h"
#include "reports/views/leading.h"
#include "reports/views/workloads.h"

namespace ablate::reports {
namespace {

// One screen high, and a few tens of kB as SVG.
constexpr std::size_t maximum_rows = 36;

workload_labels labels_on(const operation_view& view, const page& p) {
  return {view, telling_axes(view, view.axes, points_of(p.rows))};
}

plot_heading page_heading(const operation_view& view, const page& p, const std::string& title,
                          const std::string& device, const std::string& note) {
  plot_heading out{title, device, p.rows.front()->cache_state, {}, note};
  for (const auto& [axis, value] : p.rows.front()->axes)
    if (std::all_of(p.rows.begin(), p.rows.end(),
                    [&axis = axis, &value = value](const auto* row) { return row->value(axis) == value; }))
      out.fixed.emplace_back(axis, value);
  out.usual = labels_on(view, p).usual();
  return out;
}

std::vector<std::string> labels_of(const operation_view& view, const page& p) {
  const workload_labels labels = labels_on(view, p);
  std::vector<std::string> out;
  for (const comparable_cases* row : p.rows) out.push_back(labels.of(row->axes));
  return out;
}

std::optional<double> over_floor(const measured_case& c) {
  const auto floor = floor_of(c);
  return floor ? std::optional(floor->time_over) : std::nullopt;
}

/// The rows in which some case has the plotted value.
template <class Value>
std::vector<const comparable_cases*> rows_with(const operation_view& view, Value has_value) {
  std::vector<const comparable_cases*> out;
  for (const comparable_cases& row : view.rows)
    if (std::any_of(view.variants.begin(), view.variants.end(),
                    [&](const std::string& variant) { return has_value(row, variant); }))
      out.push_back(&row);
  return out;
}

/// All heat maps of a kind share one color range: at least 0.25 doublings, at most `limit`.
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

}  // namespace

std::vector<plot> scaling_plots(const operation_view& view, const std::string& device, std::size_t limit) {
  std::vector<plot> out;
  for (const auto& [group, words, title] : plotted_groups(view, view.scaling_groups(3), limit)) {
    std::vector<curve_point> points;
    for_each_case(fastest_curves(view.drawn, group), group, [&](const measured_case& c, long size) {
      points.push_back(
          {c.variant, size, c.time.median_us, c.time.ci95_low_us, c.time.ci95_high_us, c.items(), c.name});
    });
    if (points.empty()) continue;
    const plot_heading heading{fmt::format("{}: time and throughput against {}", view.name, group.axis),
                               device, group.cache_state, group.fixed, "median with 95 % interval"};
    out.push_back({file_name(view, "scaling", words), view.name + ": time " + title,
                   curves(heading, names_of(view), view.axis_title(group.axis), points)});
  }
  return out;
}

std::vector<plot> best_plots(const operation_view& view, const std::string& device, std::size_t limit) {
  constexpr std::size_t fewest = 3;
  const auto variants_of = [&](const scaling_group& group) {
    return std::count_if(view.variants.begin(), view.variants.end(), [&](const std::string& variant) {
      return std::any_of(group.points.begin(), group.points.end(),
                         [&](const auto* p) { return p->of(variant); });
    });
  };
  std::vector<scaling_group> groups = view.scaling_groups(fewest);
  std::erase_if(groups, [&](const auto& g) { return variants_of(g) < static_cast<std::ptrdiff_t>(fewest); });
  std::vector<plot> out;
  for (const auto& [group, words, title] : plotted_groups(view, std::move(groups), limit)) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const std::string& variant : fastest_first(view.drawn, group.points)) {
      for (const comparable_cases* point : group.points) {
        const measured_case* c = point->of(variant);
        if (!c) continue;
        const measured_case* fastest = c;
        for (const auto& [name, other] : point->by_variant)
          if (other->time.median_us < fastest->time.median_us) fastest = other;
        const double over = c->time.median_us / fastest->time.median_us;
        rows.push_back(
            {{"case", c->name},
             {"variant", variant},
             {"size", std::stol(point->value(group.axis))},
             {"us", c->time.median_us},
             {"value", over},
             {"text", fmt::format("{:.2f}{}", over, view.differ_in_quality(*fastest, *c) ? " ≠" : "")}});
      }
    }
    if (rows.empty()) continue;
    const plot_heading heading{
        fmt::format("{}: time over the fastest variant, by {}", view.name, group.axis), device,
        group.cache_state, group.fixed,
        fmt::format("the fastest of each {} is framed; {}blank was not measured", group.axis,
                    view.quality.empty() ? "" : "≠ an output of another quality than its; ")};
    out.push_back({file_name(view, "best", words), view.name + ": time over the fastest variant " + title,
                   size_grid(heading, view.axis_title(group.axis), "time / fastest", std::move(rows))});
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
    bool has_unlike_clocks = false, is_unsteady = false;
    for (const std::string& variant : fastest_first(view.drawn, p.rows))
      for (std::size_t i = 0; i < p.rows.size(); ++i)
        if (const auto up = view.speed_up_of(*p.rows[i], variant)) {
          has_unlike_clocks = has_unlike_clocks || up->in_cycles;
          is_unsteady = is_unsteady || up->is_unsteady();
          cells.push_back({labels[i], variant, up->ratio,
                           fmt::format("{}{:.2f}{}{}{}", up->includes_one() ? "~ " : "", up->ratio,
                                       view.differs_in_quality(*p.rows[i], variant) ? " ≠" : "",
                                       up->in_cycles ? " ‡" : "", up->is_unsteady() ? " †" : ""),
                           p.rows[i]->of(variant)->name, up->low, up->high});
        }
    if (cells.empty()) continue;
    const std::string title = fmt::format("{}: speed-up over {}", view.name, view.baseline);
    const std::string note =
        fmt::format("above 1 is faster; ~ marks an interval that includes 1; {}{}{}blank was not measured",
                    view.quality.empty() ? "" : "≠ an output of another quality; ",
                    has_unlike_clocks ? fmt::format("{}; ", about_clock_sign) : "",
                    is_unsteady ? fmt::format("{}; ", about_moved_sign) : "");
    out.push_back(
        {file_name(view, "speedup", p.words), title + ", " + p.rows.front()->cache_state,
         heat_map(page_heading(view, p, title, device, note), labels, "speed-up", {widest, true}, cells)});
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
    for (const std::string& variant : fastest_first(view.drawn, p.rows))
      for (std::size_t i = 0; i < p.rows.size(); ++i) {
        const measured_case* c = p.rows[i]->of(variant);
        if (!c || !over_floor(*c)) continue;
        const double over_median = *over_floor(*c) / c->time.median_us;
        all.push_back({labels[i], variant, *over_floor(*c), over_median * c->time.ci95_low_us,
                       over_median * c->time.ci95_high_us, c->name});
      }
    if (all.empty()) continue;
    const std::string title = view.name + ": time over the floor";
    const std::string note =
        "1 is the least time of the task by the ceilings measured in this run; bars are 95 % intervals";
    out.push_back({file_name(view, "floor", p.words), title + ", " + p.rows.front()->cache_state,
                   dots(page_heading(view, p, title, device, note), names_of(view), labels,
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
    for (const std::string& variant : fastest_first(view.drawn, p.rows))
      for (std::size_t i = 0; i < p.rows.size(); ++i)
        if (const auto value = per_atomic(*p.rows[i], variant))
          cells.push_back(
              {labels[i], variant, *value, fmt::format("{:.2f}", *value), p.rows[i]->of(variant)->name});
    if (cells.empty()) continue;
    const std::string title = view.name + ": points per atomic operation";
    const std::string note =
        "counted by the instrumented forms, not timed; 1 merges nothing; blank was not counted";
    out.push_back({file_name(view, "merging", p.words), title,
                   heat_map(page_heading(view, p, title, device, note), labels, "points per atomic",
                            {widest, false}, cells)});
  }
  return out;
}

}  // namespace ablate::reports
