#include "oracles/serialize/quality.h"

#include <algorithm>

#include "kernels/common/locality.h"
#include "kernels/serialize/index.h"

namespace ablate::serialize {
namespace {

/// The instance of a place: the same in every order, since keys begin with it.
std::ptrdiff_t instance_of(const problem& p, std::int64_t place) {
  return std::upper_bound(p.ends, p.ends + p.instances, place) - p.ends;
}

}  // namespace

std::optional<double> locality_rms_of(const problem& p) {
  if (!p.does(phase::sort)) return std::nullopt;
  slice_locality slices;
  for (int c = 0; c < p.curves; ++c)
    for (std::int64_t first = 0; first < p.points; first += slice_points) {
      const std::int64_t end = std::min(first + slice_points, p.points);
      if (instance_of(p, first) != instance_of(p, end - 1)) continue;
      slices.add(end - first, [&](std::int64_t i, std::size_t axis) {
        return p.grid[3 * index_at(p, p.order, c * p.points + first + i) + static_cast<std::int64_t>(axis)];
      });
    }
  return slices.mean_rms();
}

}  // namespace ablate::serialize
