#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/harness/wrapped/built_files.h"
#include "tests/support/run_program.h"

namespace ablate::plugin_test {
namespace {

using nlohmann::ordered_json;
using test_support::program_result;
using test_support::run_ablate;
using testing::HasSubstr;

const std::string plugin = wrapped_test::built_file("plugin.so");

TEST(Plugin, BringsOperations) {
  const program_result listed = run_ablate({"wrap", plugin, "list", "plugin_copy", "--json"});
  ASSERT_EQ(listed.exit_code, 0) << listed.error;
  const auto json = ordered_json::parse(listed.out);
  EXPECT_EQ(json.at("variants").size(), 4u);
  EXPECT_EQ(json.at("variants").at(0).at("switches").at("complete"), "on");
  EXPECT_EQ(json.at("axes").at(0).at("default"), "1000");
}

TEST(Plugin, ComputesItsReference) {
  const test_support::temporary_directory files;
  const auto suite = files.write("suite.json", R"({"name": "s", "description": "d", "cases": [
      {"operation": "plugin_copy", "axes": {"elements": [1000, 5000]}}, {"operation": "plugin_failure"}]})");
  const program_result run = run_ablate(
      {"wrap", plugin, "run", suite.string(), "--device", "host", "--out", "out"}, {}, files.path());
  EXPECT_EQ(run.exit_code, 75) << run.error;
  const auto record = ordered_json::parse(test_support::slurp(files.path() / "out" / "record.json"));
  EXPECT_EQ(record.at("benchmarks").size(), 2u);
  for (const auto& entry : record.at("benchmarks")) EXPECT_EQ(entry.at("check").at("max_error"), 0);
  const auto& failed = record.at("unmeasured").at(0);
  EXPECT_EQ(failed.at("status"), "failed");
  EXPECT_EQ(failed.at("reason"),
            "the reference of plugin_failure returned 3: no copy of 1000 elements today");
  EXPECT_EQ(record.at("context").at("ablate").at("operations").at("plugin_copy").at("from").at("file"),
            plugin);
}

TEST(Plugin, IsRefusedInOneLineWhereItIsNone) {
  const auto refused = [](const std::string& path, const std::string& saying) {
    const program_result result = run_ablate({"wrap", path, "list"});
    EXPECT_EQ(result.exit_code, 2) << result.error;
    EXPECT_THAT(result.error, HasSubstr(saying));
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  };
  refused(wrapped_test::built_file("no_plugin.so"), "expected a plugin: a function ablate_plugin_v2");
  const test_support::temporary_directory files;
  refused(files.write("torn.so", test_support::slurp(plugin).substr(0, 100)).string(), "it cannot be opened");
}

// As if the header had had a field less or more.
TEST(Plugin, IsRefusedInOneLineWhereItsStructsHaveOtherSizes) {
  const auto refused = [](const std::string& name, const std::string& saying) {
    const program_result result = run_ablate({"wrap", wrapped_test::built_file(name), "list"});
    EXPECT_EQ(result.exit_code, 2) << result.error;
    EXPECT_THAT(result.error, HasSubstr(saying));
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  };
  refused("older_plugin.so", "its ablate_plugin claims 16 bytes, but has had at least 24");
  refused("older_operation.so", "its ablate_operation claims 32 bytes, but has had at least 40");
  refused(
      "newer_plugin.so",
      "was compiled with a newer <ablate/plugin.h>: its ablate_plugin has 32 bytes, this program knows 24");
  refused("newer_operation.so", "its ablate_operation has 48 bytes, this program knows 40");
}

TEST(Plugin, OfVersion1RunsAsItDid) {
  const test_support::temporary_directory files;
  const auto suite = files.write("suite.json", R"({"name": "s", "description": "d", "cases": [
      {"operation": "first_of_version_1"}, {"operation": "second_of_version_1"}]})");
  const program_result run = run_ablate({"wrap", wrapped_test::built_file("plugin_of_version_1.so"), "run",
                                         suite.string(), "--device", "host", "--out", "out"},
                                        {}, files.path());
  EXPECT_EQ(run.exit_code, 0) << run.error;
  const auto record = ordered_json::parse(test_support::slurp(files.path() / "out" / "record.json"));
  EXPECT_EQ(record.at("benchmarks").size(), 2u);
}

}  // namespace
}  // namespace ablate::plugin_test
