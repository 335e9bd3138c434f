#include "reports/summary/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/record/clocks.h"
#include "reports/summary/workload_tables.h"
#include "reports/views/labels.h"

namespace ablate::reports {
namespace {

/// Each workload at the largest of the sizes at which the most variants were measured; where many axes vary,
/// mostly at the usual size, at that size if it is among these.
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

/// Median, speed-up and, if the operation has them, the quality figures.
std::string time_table(const operation_view& view, const std::vector<const comparable_cases*>& rows) {
  if (view.quality.empty())
    return variant_table(
        view, rows, view.variants,
        [&](const comparable_cases& row, const std::string& variant) -> std::string {
          const measured_case* c = row.of(variant);
          if (!c) return "";
          const auto up = view.speed_up_of(row, variant);
          return median_with_interval(c->time) +
                 (up ? fmt::format(" ({:.2f}×{})", up->ratio, cycles_mark(up->in_cycles)) : "");
        });
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

/// If there are too many rows for a headline: those nearest to the usual workload come first, and those with
/// the most variants before others.
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

}  // namespace

std::string headline(const operation_view& view) {
  const bool in_rows = !view.quality.empty();
  std::string out = "### Headline\n\nMedian µs ± half of its 95 % interval";
  if (view.variants.size() > 1)
    out += fmt::format(", {} the speed-up over `{}` (above 1 is faster{})",
                       in_rows ? "beside it" : "and in brackets", view.baseline, about_signs(view));
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

}  // namespace ablate::reports
