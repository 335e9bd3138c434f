#pragma once

#include <cstddef>
#include <optional>

#include "reports/views/case_launches.h"

namespace ablate::reports {

/// A base's median over another case's, above 1 is faster, with its 95 % interval: of one launch what the two
/// medians' intervals allow, of several that of the ratio over launches.
struct speed_up {
  double ratio, low, high;
  std::optional<double> in_cycles = std::nullopt;  ///< the ratio in cycles, if timed at different clocks
  std::size_t launches = 1;                        ///< records that measured both
  double base_moved_pct = 0;                       ///< between them

  bool includes_one() const { return low <= 1 && 1 <= high; }
  bool is_unsteady() const { return base_moved_pct > unsteady_pct; }
};

/// Of `other` over `base`, within their record.
speed_up speed_up_between(const measured_case& base, const measured_case& other);
/// The same over all records.
speed_up speed_up_between(const case_launches&, const measured_case& base, const measured_case& other);

}  // namespace ablate::reports
