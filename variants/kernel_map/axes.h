#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/registry/operation.h"
#include "oracles/kernel_map/checked_problem.h"

namespace ablate::kernel_map {

std::vector<axis> axes();

/// Kernel sizes, as spelled on the axis.
std::vector<std::string> kernel_words();

/// Why these axis values do not form a case.
std::optional<std::string> refuses(const axis_values&);

/// Throws input_unfit if a point file's rows make the outputs too large.
checked_problem problem_at(const axis_values&, const input_library&);

}  // namespace ablate::kernel_map
