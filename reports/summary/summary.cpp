#include "reports/summary/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "reports/ablation/markdown.h"
#include "reports/record/clocks.h"
#include "reports/text/text.h"
#include "reports/views/dispatch.h"
#include "reports/views/labels.h"
#include "reports/views/metrics.h"
#include "reports/views/record_tables.h"
#include "reports/views/rivals.h"
#include "reports/views/workloads.h"

namespace ablate::reports {
namespace {

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

std::vector<const comparable_cases*> all_rows(const operation_view& view) {
  std::vector<const comparable_cases*> out;
  for (const comparable_cases& row : view.rows) out.push_back(&row);
  return out;
}

/// The first columns of a table that has a row for each workload: an axis each, or one with what sets the
/// workload apart where many axes vary.
class workload_columns {
 public:
  explicit workload_columns(const operation_view& view)
      : axes_(view.varying_axes()), labels_(view, axes_), is_one_(view.has_many_axes()) {}

  std::size_t count() const { return 1 + (is_one_ ? 1 : axes_.size()); }
  std::vector<std::string> header() const {
    std::vector<std::string> out = {"cache state"};
    if (is_one_)
      out.emplace_back("workload");
    else
      out.insert(out.end(), axes_.begin(), axes_.end());
    return out;
  }
  std::vector<std::string> cells(const comparable_cases& row) const {
    std::vector<std::string> out = {row.cache_state};
    if (is_one_)
      out.push_back(labels_.of(row.axes));
    else
      for (const std::string& axis : axes_) out.push_back(row.value(axis));
    return out;
  }
  const workload_labels& labels() const { return labels_; }

