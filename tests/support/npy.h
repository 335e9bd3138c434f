#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ablate::test_support {

/// Points [points][3] as NumPy writes them: float32 or float64, after T.
template <class T>
std::string npy_of(const std::vector<T>& xyz) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  std::string dictionary = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}, 3), }}",
                                       sizeof(T), xyz.size() / 3);
  dictionary += std::string(63 - (10 + dictionary.size()) % 64, ' ') + "\n";
  std::string text = "\x93NUMPY";
  text += '\x01';
  text += '\0';
  text += static_cast<char>(dictionary.size() & 0xff);
  text += static_cast<char>(dictionary.size() >> 8);
  return text + dictionary + std::string(reinterpret_cast<const char*>(xyz.data()), xyz.size() * sizeof(T));
}

}  // namespace ablate::test_support
