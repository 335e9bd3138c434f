#include <cmath>

#include "harness/inputs/files/point_records.h"
#include "harness/inputs/voxels/collector.h"
#include "harness/inputs/voxels/generators.h"

namespace ablate {

namespace {

bool is_in_range(double low, double high, double cell_m) {
  return std::floor(low / cell_m) >= lowest_coordinate && std::floor(high / cell_m) <= highest_coordinate;
}

/// The offset to subtract if the coordinates exceed a key's range but the cloud's extent would fit.
std::array<double, 3> offset_of(const point_bounds& bounds, double cell_m) {
  const std::array<double, 3> middle = bounds.middle();
  bool fits_as_it_is = true, fits_around_its_middle = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double low = bounds.low()[axis], high = bounds.high()[axis];
    fits_as_it_is = fits_as_it_is && is_in_range(low, high, cell_m);
    fits_around_its_middle =
        fits_around_its_middle && is_in_range(low - middle[axis], high - middle[axis], cell_m);
  }
  return fits_around_its_middle && !fits_as_it_is ? middle : std::array<double, 3>{};
}

}  // namespace

voxel_scene point_voxels(const point_source& all_points, const point_bounds& bounds, double cell_m,
                         std::int64_t voxels) {
  const std::array<double, 3> offset = offset_of(bounds, cell_m);
  voxel_collector collector(voxels);
  std::int64_t points = 0, skipped = 0, zero_returns = 0;
  all_points([&](const std::array<double, 3>& point) {
    std::int32_t cells[3];
    bool fits = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double place = std::floor(static_cast<double>(narrowed(point[axis] - offset[axis])) / cell_m);
      fits = fits && place >= lowest_coordinate && place <= highest_coordinate;  // NaN never fits
      if (fits) cells[axis] = static_cast<std::int32_t>(place);
    }
    ++points;
    zero_returns += is_zero_return(point);
    if (fits)
      collector.add({0, cells[0], cells[1], cells[2]});
    else
      ++skipped;
  });
  voxel_scene scene{collector.take(),
                    {{"points", static_cast<double>(points)},
                     {"skipped_points", static_cast<double>(skipped)},
                     {"cell_m", cell_m}}};
  if (zero_returns > 0) scene.facts.emplace_back("zero_returns", static_cast<double>(zero_returns));
  if (offset != std::array<double, 3>{})
    for (std::size_t axis = 0; axis < 3; ++axis)
      scene.facts.emplace_back(std::array{"offset_x", "offset_y", "offset_z"}[axis], offset[axis]);
  return scene;
}

}  // namespace ablate
