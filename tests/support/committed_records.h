#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "tests/support/paths.h"

namespace ablate::test_support {

/// Every record that the tree holds. Suites of tests that read them are named Committed…; they do not run
/// under the sanitizers.
inline std::vector<std::filesystem::path> committed_records() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test_support::source_path("results")))
    if (entry.path().filename() == "record.json.xz") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

/// scripts/nightly.sh asks for every record also where CI takes a few.
inline bool wants_all_records() {
  const char* all = std::getenv("ABLATE_ALL_RECORDS");
  return all && *all;
}

/// Every fifth record: for tests of what is made of records, which are not tests of the records.
inline std::vector<std::filesystem::path> some_committed_records() {
  const std::vector<std::filesystem::path> all = committed_records();
  if (wants_all_records()) return all;
  std::vector<std::filesystem::path> out;
  for (std::size_t i = 0; i < all.size(); i += 5) out.push_back(all[i]);
  return out;
}

}  // namespace ablate::test_support
