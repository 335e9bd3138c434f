#include <cmath>

#include "harness/inputs/voxel_collector.h"
#include "harness/inputs/voxel_generators.h"

namespace ablate {

voxel_scene point_voxels(const std::vector<float>& xyz, double cell_m, std::int64_t voxels) {
  voxel_collector collector(voxels);
  std::int64_t skipped = 0;
  for (std::size_t i = 0; i < xyz.size(); i += 3) {
    std::int32_t cells[3];
    bool fits = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double place = std::floor(static_cast<double>(xyz[i + axis]) / cell_m);
      fits = fits && place >= lowest_coordinate && place <= highest_coordinate;  // no NaN fits
      if (fits) cells[axis] = static_cast<std::int32_t>(place);
    }
    if (fits)
      collector.add({0, cells[0], cells[1], cells[2]});
    else
      ++skipped;
  }
  return {collector.take(),
          {{"points", static_cast<double>(xyz.size() / 3)},
           {"skipped_points", static_cast<double>(skipped)},
           {"cell_m", cell_m}}};
}

}  // namespace ablate
