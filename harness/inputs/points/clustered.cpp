#include "harness/inputs/points/generators.h"
#include "harness/inputs/random.h"

namespace ablate {
namespace {

constexpr std::uint32_t clusters = 32;
constexpr double sigma = 0.02;  // relative to the side
// random_stream::normal ends at six sigma, so a center this far from the faces keeps its whole cluster
// inside.
constexpr double margin = 6 * sigma;

}  // namespace

std::vector<float> clustered_points(std::int64_t points, const box& domain, std::uint64_t seed) {
  std::array<std::array<double, 3>, clusters> centers;
  random_stream places(seed, "clustered centers");
  for (auto& center : centers)
    for (double& coordinate : center) coordinate = places.uniform(margin, 1 - margin);

  random_stream random(seed, "clustered points");
  std::vector<float> xyz(static_cast<std::size_t>(points) * 3);
  for (std::size_t i = 0; i < xyz.size(); i += 3) {
    const auto& center = centers[random.below(clusters)];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double inside = center[axis] + sigma * random.normal();
      xyz[i + axis] = static_cast<float>(domain.origin[axis] + domain.size[axis] * inside);
    }
  }
  return xyz;
}

}  // namespace ablate
