#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text/shell.h"
#include "harness/cli/registered_space.h"
#include "harness/registry/registry.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::attribute_command_test {
namespace {

using test_support::program_result;
using test_support::run_ablate;
using ::testing::AllOf;
using ::testing::HasSubstr;
using json = nlohmann::ordered_json;

const std::string voxelization = test_support::source_path("results/h200/voxelization");
const std::string siblings = test_support::source_path("results/h200/shared_memory_siblings");

TEST(AttributeCommand, SharesTheSpeedUpBetweenTwoPointsOfACommittedRecord) {
  const program_result result = run_ablate(
      {"attribute", voxelization, "--from", "voxelize/baseline", "--to", "voxelize/packed_pair_match"});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("voxelize: `global_atomic` to `packed_pair_match`"), HasSubstr("all together"),
                    HasSubstr("merge"), HasSubstr("the Shapley value")));
}

TEST(AttributeCommand, WritesTextTableAndJson) {
  const test_support::temporary_directory files;
  const std::string out = (files.path() / "out").string();
  const program_result result = run_ablate(
      {"attribute", siblings, "--operation", "matmul", "--to", "smem_register_block", "--out", out});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(test_support::slurp(out + "/attribution.md"),
              AllOf(HasSubstr("## matmul"), HasSubstr("| outputs |")));
  EXPECT_THAT(test_support::slurp(out + "/attribution.csv"), HasSubstr("interaction,"));
  const json written = json::parse(test_support::slurp(out + "/attribution.json"));
  EXPECT_EQ(written["operation"], "matmul");
  for (const json& w : written["workloads"]) {
    EXPECT_EQ(w["evidence"], "exact");
    double product = 1;
    for (const json& share : w["shares"]) product *= share["share"]["factor"].get<double>();
    EXPECT_NEAR(product, w["whole"]["factor"].get<double>(), 1e-9 * product);
  }
  const program_result printed =
      run_ablate({"attribute", siblings, "--operation", "matmul", "--to", "smem_register_block", "--json"});
  EXPECT_EQ(json::parse(printed.out), written);
}

// What it says to run is what a run of it would measure: the very points, on that workload.
TEST(AttributeCommand, ThePastedCommandPlansTheMissingPoints) {
  const program_result result =
      run_ablate({"attribute", voxelization, "--to", "warp_match+pdl", "--axes", "points=131072",
                  "distribution=lidar", "order=natural", "cache=cold-clean", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json found = json::parse(result.out);
  ASSERT_FALSE(found["to_run"].empty()) << result.out;
  for (const json& needed : found["to_run"]) {
    ASSERT_FALSE(needed["commands"].empty()) << needed;
    EXPECT_LE(needed["missing"], 4 * (found["workloads"][0]["shares"].size() + 1));
    for (const json& command : needed["commands"]) {
      std::vector<std::string> words = reports::first_command(command.get<std::string>());
      ASSERT_EQ(words[0] + " " + words[1], "ablate run");
      words.erase(words.begin());
      words[0] = "plan";
      for (const char* of_runs_alone : {"--out", "--counters"})
        if (const auto at = std::find(words.begin(), words.end(), of_runs_alone); at != words.end())
          words.erase(at, at + 2);
      words.push_back("--json");
      const program_result plan = run_ablate(words, {}, test_support::source_path("."));
      ASSERT_EQ(plan.exit_code, 0) << command << "\n" << plan.error;
      for (const json& point : needed["points"])
        EXPECT_THAT(plan.out, HasSubstr("voxelize/" + point.get<std::string>() + "/")) << command;
    }
  }
}

TEST(AttributeCommand, RefusesWithTheReason) {
  const auto refused = [](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), "attribute");
    const program_result result = run_ablate(words);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_THAT(result.error, HasSubstr(why));
  };
  refused({voxelization, "--to", "packed_pair_matsh"}, "did you mean 'packed_pair_match'?");
  refused({voxelization, "--to", "global_atomic"}, "differ in no switch");
  refused({voxelization, "--operation", "voxelise"}, "did you mean 'voxelize'?");
  refused({siblings, "--from", "matmul/naive", "--to", "reduction/atomics"}, "expected two points of one");
  refused({voxelization, "--axes", "pointz=1"}, "did you mean 'points'?");
  refused({voxelization, siblings}, "expected a launch of the suite and build");
  refused({voxelization, "--to", "packed_pair_match", "--switch", "mergge"}, "did you mean 'merge'?");
}

TEST(RegisteredSpace, KnowsWhichPointsAreThere) {
  const operation* of = find_operation("voxelize");
  ASSERT_NE(of, nullptr);
  const registered_space space(*of, 90);
  const reports::comparable_cases workload{"cold-clean", "events", {}, {}};
  EXPECT_EQ(space.point_at({{"smem", "off"}}, workload).spelling, "global_atomic");
  EXPECT_EQ(space.point_at({}, workload).spelling, "global_atomic") << "what is not stated is off";
  EXPECT_THAT(space.point_at({{"smem", "on"}}, workload).why_not, HasSubstr("no launch function accepts"));
  EXPECT_FALSE(space.has_meaning("entries", {{"smem", "on"}, {"stage", "points"}}));
  EXPECT_TRUE(space.has_meaning("entries", {{"smem", "on"}, {"stage", "voxels"}}));
  EXPECT_TRUE(space.has_meaning("pdl", {}));
  EXPECT_THAT(space.should_move("merge"), HasSubstr("L2 reductions"));
  for (const variant_facts& v : of->variants) {
    named_words values;
    for (const switch_entry& entry : v.switches) values.emplace_back(entry.first, entry.second);
    const auto found = space.point_at(values, workload);
    EXPECT_TRUE(found.spelling == v.name || !found.why_not.empty()) << v.name << " is " << found.spelling;
  }
}

}  // namespace
}  // namespace ablate::attribute_command_test
