#include "oracles/voxel_mean/reference.h"

#include <cstring>

#include "oracles/voxel_mean/checks.h"

namespace ablate::voxel_mean {

void reference(const problem& p) {
  const exact_sums exact(p);
  const auto features = static_cast<std::size_t>(p.features);
  if (p.clears_grid) {
    std::memset(p.mean, 0, sizeof(float) * features * exact.place.size());
    std::memset(p.count, 0, sizeof(std::int32_t) * exact.place.size());
  }
  for (std::size_t cell = 0; cell < exact.place.size(); ++cell) {
    if (exact.place[cell] < 0) continue;
    const auto at = static_cast<std::size_t>(exact.place[cell]);
    p.count[cell] = exact.count[at];
    for (std::size_t f = 0; f < features; ++f)
      p.mean[cell * features + f] = static_cast<float>(exact.sum[at * features + f] / exact.count[at]);
  }
}

}  // namespace ablate::voxel_mean
