#include "reports/summary/operation_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "reports/ablation/markdown.h"
#include "reports/record/clocks.h"
#include "reports/summary/headline.h"
#include "reports/summary/workload_tables.h"
#include "reports/text/text.h"
#include "reports/views/dispatch.h"
#include "reports/views/labels.h"
#include "reports/views/metrics.h"
#include "reports/views/record_tables.h"
#include "reports/views/rivals.h"
#include "reports/views/workloads.h"

namespace ablate::reports {
namespace {

std::string turns_section(const operation_view& view) {
  const table turns = turns_table(view);
  if (turns.lines.empty()) return "";
  return fmt::format("### Against rivals, in turns\n\n{}\n\n", about_turns) + markdown(turns) + "\n";
}

std::string policy_section(const operation_view& view) {
  const table policies = policy_table(view);
  if (policies.lines.empty()) return "";
  return "### Dispatch policies\n\n"
         "Each policy takes one variant for a workload, by a rule. Over the workloads where that variant and "
         "another were measured: how often its time is within 2 % of the best, of all variants and of those "
         "that the rule takes anywhere in this record, and the median and the worst of its time over the "
         "best. What the choice itself costs is not in these times.\n\n" +
         markdown(policies) + "\n";
}

std::string quality_section(const operation_plots& plots, bool drawn) {
  std::string out;
  if (!plots.quality.empty())
    out += "### Quality of the output against time\n\n" + images(plots.quality, drawn);
  if (!plots.pictures.empty()) out += "### Pictures of the output\n\n" + images(plots.pictures, drawn);
  return out;
}

std::string trend_section(const operation_plots& plots, bool drawn) {
  return plots.trends.empty() ? "" : "### Times by date\n\n" + images(plots.trends, drawn);
}

std::string speed_up_section(const operation_view& view, const operation_plots& plots, bool drawn) {
  const std::vector<std::string> others(view.variants.begin() + 1, view.variants.end());
  const std::string table =
      variant_table(view, all_rows(view), others,
                    [&](const comparable_cases& row, const std::string& variant) -> std::string {
                      const auto up = view.speed_up_of(row, variant);
                      return up ? fmt::format("{:.3f} ({:.3f} to {:.3f}){}{}", up->ratio, up->low, up->high,
                                              cycles_mark(up->in_cycles), unequal(view, row, variant))
                                : "";
                    });
  if (table.empty()) return "";
  return fmt::format("### Speed-up over `{}`\n\n", view.baseline) + images(plots.speed_up, drawn) +
         details(fmt::format("Median of `{}` over the variant's median, with the interval that both 95 % "
                             "intervals span{}",
                             view.baseline, about_signs(view)),
                 table);
}

std::string throughput(const measured_case& c) {
  const auto items = c.items();
  return items ? with_prefix(*items / (c.time.median_us * 1e-6)) + "points/s" : "";
}

/// One row per case of a sweep, with the quality figures next to its time.
std::string scaling_rows(const operation_view& view, const scaling_group& group) {
  std::vector<std::string> header = {group.axis, "variant", "median µs", "throughput"};
  header.insert(header.end(), view.quality.begin(), view.quality.end());
  std::string out = table_header(header, 2);
  for (const comparable_cases* row : group.points)
    for (const std::string& variant : view.variants)
      if (const measured_case* c = row->of(variant)) {
        std::vector<std::string> cells = {row->value(group.axis), variant, median_with_interval(c->time),
                                          throughput(*c)};
        const auto quality = quality_cells(view, *c);
        cells.insert(cells.end(), quality.begin(), quality.end());
        out += table_row(cells);
      }
  return out;
}

std::string scaling_section(const operation_view& view, const operation_plots& plots, bool drawn) {
  auto groups = view.scaling_groups(2);
  std::erase_if(groups, [&](const scaling_group& g) { return g.axis != view.swept && g.points.size() < 3; });
  if (groups.empty()) return "";
  std::string out = "### Time and throughput against input size\n\n" + images(plots.scaling, drawn);
  if (plots.scaling_left_out > 0)
    out += fmt::format("{} further groups are not plotted; cases.csv has them.\n\n", plots.scaling_left_out);
  const workload_columns workloads(view);
  std::string tables;
  for (const scaling_group& group : groups) {
    std::vector<std::string> other_axes;
    for (const std::string& axis : workloads.labels().named(group.fixed))
      if (axis != group.axis) other_axes.push_back(axis);
    std::string fixed = axes_text(group.fixed, other_axes);
    if (fixed.empty() && view.has_many_axes()) fixed = "usual";
    std::vector<std::string> variants;
    for (const std::string& variant : view.variants)
      if (std::any_of(group.points.begin(), group.points.end(),
                      [&](const auto* p) { return p->of(variant); }))
        variants.push_back(variant);
    tables += fmt::format("**{}{}{}**\n\n", fixed, fixed.empty() ? "" : ", ", group.cache_state);
    if (!view.quality.empty()) {
      tables += scaling_rows(view, group) + "\n";
      continue;
    }
    std::vector<std::string> header = {group.axis};
    header.insert(header.end(), variants.begin(), variants.end());
    tables += table_header(header, 0);
    for (const comparable_cases* row : group.points) {
      std::vector<std::string> cells = {row->value(group.axis)};
      for (const std::string& variant : variants) {
        const measured_case* c = row->of(variant);
        if (!c) {
          cells.emplace_back();
          continue;
        }
        const std::string rate = throughput(*c);
        cells.push_back(median_with_interval(c->time) + (rate.empty() ? "" : "; " + rate));
      }
      tables += table_row(cells);
    }
    tables += "\n";
  }
  return out + details("Median µs ± half of its 95 % interval, and throughput, by size", tables);
}

std::string counter_section(const record& r, const operation_view& view, const operation_plots& plots,
                            bool drawn) {
  if (plots.metrics.empty() && plots.kernels.empty() && plots.timelines.empty()) return "";
  std::string out = "### Counters against input size\n\n" + images(plots.metrics, drawn);
  std::vector<std::string> columns = {"median µs"};
  columns.insert(columns.end(), view.quality.begin(), view.quality.end());
  for (const metric& m : case_metrics()) columns.emplace_back(m.title);
  const std::string table =
      case_table(view, all_rows(view), columns,
                 [&](const comparable_cases&, const measured_case& c) -> std::vector<std::string> {
                   if (!c.counters.any()) return {};
                   std::vector<std::string> cells = {significant(c.time.median_us)};
                   const auto quality = quality_cells(view, c);
                   cells.insert(cells.end(), quality.begin(), quality.end());
                   for (const metric& m : case_metrics()) {
                     const std::optional<double> value = m.of(r, c);
                     cells.push_back(value ? significant(*value) : "");
                   }
                   return cells;
                 });
  if (!table.empty())
    out += details("Counters of every case that has them; empty where one could not be read", table);
  if (!plots.kernels.empty()) out += "### Cycles by kernel\n\n" + images(plots.kernels, drawn);
  if (!plots.timelines.empty()) out += "### Activity over time\n\n" + images(plots.timelines, drawn);
  return out;
}

std::string best_section(const operation_plots& plots, bool drawn) {
  return drawn && !plots.best.empty() ? "### Time over the fastest variant\n\n" + images(plots.best, drawn)
                                      : "";
}

std::string work_section(const operation_plots& plots, bool drawn) {
  if (plots.work.lines.empty()) return "";
  return "### Roofline, and declared against counted work\n\n" + images(plots.roofline, drawn) +
         details(
             "By variant: which floors bind, and how many times the declared work was counted (waste factor)",
             markdown(plots.work));
}

std::string floor_section(const operation_view& view, const operation_plots& plots, bool drawn) {
  const auto floor_cells = [&](const comparable_cases& row) -> std::vector<std::string> {
    for (const auto& [variant, c] : row.by_variant) {
      if (!c->floors || !c->floors->binding || !c->floors->time_over_floor) continue;
      return {*c->floors->binding, significant(c->time.median_us / *c->floors->time_over_floor)};
    }
    return {"", ""};
  };
  const std::string table = variant_table(
      view, all_rows(view), view.variants, {"binding floor", "floor µs"},
      [&](const comparable_cases& row, const std::string& variant) -> std::string {
        const measured_case* c = row.of(variant);
        return c && c->floors && c->floors->time_over_floor
                   ? fmt::format("{:.2f}", *c->floors->time_over_floor)
                   : "";
      },
      floor_cells);
  if (table.empty()) return "";
  return "### Time over floor\n\n" + images(plots.floor, drawn) +
         details(
             "Median over the greatest of the floors of launch, bytes, atomics, FLOPs and random accesses",
             table);
}

std::string merging_section(const operation_view& view, const operation_plots& plots, bool drawn) {
  const auto cell = [](const comparable_cases& row, const std::string& variant) -> std::string {
    const measured_case* c = row.of(variant);
    const std::optional<double> value = c ? c->points_per_atomic() : std::nullopt;
    return value ? fmt::format("{:.2f}", *value) : "";
  };
  std::vector<const comparable_cases*> rows;
  for (const comparable_cases& row : view.rows)
    if (std::none_of(rows.begin(), rows.end(), [&](const auto* other) { return other->axes == row.axes; }))
      rows.push_back(&row);
  const std::string table = variant_table(view, rows, view.variants, cell);
  if (table.empty()) return "";
  return "### Points per atomic\n\n" + images(plots.merging, drawn) +
         details("Counted by the instrumented forms, which are never timed", table);
}

std::string counted_section(const operation_view& view) {
  const std::string table =
      case_table(view, all_rows(view), view.counted,
                 [&](const comparable_cases&, const measured_case& c) -> std::vector<std::string> {
                   if (c.counted.empty()) return {};
                   std::vector<std::string> cells;
                   for (const std::string& figure : view.counted) {
                     const auto value = find_counter(c.counted, figure);
                     cells.push_back(value ? plain(*value) : "");
                   }
                   return cells;
                 });
  if (table.empty()) return "";
  return "### Counted in the kernels\n\n" +
         details("Counted by the instrumented forms, which are never timed", table);
}

std::string occupancy_section(const record& r, const operation_view& view) {
  const table kernels = kernel_table(r, view);
  if (kernels.lines.empty()) return "";
  return "### Theoretical occupancy and static facts\n\n" + markdown(kernels) + "\n";
}

}  // namespace

std::string operation_section(const record& r, const operation_view& view, const operation_plots& plots,
                              bool drawn) {
  std::string out = fmt::format("## {}\n\n", view.name);
  if (!view.description.empty()) out += view.description + "\n\n";
  std::vector<std::string> fixed;
  for (const std::string& axis : view.axes)
    if (!view.varies(axis)) fixed.push_back(axis);
  if (!fixed.empty()) out += fmt::format("Everywhere: {}.\n\n", axes_text(view.rows.front().axes, fixed));
  const workload_columns workloads(view);
  if (const named_words& usual = workloads.labels().usual(); !usual.empty())
    out += fmt::format("The usual workload: {}. Another is told by what sets it apart from this one.\n\n",
                       axes_text(usual, view.axes));
  if (view.variants.size() == 1)
    out += fmt::format("Only `{}` was measured, so there are no speed-ups.\n\n", view.variants.front());
  return out + headline(view) + ablation_section(plots.ablation, images(plots.waterfalls, drawn)) +
         speed_up_section(view, plots, drawn) + turns_section(view) + policy_section(view) +
         quality_section(plots, drawn) + scaling_section(view, plots, drawn) + best_section(plots, drawn) +
         counter_section(r, view, plots, drawn) + work_section(plots, drawn) +
         floor_section(view, plots, drawn) + merging_section(view, plots, drawn) + counted_section(view) +
         trend_section(plots, drawn) + occupancy_section(r, view);
}

}  // namespace ablate::reports
