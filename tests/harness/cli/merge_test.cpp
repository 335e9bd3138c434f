#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>

#include "base/record/record.h"
#include "base/record/record_file.h"
#include "base/record/writer.h"
#include "tests/harness/runner/kill_and_resume.h"
#include "tests/support/run_program.h"

namespace ablate::merge_test {
namespace {

using nlohmann::ordered_json;
using test_support::program_result;
using test_support::run_ablate;
using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

constexpr int shards = 4;

/// Four shards of a small suite, and the whole of it, run on the host once for all tests.
struct run_shards {
  run_shards() {
    const fs::path suite = files.write("small.json", test_support::small_suite());
    const auto run = [&](const std::string& out, std::vector<std::string> more) {
      more.insert(more.begin(),
                  {"run", suite.string(), "--device", "host", "--out", (files.path() / out).string()});
      const program_result result = run_ablate(more);
      EXPECT_EQ(result.exit_code, 0) << result.error;
    };
    run("whole", {});
    for (int i = 1; i <= shards; ++i) {
      const std::string place = std::to_string(i) + "/" + std::to_string(shards);
      run("shard" + std::to_string(i), {"--shard", place});
      records.push_back(files.path() / ("shard" + std::to_string(i)) / "record.json");
    }
  }
  test_support::temporary_directory files;
  std::vector<fs::path> records;
};

class Merge : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { made_ = std::make_unique<run_shards>(); }
  static void TearDownTestSuite() { made_.reset(); }

  static const std::vector<fs::path>& records() { return made_->records; }
  fs::path at(const std::string& name) const { return files_.path() / name; }

  program_result merge(const std::vector<fs::path>& of, const fs::path& out,
                       const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"dev", "record", "--out", out.string()};
    words.insert(words.end(), more.begin(), more.end());
    for (const fs::path& record : of) words.push_back(record.string());
    return run_ablate(words);
  }

  std::string merged(const std::vector<fs::path>& of, const std::vector<std::string>& more = {}) const {
    const program_result result = merge(of, at("out.json"), more);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return test_support::slurp(at("out.json"));
  }

  /// The shards, the second of them changed.
  std::vector<fs::path> with_second(const std::function<void(ordered_json&)>& change) const {
    ordered_json record = reports::parse_record_as_written(records()[1]);
    change(record);
    std::ofstream(at("changed.json")) << record.dump();
    return {records()[0], at("changed.json"), records()[2], records()[3]};
  }

  static std::unique_ptr<run_shards> made_;
  test_support::temporary_directory files_;
};

std::unique_ptr<run_shards> Merge::made_;

