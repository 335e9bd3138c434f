#include "reports/summary/workload_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/record/clocks.h"
#include "base/record/counters.h"
#include "base/text/text.h"

namespace ablate::reports {

std::string markdown(const table& from) {
  std::string out = table_header(from.header, from.left);
  for (const table_line& line : from.lines) out += table_row(line.cells);
  return out;
}

std::vector<const comparable_cases*> all_rows(const operation_view& view) {
  std::vector<const comparable_cases*> out;
  for (const comparable_cases& row : view.rows) out.push_back(&row);
  return out;
}

workload_columns::workload_columns(const operation_view& view)
    : axes_(view.varying_axes()), labels_(view, axes_), is_one_(view.has_many_axes()) {}

std::vector<std::string> workload_columns::header() const {
  std::vector<std::string> out = {"cache state"};
  if (is_one_)
    out.emplace_back("workload");
  else
    out.insert(out.end(), axes_.begin(), axes_.end());
  return out;
}

std::vector<std::string> workload_columns::cells(const comparable_cases& row) const {
  std::vector<std::string> out = {row.cache_state};
  if (is_one_)
    out.push_back(labels_.of(row.axes));
  else
    for (const std::string& axis : axes_) out.push_back(row.value(axis));
  if (!is_one_) out.back() += row.input_mark();  // a label has it
  return out;
}

std::string variant_table(const operation_view& view, const std::vector<const comparable_cases*>& rows,
                          const std::vector<std::string>& variants,
                          const std::vector<std::string>& more_columns, const variant_cell& cell_of,
                          const workload_cells& more_cells) {
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

std::string variant_table(const operation_view& view, const std::vector<const comparable_cases*>& rows,
                          const std::vector<std::string>& variants, const variant_cell& cell_of) {
  return variant_table(view, rows, variants, {}, cell_of,
                       [](const auto&) { return std::vector<std::string>(); });
}

std::string case_table(const operation_view& view, const std::vector<const comparable_cases*>& rows,
                       const std::vector<std::string>& columns, const case_cells& cells_of) {
  const workload_columns workloads(view);
  std::vector<std::string> header = workloads.header();
  header.emplace_back("variant");
  header.insert(header.end(), columns.begin(), columns.end());
  std::string body;
  for (const comparable_cases* row : rows)
    for (const std::string& variant : view.variants) {
      const measured_case* c = row->of(variant);
      if (!c) continue;
      const std::vector<std::string> values = cells_of(*row, *c);
      if (values.empty()) continue;
      std::vector<std::string> cells = workloads.cells(*row);
      cells.push_back(variant);
      cells.insert(cells.end(), values.begin(), values.end());
      body += table_row(cells);
    }
  return body.empty() ? "" : table_header(header, workloads.count() + 1) + body;
}

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

std::string about_signs(const operation_view& view) {
  std::string out;
  if (!view.quality.empty())
    out = "; ≠ marks an output that differs from the baseline's by more than 5 % in some figure of quality";
  const auto some = [&](auto holds) {
    return std::any_of(view.rows.begin(), view.rows.end(), [&](const comparable_cases& row) {
      return std::any_of(view.variants.begin(), view.variants.end(), [&](const std::string& variant) {
        const auto up = view.speed_up_of(row, variant);
        return up && holds(*up);
      });
    });
  };
  if (some([](const speed_up& up) { return up.in_cycles.has_value(); }))
    out += fmt::format("; {}", about_cycles_mark);
  if (some([](const speed_up& up) { return up.is_unsteady(); })) out += fmt::format("; {}", about_moved_mark);
  return out;
}

std::string first_lines(table from, std::size_t most, const std::string& file) {
  const std::size_t all = from.lines.size();
  if (all > most) from.lines.resize(most);
  std::string out = markdown(from) + "\n";
  if (all > most) out += fmt::format("{} further lines are in {}.\n\n", all - most, file);
  return out;
}

}  // namespace ablate::reports
