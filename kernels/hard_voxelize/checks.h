#pragma once

#include <optional>
#include <string>

#include "kernels/hard_voxelize/hard_voxelize.h"

namespace ablate::hard_voxelize {

/// What is wrong with the outputs of a problem with host pointers: the place, what was expected and what was
/// found. With choice::first they must be the oracle's. With choice::any: so many voxels as there must be, of
/// distinct occupied cells, each with min(n, K) distinct points of its cell and −1 behind them.
std::optional<std::string> violated(const problem&);

}  // namespace ablate::hard_voxelize
