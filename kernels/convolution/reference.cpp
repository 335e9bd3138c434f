#include <algorithm>
#include <cmath>

#include "kernels/convolution/convolution.h"

namespace ablate::convolution {

double tolerance(const problem& p) {
  double sum = 0;
  for (const float weight : p.weights) sum += std::abs(static_cast<double>(weight));
  return 2 * p.filter * p.filter * 0x1p-24 * sum;
}

std::vector<float> exact(const problem& p) {
  const std::int64_t radius = p.filter / 2;
  std::vector<float> out(static_cast<std::size_t>(p.width * p.height));
  std::vector<double> row(static_cast<std::size_t>(p.width));
  for (std::int64_t y = 0; y < p.height; ++y) {
    std::fill(row.begin(), row.end(), 0.0);
    for (std::int64_t dy = 0; dy < p.filter; ++dy) {
      const std::int64_t in_row = y + dy - radius;
      if (in_row < 0 || in_row >= p.height) continue;
      for (std::int64_t dx = 0; dx < p.filter; ++dx) {
        const double weight = static_cast<double>(p.weights[static_cast<std::size_t>(dy * p.filter + dx)]);
        const std::int64_t shift = dx - radius;
        const std::int64_t first = std::max<std::int64_t>(0, -shift);
        const std::int64_t end = std::min(p.width, p.width - shift);
        const float* const from = p.in + in_row * p.width + shift;
        for (std::int64_t x = first; x < end; ++x)
          row[static_cast<std::size_t>(x)] += weight * static_cast<double>(from[x]);
      }
    }
    std::transform(row.begin(), row.end(), out.begin() + y * p.width,
                   [](double value) { return static_cast<float>(value); });
  }
  return out;
}

}  // namespace ablate::convolution
