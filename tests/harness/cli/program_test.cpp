#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/registry/registry.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::program_test {
namespace {

using test_support::program_result;
using test_support::run_ablate;
using test_support::temporary_directory;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string suites = test_support::source_path("suites/");

void expect_refused(const std::vector<std::string>& arguments, const std::string& saying) {
  const program_result result = run_ablate(arguments);
  EXPECT_EQ(result.exit_code, 2) << result.error;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.error, StartsWith("ablate: "));
  EXPECT_THAT(result.error, HasSubstr(saying));
  EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
}

TEST(Program, VersionNamesWhatItWasBuiltFrom) {
  const program_result result = run_ablate({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, StartsWith("ablate "));
  for (const char* fact : {"commit", "sources", "compiler", "CUDA compiler", "machine code", "build type"})
    EXPECT_THAT(result.out, HasSubstr(fact));
}

TEST(Program, WritesInputsOnceAndAsTheyAre) {
  const temporary_directory folder;
  const auto suite = folder.path() / "suite.json";
  std::ofstream(suite, std::ios::binary)
      << R"({"name": "s", "description": "d", "cases": [{"operation": "matmul", "axes": {"size": [16, 32]}}]})";
  const auto out = folder.path() / "out";
  const program_result result = run_ablate({"dev", "inputs", suite.string(), "--out", out.string()});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto read = [](const std::filesystem::path& file) {
    std::ifstream from(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(from), {});
  };
  const auto list = nlohmann::json::parse(read(out / "inputs.json"));
  EXPECT_EQ(list.at("suite"), "s");
  ASSERT_EQ(list.at("inputs").size(), 2u) << "one for all variants";
  const auto& first = list.at("inputs")[0];
  EXPECT_EQ(first.at("operation"), "matmul");
  EXPECT_EQ(first.at("axes").at("size"), "16");
  const operation& matmul = *find_operation("matmul");
  axis_values at;
  for (const axis& a : matmul.axes) at.set(a.name, a.default_value);
  at.set("size", "16");
  const workload work = matmul.prepare(at, input_library(1, {}, {}));
  EXPECT_EQ(first.at("input").at("hash").get<std::string>(), work.input.at("hash").get<std::string>());
  ASSERT_EQ(first.at("buffers").size(), 2u);
  const std::string file = read(out / first.at("buffers").begin().value().get<std::string>());
  ASSERT_GT(file.size(), 64u);
  EXPECT_EQ(file.substr(1, 5), "NUMPY");
  const std::size_t header =
      10 + static_cast<unsigned char>(file[8]) + 256u * static_cast<unsigned char>(file[9]);
  EXPECT_EQ(header % 64, 0u);
  EXPECT_EQ(file[header - 1], '\n');
  EXPECT_THAT(file.substr(0, header), HasSubstr("'descr': '|u1'"));
  EXPECT_EQ(file.substr(header),
            std::string(reinterpret_cast<const char*>(work.contents[0].data()), work.contents[0].size()));
  expect_refused({"dev", "inputs", suite.string()}, "--out is required");
}

TEST(Program, WritesTheOutputsOfTheHostsReference) {
  const temporary_directory folder;
  const auto suite = folder.path() / "suite.json";
  std::ofstream(suite, std::ios::binary) << R"({"name": "s", "description": "d", "cases": [
      {"operation": "block", "axes": {"rows": 256, "channels": 32, "window": 256, "bucket": 128}}]})";
  const auto out = folder.path() / "out";
  const program_result result =
      run_ablate({"dev", "inputs", suite.string(), "--outputs", "out,facts", "--out", out.string()});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  std::ifstream list(out / "inputs.json", std::ios::binary);
  const auto entry = nlohmann::json::parse(list).at("inputs").at(0);
  ASSERT_EQ(entry.at("outputs").size(), 2u);
  EXPECT_FALSE(entry.at("buffers").contains("out"));
  constexpr std::size_t header = 128, bytes = 2 * 256 * 32;
  std::ifstream from(out / entry.at("outputs").at("out").get<std::string>(), std::ios::binary);
  const std::string file(std::istreambuf_iterator<char>(from), {});
  ASSERT_EQ(file.size(), header + bytes);
  EXPECT_NE(file.substr(header), std::string(bytes, '\0')) << "computed, since the block is small";
  expect_refused({"dev", "inputs", suite.string(), "--outputs", "oot", "--out", out.string()},
                 "--outputs: expected outputs of block (index, out, x_gradient, gradients, found, attended, "
                 "differentiated, facts), found 'oot'");
}

