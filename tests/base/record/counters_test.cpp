#include "base/record/counters.h"

#include <algorithm>
#include <functional>

#include "base/record/record.h"
#include "base/record/record_file.h"
#include "base/text/bad_input.h"
#include "reports/views/metrics.h"
#include "tests/reports/counted_record.h"

namespace ablate::reports::counters_test {
namespace {

using nlohmann::ordered_json;

/// What reading the counted record says after a change to the last of its cases that has a timeline.
std::string refusal_after(const std::function<void(ordered_json& entry)>& change) {
  const auto path = counted_record(fresh_folder());
  ordered_json made = ordered_json::parse(text_of(path));
  change(made["benchmarks"][15]);
  std::ofstream(path, std::ios::binary) << made.dump();
  try {
    read_record(path);
    return "";
  } catch (const bad_input& error) {
    return std::string(error.what()).substr(path.string().size() + 2);
  }
}

TEST(Counters, AreReadWithTheirReasons) {
  const record r = read_record(counted_record(fresh_folder()));
  const counter_readings& counters = r.cases[15].counters;
  EXPECT_EQ(counters.set, "core");
  EXPECT_TRUE(counters.any());
  EXPECT_EQ(counters.value("dram__bytes_read.sum"), 16.0 * (8192 + 262144)) << "of both kernels";
  EXPECT_EQ(counters.value("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"), std::nullopt);
  EXPECT_EQ(counters.value("no_such_counter"), std::nullopt);
  ASSERT_EQ(counters.missing.size(), 1u);
  EXPECT_EQ(counters.missing[0].second, "made to be missing");
  ASSERT_EQ(counters.kernels.size(), 2u);
  EXPECT_EQ(find_counter(counters.kernels[0].values, "dram__bytes_read.sum"), 16.0 * 8192);
  EXPECT_EQ(counters.coherent, true);
  EXPECT_EQ(counters.output, "ok");
}

TEST(Counters, ThatWereNotCollectedSayWhy) {
  const record r = read_record(counted_record(fresh_folder()));
  EXPECT_FALSE(r.cases[4].counters.any());
  EXPECT_EQ(r.cases[4].counters.reason, "the profiler was busy");
}

TEST(Counters, OfARecordBeforeThemAreNone) {
  const record r = read_record(made_record_path());
  EXPECT_EQ(r.cases[2].counters.reason, "no counters were requested");
  EXPECT_FALSE(r.cases[2].timeline);
}

TEST(Counters, ATimelineIsRead) {
  const record r = read_record(counted_record(fresh_folder()));
  ASSERT_TRUE(r.cases[15].timeline);
  const activity_timeline& timeline = *r.cases[15].timeline;
  EXPECT_EQ(timeline.interval_ns, 1000);
  EXPECT_EQ(timeline.loops, 3);
  EXPECT_EQ(timeline.time_us.size(), 90u);
  EXPECT_EQ(timeline.metrics[1].first, "sm_issue_pct");
  EXPECT_EQ(timeline.metrics[1].second[40], std::nullopt);
  EXPECT_EQ(timeline.kernels.size(), 6u);
}

TEST(Counters, BrokenOnesAreRefusedWithTheirPlace) {
  EXPECT_EQ(refusal_after(
                [](ordered_json& entry) { entry["counters"]["values"]["dram__bytes_read.sum"] = "many"; }),
            "/benchmarks/15/counters/values/dram__bytes_read.sum: expected a number, found \"many\"");
  EXPECT_EQ(refusal_after([](ordered_json& entry) { entry["counters"]["output"] = "odd"; }),
            "/benchmarks/15/counters/output: expected one of ok, differs, found 'odd'");
  EXPECT_EQ(refusal_after([](ordered_json& entry) {
              entry["counters"]["kernels"][1] = {1, 2};
            }),
            "/benchmarks/15/counters/kernels/1: expected an object, found an array");
  EXPECT_EQ(refusal_after([](ordered_json& entry) {
              entry["counters"]["kernels"][1] = {{"values", ordered_json::object()}};
            }),
            "/benchmarks/15/counters/kernels/1: expected a key 'name', found none");
}

TEST(Counters, ATimelineOfUnequalLengthsIsRefused) {
  EXPECT_EQ(refusal_after([](ordered_json& entry) { entry["timeline"]["time_us"].push_back(91); }),
            "/benchmarks/15/timeline/metrics/sm_active_pct: expected 91 samples as in time_us, found 90");
}

/// The counted record's case 15 once more, of 70 launches: `clear` and `main` in turn.
std::filesystem::path record_of_many_launches() {
  const auto path = counted_record(fresh_folder());
  ordered_json made = parse_record_file(path);
  ordered_json& entry = made["benchmarks"][15];
  for (ordered_json* kernels : {&entry["kernels"], &entry["counters"]["kernels"]})
    for (int i = 0; i < 68; ++i) kernels->push_back((*kernels)[static_cast<std::size_t>(i % 2)]);
  write_record(path, made["context"], made["benchmarks"], made["unmeasured"]);
  return path;
}

TEST(Counters, OfManyLaunchesAreReadByName) {
  const auto path = record_of_many_launches();
  const ordered_json form = ordered_json::parse(text_of(path));
  const ordered_json& counted = form["benchmarks"][15]["counters"]["kernels"][0];
  EXPECT_EQ(counted["name"], "ablate::scatter::clear(int*, int)");
  EXPECT_EQ(counted["launches"], 35);
  const measured_case c = read_record(path).cases[15];
  EXPECT_EQ(c.kernels.size(), 70u);
  EXPECT_EQ(c.counters.kernels[0].name, "ablate::scatter::clear(int*, int)");
  ASSERT_EQ(c.counters.kernels.size(), 2u);
  EXPECT_EQ(c.counters.kernels[0].launches(), 35);
  EXPECT_EQ(find_counter(c.counters.kernels[0].values, "dram__bytes_read.sum"), 35 * 16.0 * 8192);
  const auto launches = c.counted_launches();
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[1].size(), 35u);
  EXPECT_EQ(launches[1].front(), &c.kernels[1]);
}

TEST(Counters, OfLaunchesThatAreNotThoseOfTheCaseCountNone) {
  measured_case c = read_record(record_of_many_launches()).cases[15];
  c.counters.kernels[1].by_name = 34;
  EXPECT_TRUE(c.counted_launches().empty());
  c = read_record(counted_record(fresh_folder())).cases[15];
  EXPECT_EQ(c.counted_launches().size(), 2u);
  c.kernels[1].name = "another";
  EXPECT_TRUE(c.counted_launches().empty());
}

TEST(Counters, ByNameMakeTheOccupancyThatLaunchesMake) {
  const auto occupancy = [](const record& r) {
    const auto metric = std::find_if(case_metrics().begin(), case_metrics().end(),
                                     [](const auto& m) { return m.name == "theoretical_occupancy_pct"; });
    return metric->of(r, r.cases[15]);
  };
  record by_launch = read_record(counted_record(fresh_folder()));
  record by_name = read_record(record_of_many_launches());
  ASSERT_TRUE(occupancy(by_launch));
  EXPECT_DOUBLE_EQ(*occupancy(by_launch), *occupancy(by_name));
  for (auto& [architecture, share] : by_name.cases[15].kernels[69].theoretical_occupancy) share = 0.5;
  EXPECT_FALSE(occupancy(by_name)) << "two occupancies under one name";
}

}  // namespace
}  // namespace ablate::reports::counters_test
