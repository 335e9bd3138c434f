#pragma once

#include <string>

#include "base/record/record.h"

namespace ablate::reports {

/// What makes a case's input a degenerate one, so that its times say little of what its axes name: " (12 % of
/// points in grid)". Nothing for a sound input. Every table that ranks cases shows it with the workload
/// (operation_view::input_mark).
///
///   less than half of the points are in the grid, or in the range of a key
///   all points are in one cell, or there are none
///   1 % or more of the points are at (0, 0, 0), as rays that never returned are stored
///   fp16 leaves less than 95 % of the distinct positions
std::string input_mark(const measured_case&);

}  // namespace ablate::reports
