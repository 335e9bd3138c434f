#include "oracles/convolution/reference.h"

#include <algorithm>
#include <cmath>

#include "oracles/common/rounding.h"

namespace ablate::convolution {

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

std::vector<float> accepted_errors(const problem& p) {
  const std::int64_t radius = p.filter / 2;
  const auto squared = [](float value) { return static_cast<double>(value) * static_cast<double>(value); };
  double weights = 0;
  for (const float weight : p.weights) weights += squared(weight);
  const double of_squares = (accepted_rounding(p.filter * p.filter) + fp32_rounding) * std::sqrt(weights);

  // Of each row of the image, the squares under the filter; a column of those is what is under it in all.
  std::vector<double> of_rows(static_cast<std::size_t>(p.width * p.height));
  for (std::int64_t y = 0; y < p.height; ++y)
    for (std::int64_t x = 0; x < p.width; ++x)
      for (std::int64_t i = std::max<std::int64_t>(0, x - radius); i <= std::min(p.width - 1, x + radius);
           ++i)
        of_rows[static_cast<std::size_t>(y * p.width + x)] += squared(p.in[y * p.width + i]);
  std::vector<float> accepted;
  accepted.reserve(of_rows.size());
  for (std::int64_t y = 0; y < p.height; ++y)
    for (std::int64_t x = 0; x < p.width; ++x) {
      double squares = 0;
      for (std::int64_t i = std::max<std::int64_t>(0, y - radius); i <= std::min(p.height - 1, y + radius);
           ++i)
        squares += of_rows[static_cast<std::size_t>(i * p.width + x)];
      accepted.push_back(static_cast<float>(of_squares * std::sqrt(squares)));
    }
  return accepted;
}

}  // namespace ablate::convolution
