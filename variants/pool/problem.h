#pragma once

#include <optional>
#include <string>

#include "harness/inputs/input_library.h"
#include "harness/registry/axis.h"
#include "oracles/pool/checked_problem.h"

namespace ablate::pool {

/// Why these axis values are not a valid case, or nothing.
std::optional<std::string> refuses(const axis_values&);

/// The problem at these axes, without buffers. Throws as scene_at does, and input_unfit.
checked_problem problem_at(const axis_values&, const input_library&);

/// The axes of psh_bucket that make the bucket order of these.
axis_values axes_of_order(const axis_values&);

}  // namespace ablate::pool
