#include "reports/summary/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/record/clocks.h"
#include "base/text/text.h"
#include "reports/summary/workload_tables.h"
#include "reports/views/labels.h"
#include "reports/views/leading.h"

namespace ablate::reports {
namespace {

constexpr std::size_t max_variants = 6, max_figures = 4;  // in columns

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

/// "4.000 ± 0.125", in bold where no variant is known to be faster on the workload.
std::string median_text(const operation_view& view, const comparable_cases& row, const measured_case& c) {
  const std::string text = median_with_interval(c.time), fastest = fastest_on(row);
  const bool leads = !fastest.empty() && (fastest == c.variant || view.is_level(*row.of(fastest), c));
  return leads ? "**" + text + "**" : text;
}

bool has_metered_cases(const operation_view& view) {
  return std::any_of(view.rows.begin(), view.rows.end(), [](const comparable_cases& row) {
    return std::any_of(row.by_variant.begin(), row.by_variant.end(),
                       [](const auto& entry) { return entry.second->energy.has_value(); });
  });
}

/// Whether a line is a case, with what else is known of it in columns; else it is a workload.
bool in_rows(const operation_view& view) { return !view.quality.empty() || has_metered_cases(view); }

std::vector<std::string> energy_cells(const measured_case& c) {
  if (!c.energy) return {"", ""};
  return {energy_with_interval(*c.energy), significant(*c.energy_delay_mj_us())};
}

/// Median, speed-up and, if the operation has them, energies and the quality figures.
std::string time_table(const operation_view& view, const std::vector<const comparable_cases*>& rows,
                       const std::vector<std::string>& variants) {
  if (!in_rows(view))
    return variant_table(view, rows, variants,
                         [&](const comparable_cases& row, const std::string& variant) -> std::string {
                           const measured_case* c = row.of(variant);
                           if (!c) return "";
                           const auto up = view.speed_up_of(row, variant);
                           return median_text(view, row, *c) +
                                  (up ? fmt::format(" ({:.2f}×{}{})", up->ratio, cycles_mark(up->in_cycles),
                                                    moved_mark(up->base_moved_pct))
                                      : "");
                         });
  std::vector<std::string> columns = {"median µs", "speed-up"};
  const bool with_energy = has_metered_cases(view);
  if (with_energy) columns.insert(columns.end(), {"energy mJ", "energy × time mJ·µs"});
  const std::size_t figures = std::min(view.quality.size(), max_figures);
  columns.insert(columns.end(), view.quality.begin(),
                 view.quality.begin() + static_cast<std::ptrdiff_t>(figures));
  return case_table(view, rows, columns,
                    [&](const comparable_cases& row, const measured_case& c) -> std::vector<std::string> {
                      if (std::find(variants.begin(), variants.end(), c.variant) == variants.end()) return {};
                      const auto up = view.speed_up_of(row, c.variant);
                      std::vector<std::string> cells = {
                          median_text(view, row, c),
                          up ? fmt::format("{:.2f}×{}{}{}", up->ratio, cycles_mark(up->in_cycles),
                                           moved_mark(up->base_moved_pct), unequal(view, row, c.variant))
                             : ""};
                      if (with_energy)
                        for (std::string& cell : energy_cells(c)) cells.push_back(std::move(cell));
                      auto quality = quality_cells(view, c);
                      quality.resize(figures);
                      cells.insert(cells.end(), quality.begin(), quality.end());
                      return cells;
                    });
}

/// How many lines a workload takes.
std::size_t lines_of(const operation_view& view, const comparable_cases& row,
                     const std::vector<std::string>& variants) {
  if (!in_rows(view)) return 1;
  return static_cast<std::size_t>(std::count_if(
      variants.begin(), variants.end(), [&](const auto& variant) { return row.of(variant) != nullptr; }));
}

/// The rows that fit: those nearest to the usual workload first where many axes vary, then those with the
/// most variants, in the order of the view.
std::vector<const comparable_cases*> rows_that_fit(const operation_view& view,
                                                   const std::vector<const comparable_cases*>& rows,
                                                   const std::vector<std::string>& variants,
                                                   std::size_t lines) {
  const workload_columns workloads(view);
  const auto order = [&](const comparable_cases& row) {
    std::ptrdiff_t distance = 0;
    if (view.has_many_axes()) {
      const auto named = workloads.labels().named(row.axes);
      distance =
          std::count_if(named.begin(), named.end(), [&](const auto& axis) { return axis != view.swept; });
    }
    return std::pair{distance, -static_cast<std::ptrdiff_t>(row.by_variant.size())};
  };
  std::vector<const comparable_cases*> ranked = rows, out;
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const auto* a, const auto* b) { return order(*a) < order(*b); });
  for (const comparable_cases* row : ranked) {
    const std::size_t here = lines_of(view, *row, variants);
    if (here == 0) continue;
    if (here > lines && !out.empty()) break;
    lines -= std::min(lines, here);
    out.push_back(row);
  }
  if (view.has_many_axes()) return out;
  std::vector<const comparable_cases*> in_order;
  for (const comparable_cases* row : rows)
    if (std::find(out.begin(), out.end(), row) != out.end()) in_order.push_back(row);
  return in_order;
}

}  // namespace

std::string headline(const operation_view& view, std::size_t lines) {
  std::vector<std::string> variants = leading_variants(view);
  const std::size_t all = variants.size();
  if (all > max_variants) variants.resize(max_variants);
  std::string out = "### Headline\n\n";
  out +=
      view.launches ? fmt::format("Mean of {} launches' medians in µs", view.launches->count()) : "Median µs";
  out += " ± half of its 95 % interval, in bold the fastest variant's and those that cannot be told from it";
  if (all > 1)
    out += fmt::format(", {} the speed-up over `{}` (above 1 is faster{})",
                       in_rows(view) ? "beside it" : "and in brackets", view.baseline, about_signs(view));
  if (has_metered_cases(view))
    out += ", the energy of a launch ± half of its 95 % interval and its product with the median";
  if (!view.quality.empty()) out += ", and the quality of the output";
  if (view.swept)
    out += fmt::format("; each workload at the {} `{}` at which most variants were measured",
                       view.has_many_axes() ? "usual or else the greatest" : "greatest", *view.swept);
  const auto rows = headline_rows(view);
  const auto shown = rows_that_fit(view, rows, variants, lines);
  std::vector<std::string> left_out;
  if (rows.size() > shown.size())
    left_out.push_back(fmt::format("{} of {} workloads", shown.size(), rows.size()));
  if (all > variants.size())
    left_out.push_back(fmt::format("the {} of {} variants that lead most often", variants.size(), all));
  if (view.quality.size() > max_figures)
    left_out.push_back(fmt::format("{} of {} figures of quality", max_figures, view.quality.size()));
  if (!left_out.empty()) out += fmt::format("; {}, the others are in cases.csv", joined(left_out, " and "));
  return out + ".\n\n" + time_table(view, shown, variants) + "\n";
}

}  // namespace ablate::reports
