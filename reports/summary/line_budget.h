#pragma once

#include <cstddef>

namespace ablate::reports {

/// How many lines of each table a summary shows: few enough for one page, whatever the record holds. What is
/// left out is in the CSV files.
struct line_budget {
  std::size_t answers, ladder, exhibits, advice, switches, workloads, turns, policies, sentences, waterfalls,
      ceilings, reasons;
};

constexpr line_budget budget_for(std::size_t operations) {
  if (operations <= 1) return {16, 24, 24, 2, 12, 20, 10, 6, 4, 1, 12, 10};
  if (operations == 2) return {16, 24, 24, 2, 7, 14, 6, 4, 3, 1, 12, 8};
  if (operations == 3) return {16, 24, 24, 2, 5, 6, 4, 3, 1, 0, 10, 6};
  if (operations == 4) return {12, 16, 12, 1, 2, 3, 3, 2, 1, 0, 6, 4};
  return {12, 16, 12, 1, 2, 3, 3, 2, 1, 0, 5, 4};
}

}  // namespace ablate::reports
