#include "reports/counters.h"

#include <functional>

#include "reports/bad_input.h"
#include "reports/compact_counters.h"
#include "reports/record.h"
#include "tests/reports/counted_record.h"

namespace ablate::reports::counters_test {
namespace {

using nlohmann::ordered_json;

/// What reading the counted record says after a change to the last of its cases that has a timeline.
std::string refusal_after(const std::function<void(ordered_json&)>& change) {
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
            "/benchmarks/15/counters/values/dram__bytes_read.sum: expected a number, found string");
  EXPECT_EQ(refusal_after([](ordered_json& entry) { entry["counters"]["output"] = "odd"; }),
            "/benchmarks/15/counters/output: expected one of ok, differs, found 'odd'");
  EXPECT_EQ(refusal_after([](ordered_json& entry) { entry["counters"]["kernels"][1].erase(0); }),
            "/benchmarks/15/counters/kernels/1: expected an object, found array");
  EXPECT_EQ(refusal_after([](ordered_json& entry) {
              expand_counters(entry);
              entry["counters"]["kernels"][1].erase("name");
            }),
            "/benchmarks/15/counters/kernels/1: expected a key 'name', found none");
}

TEST(Counters, ATimelineOfUnequalLengthsIsRefused) {
  EXPECT_EQ(refusal_after([](ordered_json& entry) { entry["timeline"]["time_us"].push_back(91); }),
            "/benchmarks/15/timeline/metrics/sm_active_pct: expected 91 samples as in time_us, found 90");
}

}  // namespace
}  // namespace ablate::reports::counters_test
