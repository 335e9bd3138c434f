#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/inputs/input_library.h"
#include "harness/registry/axis.h"
#include "kernels/network/grid_levels.h"

namespace ablate::backbone {

/// What PTv3 is given.
struct voxel_scene {
  std::vector<std::int32_t> cells;      ///< [network::pitch()][3]: of 5 cm, from the instance's corner
  std::vector<float> positions;         ///< [voxels][3], meters
  std::vector<std::uint16_t> features;  ///< bf16 [voxels][4]: position and a reflectance from 0 to 1, by seed
  nlohmann::ordered_json facts;         ///< of the cloud, for the record
};

/// The voxels at these axes. Throws as pool's scene_at does, and input_unfit for too many cells.
voxel_scene voxels_at(const axis_values&, const input_library&);

/// Their levels; kept for generated clouds, which are the same each time. Throws input_unfit where there is
/// nothing, and for windows that are `gathered` also where an instance has fewer rows at some level than
/// these.
grid_levels grid_levels_at(const axis_values&, const input_library&, bool gathered);

}  // namespace ablate::backbone
