#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ablate::backbone {

/// From −1 to 1, by name and place.
inline std::vector<float> drawn(std::int64_t count, const std::string& name) {
  std::vector<float> numbers;
  std::uint32_t state = 7;
  for (const char c : name) state = state * 31 + static_cast<unsigned char>(c);
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    numbers.push_back(static_cast<float>(state >> 8) * 0x1p-23f - 1);
  }
  return numbers;
}

}  // namespace ablate::backbone
