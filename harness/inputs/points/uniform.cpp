#include "harness/inputs/points/generators.h"
#include "harness/inputs/random.h"

namespace ablate {

std::vector<float> uniform_points(std::int64_t points, const box& domain, std::uint64_t seed) {
  random_stream random(seed, "uniform");
  std::vector<float> xyz(static_cast<std::size_t>(points) * 3);
  for (std::size_t i = 0; i < xyz.size(); i += 3) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float origin = domain.origin[axis];
      const float size = domain.size[axis];
      // The sum may round up to the upper face, which is no longer inside: draw again.
      do xyz[i + axis] = static_cast<float>(origin + random.uniform() * size);
      while (xyz[i + axis] - origin >= size && size > 0);
    }
  }
  return xyz;
}

}  // namespace ablate
