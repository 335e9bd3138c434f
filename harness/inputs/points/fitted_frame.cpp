#include "harness/inputs/points/fitted_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/inputs/files/point_records.h"
#include "harness/inputs/input_errors.h"

namespace ablate {

void point_bounds::add(const std::array<double, 3>& point) {
  if (!std::all_of(point.begin(), point.end(), [](double c) { return std::isfinite(narrowed(c)); })) return;
  if (points_++ == 0) low_ = high_ = point;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    low_[axis] = std::min(low_[axis], point[axis]);
    high_[axis] = std::max(high_[axis], point[axis]);
  }
}

std::array<double, 3> point_bounds::middle() const {
  std::array<double, 3> middle;
  for (std::size_t axis = 0; axis < 3; ++axis) middle[axis] = low_[axis] / 2 + high_[axis] / 2;
  return middle;
}

bool point_bounds::is_far_from_zero() const {
  double edge = 0, gap = 0;
  for (std::size_t axis = 0; points_ > 0 && axis < 3; ++axis) {
    edge = std::max(edge, high_[axis] - low_[axis]);
    gap = std::max({gap, low_[axis], -high_[axis]});
  }
  return gap > edge / 2;
}

fitted_frame fit_frame(const std::string& file, const point_bounds& bounds) {
  constexpr double least = 0x1p-60, most = 0x1p60, slack = 1 + 0x1p-16;
  if (bounds.points() == 0)
    throw input_unfit(file, "", "expected a finite point to fit a frame to, the file has none");
  fitted_frame fitted{bounds.middle(), {}};
  double reach = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    reach = std::max(
        {reach, bounds.high()[axis] - fitted.middle[axis], fitted.middle[axis] - bounds.low()[axis]});
  if (reach == 0) reach = 0.5;
  if (!(reach >= least && reach <= most))
    throw input_unfit(file, "",
                      fmt::format("expected a box of {:g} to {:g} to fit a frame to, found one of {:g}",
                                  2 * least, 2 * most, 2 * reach));
  const float half = narrowed(reach * slack);
  fitted.cube = {{-half, -half, -half}, {2 * half, 2 * half, 2 * half}};
  return fitted;
}

}  // namespace ablate
