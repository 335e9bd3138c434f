#include "harness/inputs/points/turned_copies.h"

#include <cstddef>

namespace ablate {

std::vector<float> turned_copies(const std::vector<float>& xyz, int copies,
                                 const std::array<double, 2>& middle) {
  std::vector<float> all = xyz;
  all.reserve(xyz.size() * static_cast<std::size_t>(copies));
  double cosine = 1, sine = 0;
  for (int copy = 1; copy < copies; ++copy) {
    const double turned = 0.8 * cosine - 0.6 * sine;
    sine = 0.8 * sine + 0.6 * cosine;
    cosine = turned;
    for (std::size_t i = 0; i < xyz.size(); i += 3) {
      const double x = xyz[i] - middle[0], y = xyz[i + 1] - middle[1];
      all.push_back(static_cast<float>(middle[0] + (cosine * x - sine * y)));
      all.push_back(static_cast<float>(middle[1] + (sine * x + cosine * y)));
      all.push_back(xyz[i + 2]);
    }
  }
  return all;
}

}  // namespace ablate
