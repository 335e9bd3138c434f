#pragma once

#include <string>
#include <vector>

#include "reports/views/operation_view.h"

namespace ablate::reports {

/// The rows of one plot: a single cache state and timing method, and few enough rows for a screen.
struct page {
  std::vector<std::string> words;  ///< what distinguishes its file name from the other pages'
  std::vector<const comparable_cases*> rows;
};

/// Splits by cache state and method, then by the axis with the fewest values until a page holds at most
/// `maximum_rows` (more if only the swept axis is left). Where many axes vary, mostly one at a time, that
/// would give many small pages: there a page is a run of rows, "part1" and so on.
std::vector<page> pages(const operation_view&, const std::vector<const comparable_cases*>& rows,
                        std::size_t maximum_rows);

/// For what does not depend on the cache state: one row per set of axes, not split by cache state.
std::vector<page> pages_of_axes(const operation_view&, const std::vector<const comparable_cases*>& rows,
                                std::size_t maximum_rows);

}  // namespace ablate::reports
