#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "harness/suite/suite.h"

namespace ablate {
namespace {

std::vector<std::filesystem::path> committed_suites() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(ABLATE_SOURCE_DIR) / "suites"))
    if (entry.path().extension() == ".json" && entry.path().filename() != "schema.json")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

input_library without_data(const suite& s) { return {s.seed, s.point_files, {}}; }

TEST(CommittedSuites, EveryOneReadsAndIsNamedAsItsFile) {
  ASSERT_GE(committed_suites().size(), 2u);
  for (const auto& path : committed_suites()) EXPECT_EQ(read_suite(path).name, path.stem().string());
}

TEST(CommittedSuites, EveryOneHasWorkForAGpuAndForTheHost) {
  for (const auto& path : committed_suites()) {
    const suite s = read_suite(path);
    for (const bool host : {false, true}) {
      const std::vector<suite_case> cases = expand(s, {host, 90}, without_data(s));
      EXPECT_LE(cases.size(), 400u) << path;
      for (const suite_case& c : cases)
        EXPECT_FALSE(c.not_applicable)
            << c.id << ": a committed suite asks for what cannot be: " << *c.not_applicable;
    }
  }
}

TEST(CommittedSuites, EveryCaseHasTheCoreCountersAndFewHaveAll) {
  for (const auto& path : committed_suites()) {
    int full = 0;
    const suite s = read_suite(path);
    for (const suite_case& c : expand(s, {false, 90}, without_data(s))) {
      EXPECT_NE(c.counters, "none") << c.id;
      full += c.counters == "full";
    }
    EXPECT_LE(full, 40) << path;
  }
}

}  // namespace
}  // namespace ablate
