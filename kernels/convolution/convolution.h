#pragma once

#include <array>
#include <cstdint>

namespace ablate::convolution {

constexpr int largest_filter = 15;
constexpr std::int64_t max_size = 8192;

/// A dense two-dimensional filter over an fp32 image (docs/operations/convolution.md), with
/// r = (filter − 1) / 2:
///   out[y][x] = Σ weights[dy][dx] · in[y + dy − r][x + dx − r], 0 ≤ dy, dx < filter,
/// where the image is 0 outside. The filter is not separable, and nobody takes advantage of its weights.
struct problem {
  std::int64_t width = 0, height = 0;  ///< 1 … max_size
  int filter = 0;                      ///< 3, 5 or 15
  /// [filter][filter], in [−1, 1). On the host: kernels take them by value, from the constant bank.
  std::array<float, largest_filter * largest_filter> weights{};
  const float* in = nullptr;  ///< [height][width], in [−1, 1)
  float* out = nullptr;       ///< [height][width]
};

}  // namespace ablate::convolution
