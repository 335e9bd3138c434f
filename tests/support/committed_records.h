#pragma once

#include <filesystem>
#include <vector>
#include "tests/support/paths.h"

namespace ablate::test_support {

/// Every record that the tree holds. Suites of tests that read them are named Committed…: one process runs
/// them all, and not under the sanitizers.
inline std::vector<std::filesystem::path> committed_records() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test_support::source_path("results")))
    if (entry.path().filename() == "record.json.xz") out.push_back(entry.path());
  return out;
}

}  // namespace ablate::test_support
