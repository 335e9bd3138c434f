#include "kernels/serialize/quality.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/serialize/index.h"

namespace ablate::serialize {
namespace {

/// Of the points at places `first` to `end` of order c.
double rms_distance_to_center(const problem& p, int c, std::int64_t first, std::int64_t end) {
  std::array<double, 3> sum{}, squares{};
  for (std::int64_t i = first; i < end; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double cell =
          p.grid[3 * index_at(p, p.order, c * p.points + i) + static_cast<std::int64_t>(axis)];
      sum[axis] += cell;
      squares[axis] += cell * cell;
    }
  const auto n = static_cast<double>(end - first);
  double variance = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    variance += squares[axis] / n - (sum[axis] / n) * (sum[axis] / n);
  return std::sqrt(std::max(0.0, variance));
}

/// The instance of a place, which is the same in every order: keys begin with it.
std::ptrdiff_t instance_of(const problem& p, std::int64_t place) {
  return std::upper_bound(p.ends, p.ends + p.instances, place) - p.ends;
}

}  // namespace

std::optional<double> locality_rms_of(const problem& p) {
  if (!p.does(phase::sort)) return std::nullopt;
  double distances = 0;
  std::int64_t slices = 0;
  for (int c = 0; c < p.curves; ++c)
    for (std::int64_t first = 0; first < p.points; first += slice_points) {
      const std::int64_t end = std::min(first + slice_points, p.points);
      if (instance_of(p, first) != instance_of(p, end - 1)) continue;
      distances += rms_distance_to_center(p, c, first, end);
      ++slices;
    }
  if (slices == 0) return std::nullopt;
  return distances / static_cast<double>(slices);
}

}  // namespace ablate::serialize
