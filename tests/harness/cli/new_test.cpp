#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text/bad_input.h"
#include "harness/cli/new_project.h"
#include "tests/support/run_program.h"
#include "tests/support/slurp.h"
#include "tests/support/temporary_directory.h"

namespace ablate::new_test {
namespace {

using test_support::program_result;
using test_support::run_ablate;
using ::testing::HasSubstr;
using ::testing::Not;

// That the project builds and runs is scripts/test_package.sh's to show.
TEST(New, WritesAProjectUnderItsName) {
  std::vector<project_file> files = new_project("row_softmax", "/a/prefix");
  EXPECT_EQ(files.size(), 5u);
  const auto gate = new_gate("row_softmax");
  files.insert(files.end(), gate.begin(), gate.end());
  for (const project_file& file : files) {
    EXPECT_THAT(file.text, Not(HasSubstr("__name__"))) << file.path;
    EXPECT_THAT(file.text, ::testing::EndsWith("\n")) << file.path;
    if (!file.path.starts_with("suites/") || !file.path.ends_with(".json")) continue;
    EXPECT_EQ(nlohmann::json::parse(file.text).at("name").get<std::string>().substr(0, 11), "row_softmax");
  }
}

TEST(New, WritesThePrefixIntoThePresetOfThisMachine) {
  const std::string odd = "/home/some \"one\"/ablate";
  for (const project_file& file : new_project("mine", odd)) {
    EXPECT_THAT(file.text, Not(HasSubstr("__prefix__"))) << file.path;
    if (file.path != "CMakeUserPresets.json") continue;
    const auto preset = nlohmann::json::parse(file.text);
    EXPECT_EQ(preset.at("configurePresets").at(0).at("cacheVariables").at("CMAKE_PREFIX_PATH"), odd);
  }
}

TEST(New, RefusesNamesThatCannotBeOnesOfNamespaceAndTarget) {
  for (const char* name : {"", "Softmax", "2d", "a-b", "a b", "../a", "a__b", "a_", "ablate", "ceilings",
                           "float", "class", "namespace", "template", "co_await", "not_eq", "std", "linux"})
    EXPECT_THROW(new_project(name, ""), bad_input) << name;
}

TEST(New, LeavesAFolderThatHoldsSomethingAlone) {
  const test_support::temporary_directory made;
  const std::filesystem::path folder = made.path() / "mine";
  const program_result first = run_ablate({"new", "mine", "--out", folder.string()});
  EXPECT_EQ(first.exit_code, 0) << first.error;
  EXPECT_FALSE(std::filesystem::exists(folder / ".github/workflows/gate.yml"));
  const program_result second = run_ablate({"new", "mine", "--out", folder.string()});
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.error, HasSubstr("expected no such folder, or an empty one"));
}

TEST(New, AddsAGateToAProjectOnce) {
  const test_support::temporary_directory made;
  const std::filesystem::path folder = made.path() / "mine";
  const auto gate = [&](const char* name) {
    return run_ablate({"new", name, "--gate", "--out", folder.string()});
  };
  ASSERT_EQ(run_ablate({"new", "mine", "--out", folder.string()}).exit_code, 0);
  EXPECT_THAT(gate("other").error,
              HasSubstr("expected a project with operations/other.cpp, or an empty folder"));
  const program_result added = gate("mine");
  EXPECT_EQ(added.exit_code, 0) << added.error;
  EXPECT_TRUE(std::filesystem::exists(folder / ".github/workflows/gate.yml"));
  const program_result again = gate("mine");
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.error, HasSubstr("suites/mine.json: expected no such file"));
}

}  // namespace
}  // namespace ablate::new_test
