#include "reports/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "reports/metrics.h"
#include "reports/record_tables.h"
#include "reports/text.h"

namespace ablate::reports {
namespace {

std::string joined(const std::vector<std::string>& words, const char* between = ", ") {
  return fmt::format("{}", fmt::join(words, between));
}

/// A table whose first columns are words.
std::string markdown(const table& from) {
  std::string out = table_header(from.header, from.left);
  for (const table_line& line : from.lines) out += table_row(line.cells);
  return out;
}

std::string facts_section(const record& r) {
  std::string out = "| | |\n| --- | --- |\n";
  for (const auto& [name, value] : record_facts(r)) out += table_row({name, value});
  return out + "\n";
}

std::string ceilings_section(const record& r) {
  const table ceilings = ceiling_table(r);
  std::string out = "## Measured ceilings\n\n";
  if (ceilings.lines.empty()) return out + "None was measured in this run, so no case has floors.\n\n";
  return out +
         "The best that this device reached in this run; the floors below divide each case's least work by "
         "these.\n\n" +
         markdown(ceilings) + "\n";
}

std::vector<std::string> axis_cells(const comparable_cases& row, const std::vector<std::string>& axes) {
  std::vector<std::string> out;
  for (const std::string& axis : axes) out.push_back(row.value(axis));
  return out;
}

std::string details(const std::string& title, const std::string& body) {
  return "<details><summary>" + title + "</summary>\n\n" + body + "\n</details>\n\n";
}

std::string images(const std::vector<plot>& plots, bool drawn) {
  std::string out;
  if (drawn)
    for (const plot& p : plots) out += fmt::format("![{}](plots/{}.svg)\n\n", p.title, p.name);
  return out;
}

/// Rows of a table: axes that vary and one cell a variant; left out where no variant has a cell.
template <class Cell>
std::string variant_table(
    const operation_view& view, const std::vector<const comparable_cases*>& rows,
    const std::vector<std::string>& variants, const std::vector<std::string>& more_columns, Cell cell_of,
    const std::function<std::vector<std::string>(const comparable_cases&)>& more_cells) {
  const std::vector<std::string> axes = view.varying_axes();
  std::vector<std::string> header = {"cache state"};
  header.insert(header.end(), axes.begin(), axes.end());
  header.insert(header.end(), more_columns.begin(), more_columns.end());
  header.insert(header.end(), variants.begin(), variants.end());
  std::string body;
  for (const comparable_cases* row : rows) {
    std::vector<std::string> cells = {row->cache_state};
    const auto values = axis_cells(*row, axes);
    cells.insert(cells.end(), values.begin(), values.end());
    const auto more = more_cells(*row);
    cells.insert(cells.end(), more.begin(), more.end());
    bool any = false;
    for (const std::string& variant : variants) {
      cells.push_back(cell_of(*row, variant));
      any = any || !cells.back().empty();
    }
    if (any) body += table_row(cells);
  }
  return body.empty() ? "" : table_header(header, 1 + axes.size()) + body;
}

std::vector<std::string> no_cells(const comparable_cases&) { return {}; }

std::vector<const comparable_cases*> all_rows(const operation_view& view) {
  std::vector<const comparable_cases*> out;
  for (const comparable_cases& row : view.rows) out.push_back(&row);
  return out;
}

/// Each workload at the greatest of the sizes at which most variants were measured.
std::vector<const comparable_cases*> headline_rows(const operation_view& view) {
  std::vector<const comparable_cases*> out;
  const auto same_workload = [&](const comparable_cases& a, const comparable_cases& b) {
    return a.cache_state == b.cache_state && a.method == b.method &&
           std::all_of(view.axes.begin(), view.axes.end(), [&](const auto& axis) {
             return axis == view.swept || a.value(axis) == b.value(axis);
           });
  };
  for (const comparable_cases& row : view.rows)
    if (out.empty() || !same_workload(*out.back(), row))
      out.push_back(&row);
    else if (row.by_variant.size() >= out.back()->by_variant.size())
      out.back() = &row;
  return out;
}

std::string headline(const operation_view& view) {
  std::string out = "### Headline\n\nMedian µs ± half of its 95 % interval";
  if (view.variants.size() > 1)
    out += fmt::format(", and in brackets the speed-up over `{}` (above 1 is faster)", view.baseline);
  if (view.swept)
    out +=
        fmt::format("; each workload at the greatest `{}` at which most variants were measured", *view.swept);
  out += ".\n\n";
  return out +
         variant_table(
             view, headline_rows(view), view.variants, {},
             [&](const comparable_cases& row, const std::string& variant) -> std::string {
               const measured_case* c = row.of(variant);
               if (!c) return "";
               const auto up = view.speed_up_of(row, variant);
               return median_with_interval(c->time) + (up ? fmt::format(" ({:.2f}×)", up->ratio) : "");
             },
             no_cells) +
         "\n";
}

std::string scaling_section(const operation_view& view, const operation_plots& plots, bool drawn) {
  auto groups = view.scaling_groups(2);
  std::erase_if(groups, [&](const scaling_group& g) { return g.axis != view.swept && g.points.size() < 3; });
  if (groups.empty()) return "";
  std::string out = "### Time and throughput against input size\n\n" + images(plots.scaling, drawn);
  if (plots.scaling_left_out > 0)
    out += fmt::format("{} further groups are not plotted; cases.csv has them.\n\n", plots.scaling_left_out);
  std::string tables;
  for (const scaling_group& group : groups) {
    std::vector<std::string> other_axes;
    for (const std::string& axis : view.varying_axes())
      if (axis != group.axis) other_axes.push_back(axis);
    const std::string fixed = axes_text(group.fixed, other_axes);
    std::vector<std::string> variants;
    for (const std::string& variant : view.variants)
      if (std::any_of(group.points.begin(), group.points.end(),
                      [&](const auto* p) { return p->of(variant); }))
        variants.push_back(variant);
    std::vector<std::string> header = {group.axis};
    header.insert(header.end(), variants.begin(), variants.end());
    tables += fmt::format("**{}{}{}**\n\n", fixed, fixed.empty() ? "" : ", ", group.cache_state);
    tables += table_header(header, 0);
    for (const comparable_cases* row : group.points) {
      std::vector<std::string> cells = {row->value(group.axis)};
      for (const std::string& variant : variants) {
        const measured_case* c = row->of(variant);
        if (!c) {
          cells.emplace_back();
          continue;
        }
        const auto items = c->items();
        cells.push_back(median_with_interval(c->time) +
                        (items ? "; " + with_prefix(*items / (c->time.median_us * 1e-6)) + "points/s" : ""));
      }
      tables += table_row(cells);
    }
    tables += "\n";
  }
  return out + details("Median µs ± half of its 95 % interval, and throughput, by size", tables);
}

std::string speed_up_section(const operation_view& view, const operation_plots& plots, bool drawn) {
  const std::vector<std::string> others(view.variants.begin() + 1, view.variants.end());
  const std::string table = variant_table(
      view, all_rows(view), others, {},
      [&](const comparable_cases& row, const std::string& variant) -> std::string {
        const auto up = view.speed_up_of(row, variant);
        return up ? fmt::format("{:.3f} ({:.3f} to {:.3f})", up->ratio, up->low, up->high) : "";
      },
      no_cells);
  if (table.empty()) return "";
  return fmt::format("### Speed-up over `{}`\n\n", view.baseline) + images(plots.speed_up, drawn) +
         details(
             fmt::format(
                 "Median of `{}` over the variant's median, with the interval that both 95 % intervals span",
                 view.baseline),
             table);
}

std::string counter_section(const record& r, const operation_view& view, const operation_plots& plots,
                            bool drawn) {
  if (plots.metrics.empty() && plots.kernels.empty() && plots.timelines.empty()) return "";
  std::string out = "### Counters against input size\n\n" + images(plots.metrics, drawn);
  std::vector<std::string> header = {"cache state"};
  const std::vector<std::string> axes = view.varying_axes();
  header.insert(header.end(), axes.begin(), axes.end());
  header.insert(header.end(), {"variant", "median µs"});
  for (const metric& m : case_metrics()) header.emplace_back(m.title);
  std::string body;
  for (const comparable_cases& row : view.rows)
    for (const std::string& variant : view.variants) {
      const measured_case* c = row.of(variant);
      if (!c || !c->counters.any()) continue;
      std::vector<std::string> cells = {row.cache_state};
      const auto values = axis_cells(row, axes);
      cells.insert(cells.end(), values.begin(), values.end());
      cells.insert(cells.end(), {variant, significant(c->time.median_us)});
      for (const metric& m : case_metrics()) {
        const std::optional<double> value = m.of(r, *c);
        cells.push_back(value ? significant(*value) : "");
      }
      body += table_row(cells);
    }
  if (!body.empty())
    out += details("Counters of every case that has them; empty where one could not be read",
                   table_header(header, 2 + axes.size()) + body);
  if (!plots.kernels.empty()) out += "### Cycles by kernel\n\n" + images(plots.kernels, drawn);
  if (!plots.timelines.empty()) out += "### Activity over time\n\n" + images(plots.timelines, drawn);
  return out;
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
         details("Median over the greatest of the floors of launch, bytes, atomics and FLOPs", table);
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
  const std::string table = variant_table(view, rows, view.variants, {}, cell, no_cells);
  if (table.empty()) return "";
  return "### Points per atomic\n\n" + images(plots.merging, drawn) +
         details("Counted by the instrumented forms, which are never timed", table);
}

std::string occupancy_section(const record& r, const operation_view& view) {
  const table kernels = kernel_table(r, view);
  if (kernels.lines.empty()) return "";
  return "### Theoretical occupancy and static facts\n\n" + markdown(kernels) + "\n";
}

std::string operation_section(const record& r, const operation_view& view, const operation_plots& plots,
                              bool drawn) {
  std::string out = fmt::format("## {}\n\n", view.name);
  if (!view.description.empty()) out += view.description + "\n\n";
  std::vector<std::string> fixed;
  for (const std::string& axis : view.axes)
    if (!view.varies(axis)) fixed.push_back(axis);
  if (!fixed.empty()) out += fmt::format("Everywhere: {}.\n\n", axes_text(view.rows.front().axes, fixed));
  if (view.variants.size() == 1)
    out += fmt::format("Only `{}` was measured, so there are no speed-ups.\n\n", view.variants.front());
  return out + headline(view) + speed_up_section(view, plots, drawn) + scaling_section(view, plots, drawn) +
         counter_section(r, view, plots, drawn) + floor_section(view, plots, drawn) +
         merging_section(view, plots, drawn) + occupancy_section(r, view);
}

std::string unmeasured_section(const record& r) {
  if (r.unmeasured.empty()) return "## Cases not measured\n\nNone: every case of the suite was measured.\n\n";
  struct group {
    std::string operation, status, reason, example;
    std::vector<std::string> variants;
    std::size_t count;
  };
  std::vector<group> groups;
  for (const unmeasured_case& c : r.unmeasured) {
    auto found = std::find_if(groups.begin(), groups.end(), [&](const group& g) {
      return g.operation == c.operation && g.status == c.status && g.reason == c.reason;
    });
    if (found == groups.end())
      found = groups.insert(groups.end(), {c.operation, c.status, c.reason, c.name, {}, 0});
    ++found->count;
    if (std::find(found->variants.begin(), found->variants.end(), c.variant) == found->variants.end())
      found->variants.push_back(c.variant);
  }
  std::string out = "## Cases not measured\n\n";
  out += table_header({"operation", "status", "reason", "variants", "first case", "cases"}, 5);
  for (const group& g : groups)
    out += table_row({g.operation, g.status, g.reason, joined(g.variants), "`" + g.example + "`",
                      std::to_string(g.count)});
  return out + "\n";
}

}  // namespace

std::string record_summary(const record& r, const std::vector<operation_view>& views,
                           const std::vector<operation_plots>& plots, bool drawn) {
  std::string out = fmt::format("# {} on {}\n\n", r.suite_name, r.device_name);
  if (!r.suite_description.empty()) out += r.suite_description + "\n\n";
  out += facts_section(r);
  if (r.cases.empty())
    out += "No case was measured.\n\n";
  else
    out += "## Cache states and timing\n\n" + markdown(cache_state_table(r)) + "\n" + ceilings_section(r);
  for (std::size_t i = 0; i < views.size(); ++i) out += operation_section(r, views[i], plots[i], drawn);
  out += unmeasured_section(r) + "## How every number was measured\n\n";
  for (const std::string& line : how_measured(r)) out += "- " + line + "\n";
  return out + "\n";
}

}  // namespace ablate::reports