 private:
  std::vector<std::string> axes_;
  workload_labels labels_;
  bool is_one_;
};

std::vector<std::string> quality_cells(const operation_view& view, const measured_case& c) {
  std::vector<std::string> out;
  for (const std::string& figure : view.quality) {
    const auto value = find_counter(c.quality, figure);
    out.push_back(value ? plain(*value) : "");
  }
  return out;
}

std::string unequal(const operation_view& view, const comparable_cases& row, const std::string& variant) {
  return view.differs_in_quality(row, variant) ? " ≠" : "";
}

/// What the sign for unlike clocks means, where there is one.
std::string about_clocks(const operation_view& view) {
  for (const comparable_cases& row : view.rows)
    for (const std::string& variant : view.variants)
      if (const auto up = view.speed_up_of(row, variant); up && up->in_cycles)
        return fmt::format("; {}", about_cycles_mark);
  return "";
}

/// What the sign in a cell means, where there may be one.
std::string about_unequal(const operation_view& view) {
  return view.quality.empty() ? ""
                              : "; ≠ marks an output that differs from the baseline's by more than 5 % in "
                                "some figure of quality";
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
  const workload_columns workloads(view);
  std::vector<std::string> header = workloads.header();
  header.insert(header.end(), more_columns.begin(), more_columns.end());
  header.insert(header.end(), variants.begin(), variants.end());
  std::string body;
  for (const comparable_cases* row : rows) {
    std::vector<std::string> cells = workloads.cells(*row);
    const auto more = more_cells(*row);
    cells.insert(cells.end(), more.begin(), more.end());
    bool any = false;
    for (const std::string& variant : variants) {
      cells.push_back(cell_of(*row, variant));
      any = any || !cells.back().empty();
    }
    if (any) body += table_row(cells);
  }
  return body.empty() ? "" : table_header(header, workloads.count()) + body;
}

/// A row for each case: its workload, its variant and whatever `cells_of` has to say of it; left out where it
/// says nothing.
std::string case_table(
    const operation_view& view, const std::vector<const comparable_cases*>& rows,
    const std::vector<std::string>& columns,
    const std::function<std::vector<std::string>(const comparable_cases&, const measured_case&)>& cells_of) {
  const workload_columns workloads(view);
  std::vector<std::string> header = workloads.header();
  header.emplace_back("variant");
  header.insert(header.end(), columns.begin(), columns.end());
  std::string body;
  for (const comparable_cases* row : rows)
    for (const std::string& variant : view.variants) {
      const measured_case* c = row->of(variant);
      if (!c) continue;
      const std::vector<std::string> said = cells_of(*row, *c);
      if (said.empty()) continue;
      std::vector<std::string> cells = workloads.cells(*row);
      cells.push_back(variant);
      cells.insert(cells.end(), said.begin(), said.end());
      body += table_row(cells);
    }
  return body.empty() ? "" : table_header(header, workloads.count() + 1) + body;
}

std::vector<std::string> no_cells(const comparable_cases&) { return {}; }

/// Each workload at the greatest of the sizes at which most variants were measured; where many axes vary,
/// mostly at the usual size, at that one if it is among these.
std::vector<const comparable_cases*> headline_rows(const operation_view& view) {
  std::vector<const comparable_cases*> out;
  const auto same_workload = [&](const comparable_cases& a, const comparable_cases& b) {
    return a.cache_state == b.cache_state && a.method == b.method &&
           std::all_of(view.axes.begin(), view.axes.end(), [&](const auto& axis) {
             return axis == view.swept || a.value(axis) == b.value(axis);
           });
  };
  const std::string usual_size =
      view.swept && view.has_many_axes() ? usual_values(view, {*view.swept}).front().second : "";
  const auto is_usual = [&](const comparable_cases& row) {
    return !usual_size.empty() && row.value(*view.swept) == usual_size;
  };
  for (const comparable_cases& row : view.rows)
    if (out.empty() || !same_workload(*out.back(), row))
      out.push_back(&row);
    else if (row.by_variant.size() > out.back()->by_variant.size() ||
             (row.by_variant.size() == out.back()->by_variant.size() && !is_usual(*out.back())))
      out.back() = &row;
  return out;
}

/// Median, speed-up and, where the operation has them, the figures of quality.
std::string time_table(const operation_view& view, const std::vector<const comparable_cases*>& rows) {
  if (view.quality.empty())
    return variant_table(
        view, rows, view.variants, {},
        [&](const comparable_cases& row, const std::string& variant) -> std::string {
          const measured_case* c = row.of(variant);
          if (!c) return "";
          const auto up = view.speed_up_of(row, variant);
          return median_with_interval(c->time) +
                 (up ? fmt::format(" ({:.2f}×{})", up->ratio, cycles_mark(up->in_cycles)) : "");
        },
        no_cells);
  std::vector<std::string> columns = {"median µs", "speed-up"};
  columns.insert(columns.end(), view.quality.begin(), view.quality.end());
  return case_table(view, rows, columns, [&](const comparable_cases& row, const measured_case& c) {
    const auto up = view.speed_up_of(row, c.variant);
    std::vector<std::string> cells = {
        median_with_interval(c.time),
        up ? fmt::format("{:.2f}×{}{}", up->ratio, cycles_mark(up->in_cycles), unequal(view, row, c.variant))
           : ""};
    const auto quality = quality_cells(view, c);
    cells.insert(cells.end(), quality.begin(), quality.end());
    return cells;
  });
}

struct headline_parts {
  std::vector<const comparable_cases*> shown, others;
};

/// Where there are too many rows for a headline: those nearest to the usual workload come first, the ones
/// with most variants before others.
headline_parts parts_of(const operation_view& view, std::vector<const comparable_cases*> rows) {
  constexpr std::size_t most_cases = 72;
  if (!view.has_many_axes()) return {rows, {}};
  const workload_columns workloads(view);
  const auto order = [&](const comparable_cases& row) {
    const auto named = workloads.labels().named(row.axes);
    const auto distance =
        std::count_if(named.begin(), named.end(), [&](const auto& axis) { return axis != view.swept; });
    return std::pair{distance, -static_cast<std::ptrdiff_t>(row.by_variant.size())};
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto* a, const auto* b) { return order(*a) < order(*b); });
  headline_parts out;
  std::size_t cases = 0;
  for (const comparable_cases* row : rows) {
    cases += row->by_variant.size();
    (cases <= most_cases ? out.shown : out.others).push_back(row);
  }
  return out;
}

std::string headline(const operation_view& view) {
  const bool in_rows = !view.quality.empty();
  std::string out = "### Headline\n\nMedian µs ± half of its 95 % interval";
  if (view.variants.size() > 1)
    out += fmt::format(", {} the speed-up over `{}` (above 1 is faster{})",
                       in_rows ? "beside it" : "and in brackets", view.baseline,
                       about_unequal(view) + about_clocks(view));
  if (in_rows) out += ", and the quality of the output";
  if (view.swept)
    out += fmt::format("; each workload at the {} `{}` at which most variants were measured",
                       view.has_many_axes() ? "usual or else the greatest" : "greatest", *view.swept);
  const headline_parts parts = parts_of(view, headline_rows(view));
  if (!parts.others.empty()) out += "; the workloads nearest to the usual one, the others below";
  out += ".\n\n" + time_table(view, parts.shown) + "\n";
  if (!parts.others.empty())
    out +=
        details(fmt::format("The {} other workloads", parts.others.size()), time_table(view, parts.others));
  return out;
}

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
         "another were measured: how often its time is within 2 % of the best, and the median and the worst "
         "of its time over the best. What the choice itself costs is not in these times.\n\n" +
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

std::string throughput(const measured_case& c) {
  const auto items = c.items();
  return items ? with_prefix(*items / (c.time.median_us * 1e-6)) + "points/s" : "";
}

/// A row for each case of a sweep, with the figures of quality beside its time.
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

std::string speed_up_section(const operation_view& view, const operation_plots& plots, bool drawn) {
  const std::vector<std::string> others(view.variants.begin() + 1, view.variants.end());
  const std::string table = variant_table(
      view, all_rows(view), others, {},
      [&](const comparable_cases& row, const std::string& variant) -> std::string {
        const auto up = view.speed_up_of(row, variant);
        return up ? fmt::format("{:.3f} ({:.3f} to {:.3f}){}{}", up->ratio, up->low, up->high,
                                cycles_mark(up->in_cycles), unequal(view, row, variant))
                  : "";
      },
      no_cells);
  if (table.empty()) return "";
  return fmt::format("### Speed-up over `{}`\n\n", view.baseline) + images(plots.speed_up, drawn) +
         details(fmt::format("Median of `{}` over the variant's median, with the interval that both 95 % "
                             "intervals span{}",
                             view.baseline, about_unequal(view) + about_clocks(view)),
                 table);
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
  const std::string table = variant_table(view, rows, view.variants, {}, cell, no_cells);
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

std::string run_image(const record_report& from, std::string_view name) {
  for (const plot& p : from.run_plots)
    if (p.name.ends_with(name)) return images({p}, true);
  return "";
}

std::string noise_section(const record_report& from, bool drawn) {
  if (from.noise.cases.empty()) return "";
  std::string out = "## Noise\n\n";
  for (const std::string& said : from.noise.said) out += "- " + said + "\n";
  return out + "\n" + markdown(noise_table(from.noise)) + "\n" + (drawn ? run_image(from, "noise") : "");
}

std::string device_state_section(const record_report& from, bool drawn) {
  const std::string image = drawn ? run_image(from, "device-state") : "";
  return image.empty() ? "" : "## Device state over the run\n\n" + image;
}

}  // namespace

std::string record_summary(const record_report& from, bool drawn) {
  const record& r = *from.of;
  std::string out = fmt::format("# {} on {}\n\n", r.suite_name, from.label);
  if (!r.suite_description.empty()) out += r.suite_description + "\n\n";
  out += facts_section(r);
  if (r.cases.empty())
    out += "No case was measured.\n\n";
  else
    out += "## Cache states and timing\n\n" + markdown(cache_state_table(r)) + "\n" + ceilings_section(r);
  for (std::size_t i = 0; i < from.views.size(); ++i)
    out += operation_section(r, from.views[i], from.plots[i], drawn);
  out += noise_section(from, drawn) + device_state_section(from, drawn) + unmeasured_section(r) +
         "## How every number was measured\n\n";
  for (const std::string& line : how_measured(r)) out += "- " + line + "\n";
  return out + "\n";
}

}  // namespace ablate::reports
