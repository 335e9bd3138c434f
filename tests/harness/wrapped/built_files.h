#pragma once

#include <filesystem>
#include <string>
#include "tests/support/paths.h"

namespace ablate::wrapped_test {

/// A file that the build makes for tests: plugins, and in a build with CUDA wrapped/add.fatbin and others.
inline std::string built_file(const std::string& name) {
  return (std::filesystem::path(test_support::program_path()).parent_path() / "tests" / name).string();
}

}  // namespace ablate::wrapped_test
