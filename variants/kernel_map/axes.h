#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

std::vector<axis> axes();

/// The sizes of the kernel, as the axis spells them.
std::vector<std::string> kernel_words();

/// Why these axes make no case.
std::optional<std::string> refuses(const axis_values&);

/// Throws input_unfit where a point file's rows make outputs too large.
problem problem_at(const axis_values&, const input_library&);

}  // namespace ablate::kernel_map
