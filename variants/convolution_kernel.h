#pragma once

#include <array>
#include <charconv>
#include <string>

namespace ablate {

/// Kernel size of a sparse convolution along x, y and z: 7 is 7 × 7 × 7; 9x5x3 gives each axis.
inline std::array<int, 3> convolution_kernel(const std::string& word) {
  std::array<int, 3> kernel{};
  const char *at = word.data(), *const end = at + word.size();
  for (int& size : kernel) {
    size = kernel[0];
    at = std::from_chars(at, end, size).ptr;
    if (at != end) ++at;
  }
  return kernel;
}

}  // namespace ablate
