#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace ablate {

/// 13.0 of CUDA's 13000.
inline std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Whether a device is a slice of a GPU (Multi-Instance GPU): CUDA calls it "NVIDIA H100 80GB HBM3 MIG
/// 1g.10gb".
inline bool is_mig_slice(std::string_view product) { return product.find(" MIG ") != std::string_view::npos; }

/// As nvidia-smi writes it: GPU-, or MIG- for a slice, and five groups of hexadecimal digits.
inline std::string uuid_text(const char (&bytes)[16], std::string_view product) {
  std::string text = is_mig_slice(product) ? "MIG-" : "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(bytes[i]));
    text += digits;
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

}  // namespace ablate
