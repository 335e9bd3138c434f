#pragma once

#include <string>
#include <vector>

#include "harness/registry/registry.h"
#include "tests/support/npy.h"
#include "tests/support/temporary_directory.h"

namespace ablate::test_support {

/// Point files that go with their object.
class point_files {
 public:
  /// A library that has these points [points][3] as a file of this name.
  input_library library_of(const std::string& name, const std::vector<float>& xyz) {
    // NumPy's format takes any number; raw records of denormal or huge ones are refused.
    const auto path = files_.write(name + std::to_string(written_++) + ".npy", npy_of(xyz));
    return input_library(1, {{name, {path.string(), 3}}}, {});
  }

 private:
  temporary_directory files_;
  int written_ = 0;
};

}  // namespace ablate::test_support