TEST(Program, UsageErrorsAreOneLineAndExitTwo) {
  expect_refused({}, "subcommand");
  expect_refused({"lsit"}, "no command 'lsit' (did you mean 'list'?)");
  expect_refused({"plan"}, "suite is required");
  expect_refused({"plan", "--chips", "h100", suites + "quick.json"}, "--chips");
  expect_refused({"plan", suites + "quick.json", "--chip", "h20"}, "no chip 'h20' (did you mean 'h200'?)");
  expect_refused({"plan", suites + "quick.json", "--filter", "("}, "not a regular expression");
  expect_refused({"plan", suites + "quick.json", "--data", "/no/such/place"},
                 "'/no/such/place' is not a directory");
  expect_refused({"plan", "/no/such/suite.json"}, "/no/such/suite.json: expected a readable file");
  expect_refused({"run", suites + "quick.json", "--device", "gpu"}, "'gpu' is not a device");
  expect_refused({"run", suites + "quick.json", "--seed", "-1"}, "'-1' is not a seed");
  expect_refused({"report", "/no/such/record.json", "--out", "/tmp"}, "/no/such/record.json");
  expect_refused({"report", "record.json"}, "--out is required");
  expect_refused({"doctor", "--require", "gpu,cupty"}, "no item 'cupty' (did you mean 'cupti'?)");
}

TEST(Program, ABrokenSuiteIsOneLineThatNamesThePlace) {
  const temporary_directory files;
  const auto path =
      files.write("s.json", R"({"name": "s", "description": "d", "cases": [{"operation": "voxelise"}]})");
  expect_refused({"plan", path.string()},
                 path.string() + ": /cases/0/operation: no operation 'voxelise' (did you mean 'voxelize'?)");
}

