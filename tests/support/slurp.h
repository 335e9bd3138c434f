#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace ablate::test_support {

/// Every byte of a file; empty where it cannot be read.
inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace ablate::test_support
