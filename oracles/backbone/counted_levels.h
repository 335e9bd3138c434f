#pragma once

#include <cstdint>
#include <vector>

#include "kernels/network/grid_levels.h"

namespace ablate::backbone {

/// From cells [voxels][3], each from 0 and distinct within its instance: at each further level, those of
/// twice the edge.
grid_levels grid_levels_of(const std::vector<std::int32_t>& cells, const std::vector<std::uint32_t>& ends,
                           int levels);

}  // namespace ablate::backbone
