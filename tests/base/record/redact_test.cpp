#include "base/record/redact.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/record/record.h"
#include "base/record/record_file.h"
#include "tests/reports/made_record.h"
#include "tests/support/paths.h"

namespace ablate::reports::redact_test {
namespace {

using nlohmann::ordered_json;

TEST(WithoutFolders, LeavesTheLastNameOfAPath) {
  EXPECT_EQ(without_folders("/home/ann/clouds/kitti_000008.bin: no such file"),
            "kitti_000008.bin: no such file");
  EXPECT_EQ(without_folders("ablate run '/a b/suites/x.json' --data=/data/ann --out ~/out/run1/"),
            "ablate run '/a b/suites/x.json' --data=ann --out run1/");
  EXPECT_EQ(without_folders("(/opt/cuda/lib64/libcupti.so.13)"), "(libcupti.so.13)");
}

TEST(WithoutFolders, LeavesWhatIsNoPathFromTheRoot) {
  for (const char* text :
       {"voxelize/global_atomic/points=131072/@cold-clean", "suites/voxelization.json", "B/s", "4 / 5",
        "a // b", "(n/2)/(m/3)", "", "/", "/tmp", "reads and/or writes", "../shared/data"})
    EXPECT_EQ(without_folders(text), text);
}

/// A record of a run on two GPUs of one host, whose name is a word of records, too.
ordered_json record_of_two() {
  ordered_json made = made_record();
  ordered_json& context = made["context"];
  context["host_name"] = "gpu";
  context["executable"] = "/home/ann/bin/ablate";
  ordered_json& facts = context["ablate"];
  facts["command"] =
      "/home/ann/bin/ablate run suites/made.json --data /home/ann/clouds --devices GPU-77aa,GPU-1b0c";
  facts["device"]["uuid"] = nullptr;
  facts["evidence"][1]["reason"] = "GPU-1b0c on gpu is busy";
  facts["parts"] = ordered_json::array();
  for (const char* specimen : {"GPU-77aa", "GPU-1b0c"})
    facts["parts"].push_back({{"specimen", specimen},
                              {"host_name", "gpu"},
                              {"date", "2026-01-02"},
                              {"worker", {{"neighbors", {{"specimens", {"GPU-77aa", "GPU-1b0c"}}}}}}});
  for (ordered_json& entry : made["benchmarks"])
    entry["specimen"] = entry["name"].get<std::string>().size() % 2 ? "GPU-77aa" : "GPU-1b0c";
  return made;
}

TEST(Redacted, NamesNoHostNoGpuAndNoFolder) {
  const std::string text = redacted(record_of_two()).dump();
  for (const char* told : {"77aa", "1b0c", "ann", "\"host_name\":\"gpu\""})
    EXPECT_EQ(text.find(told), std::string::npos) << told;
  EXPECT_NE(text.find("ablate run suites/made.json --data clouds --devices GPU-"), std::string::npos);
}

TEST(Redacted, KeepsEverythingElse) {
  const ordered_json before = record_of_two(), after = redacted(before);
  const auto& facts = after["context"]["ablate"];
  EXPECT_EQ(after["context"]["host_name"], "host-1");
  EXPECT_EQ(facts["device"]["kind"], "gpu") << "a word that is the host's name elsewhere";
  EXPECT_NE(facts["parts"][0]["specimen"], facts["parts"][1]["specimen"]);
  EXPECT_EQ(facts["parts"][0]["worker"]["neighbors"]["specimens"][0], facts["parts"][0]["specimen"]);
  ASSERT_EQ(after["benchmarks"].size(), before["benchmarks"].size());
  for (std::size_t i = 0; i < after["benchmarks"].size(); ++i) {
    ordered_json a = after["benchmarks"][i], b = before["benchmarks"][i];
    EXPECT_EQ(a["specimen"],
              b["specimen"] == "GPU-77aa" ? facts["parts"][0]["specimen"] : facts["parts"][1]["specimen"]);
    a.erase("specimen"), b.erase("specimen");
    EXPECT_EQ(a, b);
  }
  EXPECT_EQ(redacted(after), after) << "once more changes nothing";
}

TEST(Redacted, OfAHostKeepsItsWorkersApart) {
  ordered_json made = made_record();
  made["context"]["host_name"] = "build-07";
  made["benchmarks"][0]["specimen"] = "build-07#1";
  made["benchmarks"][1]["specimen"] = "build-07#2";
  made["benchmarks"][2]["specimen"] = "build-077";
  const ordered_json after = redacted(made);
  EXPECT_EQ(after["benchmarks"][0]["specimen"], "host-1#1");
  EXPECT_EQ(after["benchmarks"][1]["specimen"], "host-1#2");
  EXPECT_EQ(after["benchmarks"][2]["specimen"].get<std::string>().find("build"), std::string::npos);
}

TEST(Redacted, CommittedRecordsAreReadAsBefore) {
  const std::filesystem::path path = test_support::source_path("results/h200/quick/record.json");
  const ordered_json before = parse_record_as_written(path);
  const record read_before = read_record(path);
  const record after = read_record(written("record.json", redacted(before).dump()));
  ASSERT_EQ(after.cases.size(), read_before.cases.size());
  for (std::size_t i = 0; i < after.cases.size(); ++i) {
    EXPECT_EQ(after.cases[i].name, read_before.cases[i].name);
    EXPECT_EQ(after.cases[i].time.median_us, read_before.cases[i].time.median_us);
  }
}

}  // namespace
}  // namespace ablate::reports::redact_test
