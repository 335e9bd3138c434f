#pragma once

#include <string>
#include <vector>

#include "base/text/json_place.h"
#include "harness/registry/axis.h"

namespace ablate {

/// The value of an axis that a suite names, as records spell it. Throws bad_input for one that the axis
/// refuses, with the nearest word.
std::string axis_value_at(const reports::json_place&, const axis&,
                          const std::vector<std::string>& point_files);

}  // namespace ablate
