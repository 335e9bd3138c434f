#include "reports/page/collection_data.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/process/child_process.h"
#include "base/process/find_program.h"
#include "reports/page/html.h"
#include "reports/plots/render.h"
#include "tests/reports/made_record.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_directory.h"

// Every record of a folder on one page.

namespace ablate::reports::collection_test {
namespace {

using nlohmann::ordered_json;

/// The one record, as of another chip and with its times multiplied.
void put(const std::filesystem::path& folder, const std::string& device, double factor,
         const std::string& file = "record.json") {
  ordered_json made = made_record();
  made["context"]["ablate"]["device"]["name"] = device;
  if (file != "record.json") made["context"]["date"] = "2026-03-03T00:00:00+00:00";
  for (ordered_json& entry : made["benchmarks"])
    for (const char* name : {"median", "min", "ci95_low", "ci95_high"})
      entry["time_us"][name] = entry["time_us"][name].get<double>() * factor;
  std::filesystem::create_directories(folder);
  std::ofstream(folder / file) << made.dump();
}

ordered_json data_of(const std::filesystem::path& folder) {
  return collection_data(records_below(folder), nullptr);
}

const ordered_json& workload_of(const ordered_json& data, std::size_t record) {
  for (const ordered_json& workload : data["operations"][0]["workloads"])
    if (workload["record"] == record && workload["axes"]["items"] == "1024" &&
        workload["axes"]["layout"] == "rows" && workload["cache"] == "cold-clean")
      return workload;
  throw std::runtime_error("no such workload");
}

TEST(Collection, HasEachRecordWithItsChipAndLaunches) {
  const auto folder = fresh_folder();
  put(folder / "h100" / "small", "NVIDIA H100 80GB HBM3", 2);
  put(folder / "h200" / "small", "NVIDIA H200", 1);
  put(folder / "h200" / "small", "NVIDIA H200", 1.21, "record-02.json");
  const ordered_json data = data_of(folder);
  ASSERT_EQ(data["records"].size(), 2u);
  EXPECT_EQ(data["records"][0]["name"], "h100/small");
  EXPECT_EQ(data["records"][0]["chip"], "H100 80GB HBM3");
  EXPECT_EQ(data["records"][0]["launches"], 1);
  EXPECT_EQ(data["records"][1]["launches"], 2);
  const double slow = workload_of(data, 0)["times"][0][1], mean = workload_of(data, 1)["times"][0][1];
  EXPECT_NEAR(slow / mean, 2 / 1.1, 1e-3) << "of two launches the mean of the logarithms";
}

TEST(Collection, NamesVariantsByNumberAndMarksTies) {
  const auto folder = fresh_folder();
  put(folder / "a", "NVIDIA H200", 1);
  const ordered_json data = data_of(folder);
  const ordered_json& operation = data["operations"][0];
  const record read = read_record(folder / "a" / "record.json");
  std::size_t cases = 0;
  for (const ordered_json& workload : operation["workloads"])
    for (const ordered_json& time : workload["times"]) {
      ++cases;
      EXPECT_LT(time[0].get<std::size_t>(), operation["variants"].size());
      EXPECT_LE(time[2].get<double>(), time[1].get<double>());
      EXPECT_GE(time[3].get<double>(), time[1].get<double>());
    }
  EXPECT_EQ(cases, static_cast<std::size_t>(std::count_if(read.cases.begin(), read.cases.end(),
                                                          [](const auto& c) { return !c.ceiling; })));
}

TEST(Collection, WhatIsNoRecordIsLeftOutWithALine) {
  const auto folder = fresh_folder();
  put(folder / "good", "NVIDIA H200", 1);
  std::filesystem::create_directories(folder / "bad");
  std::ofstream(folder / "bad" / "record.json") << "{";
  const ordered_json data = data_of(folder);
  EXPECT_EQ(data["records"].size(), 1u);
  ASSERT_EQ(data["left_out"].size(), 1u);
  EXPECT_THAT(data["left_out"][0].get<std::string>(), ::testing::HasSubstr("bad"));
  EXPECT_TRUE(records_below(fresh_folder()).empty());
}

TEST(CollectionInABrowser, RanksWhatTheCommittedRecordsHoldWithinItsLimit) {
  if (!find_browser()) ABLATE_LACKS("browser", "chromium is not installed (apt-get install chromium)");
  if (!std::filesystem::exists(renderer_directory() / "node_modules" / "playwright-core"))
    ABLATE_LACKS("node", "playwright-core is not installed (npm ci --prefix reports)");
  const auto out = fresh_folder();
  ordered_json data = data_of(test_support::source_path("results"));
  data["root"] = "results";
  EXPECT_TRUE(data["left_out"].empty());
  const auto page = out / "index.html";
  EXPECT_EQ(write_collection_page("All records", data, page), std::nullopt);
  EXPECT_LT(std::filesystem::file_size(page), 1500000u);
  const process::result result =
      process::run({"node", test_support::source_path("tests/reports/page/collection_browser.mjs"),
                    renderer_directory().string(), find_browser()->string(), page.string()});
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

}  // namespace
}  // namespace ablate::reports::collection_test
