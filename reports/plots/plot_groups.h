#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "reports/plots/marks.h"
#include "reports/views/leading.h"
#include "reports/views/operation_view.h"

namespace ablate::reports {

/// "operation-kind-word-word", without extension; a name too long for a file ends in its hash.
std::string file_name(const operation_view&, const std::string& kind, const std::vector<std::string>& words);

/// The names that decide on marks.
inline series_names names_of(const operation_view& view) { return {view.variants, view.baseline}; }

/// A sweep to plot.
struct plotted_group {
  scaling_group group;
  std::vector<std::string> words;  ///< what distinguishes the name of its plot from the others'
  std::string title;               ///< "against points, order=morton, cold-clean"
};

/// The groups with the most sizes first, at most `limit`.
std::vector<plotted_group> plotted_groups(const operation_view&, std::vector<scaling_group>,
                                          std::size_t limit);

/// Those of the variants that have a curve, the fastest on it first.
inline std::vector<std::string> fastest_curves(std::vector<std::string> variants,
                                               const scaling_group& group) {
  std::erase_if(variants, [&](const std::string& variant) {
    return std::count_if(group.points.begin(), group.points.end(),
                         [&](const comparable_cases* row) { return row->of(variant) != nullptr; }) < 2;
  });
  return fastest_first(variants, group.points);
}

/// Calls visit(case, size) for every case of these variants on a curve of a group, variant by variant, by
/// increasing size. A variant measured at a single size has no curve.
template <class Visit>
void for_each_case(const std::vector<std::string>& variants, const scaling_group& group, Visit visit) {
  for (const std::string& variant : variants) {
    const auto has = [&](const comparable_cases* row) { return row->of(variant) != nullptr; };
    if (std::count_if(group.points.begin(), group.points.end(), has) < 2) continue;
    for (const comparable_cases* row : group.points)
      if (const measured_case* c = row->of(variant)) visit(*c, std::stol(row->value(group.axis)));
  }
}

}  // namespace ablate::reports
