#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reports/sections/record_report.h"
#include "reports/views/operation_view.h"
#include "reports/views/record_tables.h"
#include "reports/views/workloads.h"

namespace ablate::reports {

// Building blocks of a summary's sections: Markdown tables with one row per workload or case.

/// A table whose first columns are words.
std::string markdown(const table&);

std::vector<const comparable_cases*> all_rows(const operation_view&);

/// The first columns of a table with one row per workload: one per axis or, where many axes vary, a single
/// one with what sets the workload apart.
class workload_columns {
 public:
  explicit workload_columns(const operation_view&);

  std::size_t count() const { return 1 + (is_one_ ? 1 : axes_.size()); }
  std::vector<std::string> header() const;
  std::vector<std::string> cells(const comparable_cases& row) const;
  const workload_labels& labels() const { return labels_; }

 private:
  std::vector<std::string> axes_;
  workload_labels labels_;
  bool is_one_;
};

using variant_cell = std::function<std::string(const comparable_cases&, const std::string& variant)>;
using workload_cells = std::function<std::vector<std::string>(const comparable_cases&)>;
using case_cells = std::function<std::vector<std::string>(const comparable_cases&, const measured_case&)>;

/// Table rows: the varying axes, `more_columns`, and one cell per variant; rows without any cell are left
/// out.
std::string variant_table(const operation_view&, const std::vector<const comparable_cases*>& rows,
                          const std::vector<std::string>& variants,
                          const std::vector<std::string>& more_columns, const variant_cell& cell_of,
                          const workload_cells& more_cells);

/// The same without extra columns.
std::string variant_table(const operation_view&, const std::vector<const comparable_cases*>& rows,
                          const std::vector<std::string>& variants, const variant_cell& cell_of);

/// One row per case: its workload, its variant and the output of `cells_of`; left out if that is empty.
std::string case_table(const operation_view&, const std::vector<const comparable_cases*>& rows,
                       const std::vector<std::string>& columns, const case_cells& cells_of);

/// The quality figures, empty where a case lacks one.
std::vector<std::string> quality_cells(const operation_view&, const measured_case&);

/// The mark for an output whose quality differs from the baseline's.
std::string unequal(const operation_view&, const comparable_cases&, const std::string& variant);

/// What the marks in a cell mean, if there can be any: different quality, and different clocks.
std::string about_signs(const operation_view&);

/// A table's first lines, and how many more there are and where.
std::string first_lines(table, std::size_t most, const std::string& file);

}  // namespace ablate::reports
