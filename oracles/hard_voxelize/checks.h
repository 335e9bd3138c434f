#pragma once

#include <optional>
#include <string>

#include "kernels/hard_voxelize/hard_voxelize.h"

namespace ablate::hard_voxelize {

/// What is wrong with the outputs of a problem with host pointers: place, expected, found. With choice::first
/// they must equal the oracle's. With choice::any: the right number of voxels, with distinct occupied cells,
/// each holding min(n, K) distinct points of its cell, then −1.
std::optional<std::string> violated(const problem&);

}  // namespace ablate::hard_voxelize