TEST(Program, ListShowsOperationsAndChipsAndAllOfThemWithAll) {
  const program_result result = run_ablate({"list"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* word : {"voxelize", "psh_bucket", "h200", "ablate list OPERATION"})
    EXPECT_THAT(result.out, HasSubstr(word));
  EXPECT_THAT(result.out, Not(HasSubstr("smem_hashed")));
  const program_result all = run_ablate({"list", "--all"});
  for (const char* word : {"voxelize", "global_atomic", "smem_hashed", "distribution", "h200", "baseline"})
    EXPECT_THAT(all.out, HasSubstr(word));
}

TEST(Program, ListOfOneOperationShowsTheSpaceOfItsSwitches) {
  const program_result result = run_ablate({"list", "voxelize"}, {"COLUMNS=100"});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  for (const char* word : {"AXIS", "distribution", "SWITCH", "on (sm_90", "smem_hashed", "entries=2048"})
    EXPECT_THAT(result.out, HasSubstr(word));
  EXPECT_THAT(result.out, Not(HasSubstr("REGISTERS")));
}

TEST(Program, ListWithMeaningsShowsKernelsToo) {
  const program_result result = run_ablate({"list", "voxelize", "--meanings"}, {"COLUMNS=100"});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  for (const char* word : {"AXIS", "distribution", "SWITCHES", "smem_hashed", "KERNEL", "REGISTERS"})
    EXPECT_THAT(result.out, HasSubstr(word));
  EXPECT_THAT(result.out, Not(HasSubstr("psh_bucket")));
  const auto json = nlohmann::ordered_json::parse(run_ablate({"list", "voxelize", "--json"}).out);
  EXPECT_EQ(json["name"], "voxelize");
  EXPECT_FALSE(json["variants"].empty());
  EXPECT_TRUE(json["kernels"].is_object());
}

TEST(Program, ListAsJsonDescribesWhatEachVariantLaunches) {
  const program_result result = run_ablate({"list", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto json = nlohmann::ordered_json::parse(result.out);
  EXPECT_EQ(json["chips"].size(), 3u);
  EXPECT_EQ(json["kernels_from"], ABLATE_HAS_CUDA
                                      ? nlohmann::ordered_json()
                                      : nlohmann::ordered_json("suites/gates/static_baseline.json"));
  for (const auto& operation : json["operations"])
    for (const auto& variant : operation["variants"]) {
      if (variant["kernels"].is_null()) {  // a library's
        EXPECT_FALSE(ABLATE_HAS_CUDA);
        EXPECT_EQ(variant["why_no_kernels"], "suites/gates/static_baseline.json names no launch of it");
        continue;
      }
      ASSERT_TRUE(variant["kernels"].is_array()) << variant.dump();
      ASSERT_FALSE(variant["kernels"].empty()) << variant.dump();
      for (const auto& kernel : variant["kernels"]) {
        if (kernel.contains("library")) continue;  // its kernels are known where there is a GPU
        // A PTX-only build holds no machine code, so it has no facts; whatever has facts is known by its
        // name.
        if (!json["kernels"].empty()) {
          EXPECT_TRUE(json["kernels"].contains(kernel["name"].get<std::string>())) << kernel.dump();
        }
        // A geometry made for one chip may request more shared memory than another has: it cannot run there.
        constexpr int least_shared_of_a_chip = 163 * 1024;
        const bool runs_everywhere = kernel["dynamic_shared_bytes"] <= least_shared_of_a_chip;
        for (const auto& [architecture, share] : kernel["theoretical_occupancy"].items())
          EXPECT_TRUE((share > 0 || !runs_everywhere) && share >= 0 && share <= 1) << kernel.dump();
      }
    }
}

TEST(Program, PlansTheCommittedSuitesWithinTheirLimits) {
  for (const char* name : {"quick", "voxelization"})
    for (const char* chip : {"a100", "h100", "h200"}) {
      const program_result result =
          run_ablate({"plan", suites + name + ".json", "--chip", chip, "--json"}, {"ABLATE_DATA="});
      ASSERT_EQ(result.exit_code, 0) << result.error;
      const auto json = nlohmann::ordered_json::parse(result.out);
      EXPECT_GT(json["to_measure"], 20);
      // The calibrations come on top.
      const std::size_t own = std::string(name) == "voxelization" ? 760 : 400;
      EXPECT_LE(json["cases"], own + find_operation("ceilings")->calibrations.size());
      EXPECT_GT(json["input_missing"], 0) << "no data directory was given";
      EXPECT_TRUE(json["largest"]["fits"]);
      EXPECT_LT(json["estimated_seconds"], std::string(name) == "quick" ? 60 : 300);
    }
}

TEST(Program, PlanPrintsCountsForPeople) {
  const program_result result =
      run_ablate({"plan", suites + "quick.json", "--filter", "lidar"}, {"ABLATE_DATA="});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, HasSubstr("cases on h200"));
  EXPECT_THAT(result.out, HasSubstr("estimated time"));
}

TEST(Program, DoctorPassesUnlessSomethingIsRequired) {
  const program_result result = run_ablate({"doctor", "--json"}, {"ABLATE_DATA="});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  const auto json = nlohmann::ordered_json::parse(result.out);
  EXPECT_GE(json["findings"].size(), 12u);
  const program_result required = run_ablate({"doctor", "--require", "data"}, {"ABLATE_DATA="});
  EXPECT_EQ(required.exit_code, 1);
  EXPECT_THAT(required.error, StartsWith("ablate: required but not OK: data: "));
  EXPECT_EQ(run_ablate({"doctor", "--require", "data", "--data", "/"}).exit_code, 0);
}

TEST(Program, RunsTheReferencesOfASuiteOnTheHost) {
  const temporary_directory files;
  const auto suite = files.write(
      "small.json", R"({"name": "small", "description": "d", "sampling": {"maximum_seconds": 0.05},
    "cases": [{"operation": "voxelize", "axes": {"points": [1000, 2000], "grid": 16}},
              {"operation": "voxelize", "axes": {"points": 2000, "grid": 16}, "sampled": true}]})");
  const program_result result =
      run_ablate({"run", suite.string(), "--device", "host", "--seed", "7"}, {"ABLATE_DATA="}, files.path());
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto record =
      nlohmann::ordered_json::parse(test_support::slurp(files.path() / "out/small/record.json"));
  EXPECT_EQ(record["benchmarks"].size(), 2u);
  EXPECT_EQ(record["benchmarks"][0]["variant"], "reference");
  EXPECT_TRUE(record["benchmarks"][0]["quality"].is_null()) << "voxelize has none";
  EXPECT_FALSE(record["benchmarks"][0].contains("picture"));
  EXPECT_FALSE(record["benchmarks"][0].contains("sampled"));
  EXPECT_TRUE(record["benchmarks"][1]["sampled"].is_null());
  EXPECT_EQ(record["benchmarks"][1]["sampled_reason"], "host references ran, not kernels");
  EXPECT_EQ(record["context"]["ablate"]["seed"], 7);
  EXPECT_THAT(record["context"]["ablate"]["command"].get<std::string>(), StartsWith("ablate run "));
  EXPECT_THAT(result.error, HasSubstr("host"));
  EXPECT_THAT(result.out, HasSubstr("points 1000"));
  EXPECT_THAT(result.out, HasSubstr("out/small/record.json\n"));
}

TEST(Program, SetValuesAreRunPlannedAndRecorded) {
  const temporary_directory files;
  const auto suite = files.write(
      "small.json", R"({"name": "small", "description": "d", "sampling": {"maximum_seconds": 0.05},
    "cases": [{"operation": "voxelize", "axes": {"points": [1000, 2000], "grid": 16}}]})");
  const std::vector<std::string> set = {"--axes", "points=500", "order=morton,natural"};
  const auto with_set = [&](std::vector<std::string> words) {
    words.insert(words.end(), set.begin(), set.end());
    return run_ablate(words, {"ABLATE_DATA="}, files.path());
  };
  const program_result result = with_set({"run", suite.string(), "--device", "host", "--resume"});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.error, HasSubstr("Nothing to resume in out/small: starting with the first case."));
  const auto record =
      nlohmann::ordered_json::parse(test_support::slurp(files.path() / "out/small/record.json"));
  ASSERT_EQ(record["benchmarks"].size(), 2u);
  EXPECT_EQ(record["benchmarks"][0]["axes"]["points"], "500");
  EXPECT_EQ(record["context"]["ablate"]["suite"]["overrides"].dump(),
            R"({"points":["500"],"order":["morton","natural"]})");
  const auto plan = nlohmann::ordered_json::parse(with_set({"plan", suite.string(), "--json"}).out);
  EXPECT_EQ(plan["suite"]["hash"], record["context"]["ablate"]["suite"]["hash"]);
  EXPECT_EQ(plan["list"].back()["axes"]["points"], "500");

  // What a plain run of the suite would measure again is not taken from this one.
  const program_result plain =
      run_ablate({"run", suite.string(), "--device", "host", "--resume"}, {"ABLATE_DATA="}, files.path());
  EXPECT_EQ(plain.exit_code, 0) << plain.error;
  EXPECT_THAT(plain.error, Not(HasSubstr("Resuming")));
  const program_result explained =
      run_ablate({"explain", (files.path() / "out/small").string(), "points=1000"});
  EXPECT_EQ(explained.exit_code, 0) << explained.error;
}

}  // namespace
}  // namespace ablate::program_test