TEST_F(Merge, IsTheSameToTheByteInEveryOrder) {
  std::vector<fs::path> order = records();
  std::sort(order.begin(), order.end());
  const std::string first = merged(order);
  int orders = 0;
  do {
    ++orders;
    EXPECT_EQ(merged(order), first);
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(orders, 24);
}

TEST_F(Merge, KeepsTheLaunchesOfAllShardsInEveryOrder) {
  const auto launch = [](const std::string& name, std::size_t blocks) {
    return ordered_json{{"name", name},
                        {"grid", {blocks, 1, 1}},
                        {"block", {128, 1, 1}},
                        {"dynamic_shared_bytes", 0},
                        {"theoretical_occupancy", ordered_json::object()}};
  };
  std::vector<fs::path> launching;
  std::map<std::string, ordered_json> launches_of;
  for (std::size_t i = 0; i < records().size(); ++i) {
    ordered_json record = reports::parse_record_as_written(records()[i]);
    for (ordered_json& entry : record["benchmarks"]) {
      const auto name = entry["name"].get<std::string>();
      // One kernel that all shards launch, and one that is its shard's own and comes first there.
      entry["kernels"] = {launch("of shard " + std::to_string(9 - i), name.size()), launch("of all", 1),
                          launch("of all", 1)};
      if (entry.contains("ceiling")) entry["kernels"] = ordered_json::array({launch("of all", 1)});
      launches_of[name] = entry["kernels"];
    }
    launching.push_back(at("launching" + std::to_string(i) + ".json"));
    write_formed_record(launching.back(), record);
  }
  const std::string first = merged(launching);
  std::reverse(launching.begin(), launching.end());
  EXPECT_EQ(merged(launching), first);
  const ordered_json whole = reports::parse_record_as_written(at("out.json"));
  for (const ordered_json& entry : whole["benchmarks"])
    EXPECT_EQ(entry["kernels"].dump(), launches_of.at(entry["name"].get<std::string>()).dump());
}

/// What an entry, or a context, had and the merged record has no longer.
std::vector<std::string> lost(const ordered_json& from, const ordered_json& merged) {
  std::vector<std::string> out;
  const ordered_json were = from.flatten(), are = merged.flatten();
  for (const auto& [pointer, value] : were.items())
    if (are.value(pointer, ordered_json()).dump() != value.dump()) out.push_back(pointer);
  return out;
}

TEST_F(Merge, LosesNothingOfAnyEntry) {
  merged(records());
  std::map<std::string, ordered_json> entries;
  ordered_json whole = reports::parse_record_as_written(at("out.json"));
  for (const char* list : {"benchmarks", "unmeasured"})
    for (const ordered_json& entry : whole[list]) entries[entry["name"].get<std::string>()] = entry;
  std::size_t seen = 0;
  for (const fs::path& path : records()) {
    const ordered_json record = reports::parse_record_as_written(path);
    for (const char* list : {"benchmarks", "unmeasured"})
      for (const ordered_json& entry : record[list]) {
        EXPECT_THAT(lost(entry, entries.at(entry["name"].get<std::string>())), ::testing::IsEmpty());
        ++seen;
      }
    for (const char* key : {"suite", "seed", "settings", "build", "operations", "counters", "kernels"})
      EXPECT_THAT(lost(record["context"]["ablate"][key], whole["context"]["ablate"][key]),
                  ::testing::IsEmpty())
          << key;
  }
  EXPECT_EQ(seen, entries.size());
  ordered_json& less = whole["benchmarks"][0];
  const ordered_json before = less;
  less["check"].erase("max_error");
  EXPECT_THAT(lost(before, less), ::testing::ElementsAre("/check/max_error"));
}

TEST_F(Merge, OfAMergedRecordOrOfOneTwiceChangesNothing) {
  const std::string first = merged(records());
  fs::copy_file(at("out.json"), at("merged.json"));
  EXPECT_EQ(merged({at("merged.json")}), first) << "by itself";
  EXPECT_EQ(merged({at("merged.json"), records()[2], at("merged.json")}), first) << "with one of its own";
  EXPECT_EQ(merged({records()[0], records()[1], records()[2], records()[3], records()[1]}), first) << "twice";
}

TEST_F(Merge, MayBeNested) {
  const std::string first = merged(records());
  const auto pair = [&](std::size_t a, std::size_t b, const char* name) {
    ASSERT_EQ(merge({records()[a], records()[b]}, at(name), {"--partial"}).exit_code, 0);
  };
  pair(0, 1, "first.json"), pair(2, 3, "second.json"), pair(3, 0, "across.json");
  EXPECT_EQ(merged({at("first.json"), at("second.json")}), first);
  EXPECT_EQ(merged({at("second.json"), at("first.json")}), first);
  EXPECT_EQ(merged({at("across.json"), records()[1], records()[2]}), first);
  EXPECT_EQ(merged({records()[2], at("across.json"), at("first.json")}), first) << "one shard in two of them";
}

/// Without what no two runs have alike.
void drop_times(ordered_json& record) {
  record["context"] = record["context"]["ablate"]["operations"];
  for (ordered_json& entry : record["benchmarks"])
    for (const char* key : {"time_us", "real_time", "cpu_time", "iterations", "elapsed_s", "phases_s"})
      entry.erase(key);
}

TEST_F(Merge, IsTheRecordOfTheWholeRunButForTimes) {
  merged(records());
  ordered_json whole =
                   ordered_json::parse(test_support::slurp(made_->files.path() / "whole" / "record.json")),
               of_shards = ordered_json::parse(test_support::slurp(at("out.json")));
  EXPECT_EQ(of_shards["context"]["ablate"]["parts"].size(), static_cast<std::size_t>(shards));
  EXPECT_FALSE(of_shards["context"]["ablate"]["shard"].contains("cases")) << "only parts need them";
  drop_times(whole), drop_times(of_shards);
  EXPECT_EQ(of_shards, whole);
}

TEST_F(Merge, EntersTheCasesOfMissingShardsAsInterrupted) {
  const std::vector<fs::path> three = {records()[3], records()[0], records()[1]};
  ASSERT_EQ(merge(three, at("out.json"), {"--partial"}).exit_code, 0);
  const record some = read_record(at("out.json")), third = read_record(records()[2]);
  ASSERT_EQ(some.unmeasured.size(), third.cases.size());
  EXPECT_EQ(some.unmeasured[0].name, third.cases[0].name);
  EXPECT_EQ(some.unmeasured[0].axes, third.cases[0].axes);
  EXPECT_EQ(some.unmeasured[0].status, "interrupted");
  EXPECT_EQ(some.unmeasured[0].reason, "in shard 3 of 4, whose record is not here");
}

/// An entry that may be anybody's.
ordered_json& any(ordered_json& record) { return record["benchmarks"][0]; }

TEST_F(Merge, RefusesWhatDoesNotBelongTogether) {
  struct broken {
    std::function<void(ordered_json&)> change;
    std::string saying;
  };
  const auto context = [](const char* key, const char* inner, ordered_json value) {
    return [=](ordered_json& r) { r["context"]["ablate"][key][inner] = value; };
  };
  const auto stolen = reports::parse_record_as_written(records()[0])["benchmarks"][0];
  const std::vector<broken> all = {
      {[](ordered_json& r) { r["context"]["ablate"]["record_schema"] = "3.0.0"; },
       "/context/ablate/record_schema: expected version 1.x.y or 2.x.y"},
      {[](ordered_json& r) { r["context"]["ablate"].erase("shard"); },
       "/context/ablate/record_schema: expected 1.12.0 or later"},
      {context("build", "source_hash", std::string(64, 'a')), "/context/ablate/build/source_hash: expected "},
      {context("build", "compiler", "g++ 1"), "/context/ablate/build/compiler: expected "},
      {context("suite", "hash", "0000000000000000"), "/context/ablate/suite/hash: expected "},
      {[](ordered_json& r) { r["context"]["ablate"]["seed"] = 7; },
       "/context/ablate/seed: expected 1 as in "},
      {context("shard", "plan", "0000000000000000"), "/context/ablate/shard/plan: expected "},
      {context("shard", "count", 5), "/context/ablate/shard/count: expected 4 as in "},
      {context("settings", "filter", "x"), "/context/ablate/settings/filter: expected "},
      {context("device", "name", "another"), "/context/ablate/device/name: expected "},
      {context("device", "driver", "1.0"), "/context/ablate/device/driver: expected "},
      {[&](ordered_json& r) {
         ordered_json other = stolen;
         other["time_us"]["mad"] = 123.5;
         r["benchmarks"].push_back(other);
       },
       "expected the case as it is at /benchmarks/0 of "},
      {[&](ordered_json& r) {
         ordered_json other = stolen;
         other["real_time"] = 123.5;
         r["benchmarks"].push_back(other);
       },
       "/real_time: expected "},
      {[](ordered_json& r) { any(r)["time_us"]["mood"] = "sour"; },
       "/benchmarks/0/time_us/mood: expected no key that this version does not know, found sour, which a merge "
       "would lose"},
      {[](ordered_json& r) {
         r["unmeasured"].push_back(any(r));
         r["benchmarks"].erase(0);
       },
       "/unmeasured/0/status: expected one of wrong, "},
      {[](ordered_json& r) {
         for (const char* key : {"time_us", "work", "check"}) any(r).erase(key);
       },
       "/benchmarks/0: expected a key 'work'"},
      {[&](ordered_json& r) {
         ordered_json other = stolen;
         for (const char* key : {"name", "run_name"})
           other[key] = "voxelize/other/" + other[key].get<std::string>().substr(19);
         other["variant"] = "other";
         other["input"]["hash"] = "0000000000000000";
         r["benchmarks"].push_back(other);
       },
       "/input/hash: expected "},
      {[&](ordered_json& r) {
         ordered_json other = stolen;
         for (const char* key : {"name", "run_name"})
           other[key] = "voxelize/other/" + other[key].get<std::string>().substr(19);
         other["variant"] = "other";
         other["specimen"] = "GPU-other";
         r["benchmarks"].push_back(other);
       },
       "/specimen: expected "},
      {[](ordered_json& r) { any(r)["check"]["before"] = "not_checked"; }, "/benchmarks/0/check: expected"},
      {[](ordered_json& r) { any(r)["time_us"]["median"] = -1; }, "/benchmarks/0/time_us/median: expected"},
      {[](ordered_json& r) { r["context"]["ablate"]["shard"]["index"] = 9; },
       "/context/ablate/shard/index: "},
      {[](ordered_json& r) { r["context"]["ablate"]["shard"]["index"] = "2"; },
       "/context/ablate/shard/index: "},
  };
  ASSERT_GE(all.size(), 14u);
  for (const broken& one : all) {
    const program_result result = merge(with_second(one.change), at("out.json"));
    EXPECT_EQ(result.exit_code, 2) << one.saying << ": " << result.error;
    EXPECT_THAT(result.error, HasSubstr(one.saying));
    EXPECT_THAT(result.error, StartsWith("ablate: " + files_.path().string())) << "the file is named";
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  }
  EXPECT_FALSE(fs::exists(at("out.json"))) << "nothing is written";
}

TEST_F(Merge, RefusesAMissingShard) {
  const program_result result = merge({records()[0], records()[3]}, at("out.json"));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error,
              HasSubstr("/context/ablate/shard: expected all of 4 shards, missing 2, 3 (--partial "
                        "enters their cases as interrupted)"));
}

TEST_F(Merge, LetsDiffersWhatIsAllowed) {
  const auto other_driver =
      with_second([](ordered_json& r) { r["context"]["ablate"]["device"]["driver"] = "1.0"; });
  EXPECT_EQ(merge(other_driver, at("out.json"), {"--allow", "device"}).exit_code, 0);
  EXPECT_THAT(merge(other_driver, at("out.json"), {"--allow", "driver"}).error,
              HasSubstr("no kind of difference 'driver'"));
}

TEST_F(Merge, ALoneShardSaysWhatItIs) {
  const ordered_json record = ordered_json::parse(test_support::slurp(records()[1]));
  const ordered_json& shard = record["context"]["ablate"]["shard"];
  EXPECT_EQ(shard["index"], 2);
  EXPECT_EQ(shard["count"], 4);
  EXPECT_EQ(shard["cases"].size(), 6u);
  for (const ordered_json& entry : record["benchmarks"]) {
    EXPECT_EQ(shard["cases"][entry["name"].get<std::string>()], 2);
    EXPECT_GT(entry["elapsed_s"].get<double>(), 0);
    EXPECT_EQ(entry["specimen"], record["context"]["ablate"]["specimen"]);
  }
}

}  // namespace
}  // namespace ablate::merge_test
