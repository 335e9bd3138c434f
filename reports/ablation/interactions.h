#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "reports/ablation/pairs.h"

namespace ablate::reports {

/// Four variants of one workload that form a square of two switches.
struct switch_square {
  switch_change first, second;
  const comparable_cases* row;
  const measured_case *neither, *both;
  joint_effect measured;
  std::optional<double> in_cycles;  ///< the factor, if the four were timed at different clocks
};

/// The squares of all workloads with the same two changes.
struct interaction {
  switch_change first, second;
  std::vector<const switch_square*> squares;
  double least, median, greatest;  ///< speed-up of both over the product of the individual ones
  std::size_t unlike_clocks;       ///< squares whose cases were timed at different clocks
  double median_in_cycles;         ///< of the factor in cycles for those, in time for the others
};

std::vector<switch_square> switch_squares(const std::vector<switch_effect>&, const process_launches&);

/// The median farthest from 1 first. Refers to the squares.
std::vector<interaction> interactions(const std::vector<switch_square>&);

}  // namespace ablate::reports
