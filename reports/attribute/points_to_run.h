#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/attribute/attribution.h"

namespace ablate::attribute {

/// What has to be run for shares that are not known: all points in one launch, since times of two launches
/// are not compared.
struct points_to_run {
  std::vector<std::string> points;     ///< as they are spelled, from the first of the two to the second
  std::size_t missing;                 ///< that the record lacks
  std::size_t orders;                  ///< that are drawn; 0: all orders, so shares are exact
  std::vector<std::string> unspelled;  ///< points that nobody can name, by the values of their switches
  std::vector<const reports::comparable_cases*> rows;
  /// To be pasted into a shell, a line for all workloads or one for each; none where a point has no name.
  std::vector<std::string> commands;
};

/// One for all workloads that lack the same. A search or a sampler that goes on from a record starts here.
std::vector<points_to_run> points_to_run_for(const attribution&);

/// "`a`, `b`: 2 of 4 points are missing"
std::string text_of(const attribution&, const points_to_run&);

}  // namespace ablate::attribute
