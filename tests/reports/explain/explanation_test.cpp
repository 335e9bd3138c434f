#include "reports/explain/explanation.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "reports/explain/outputs.h"
#include "tests/reports/explain/explained_record.h"
#include "tests/reports/metered_record.h"
#include "tests/support/paths.h"

namespace ablate::explain::explanation_test {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string merged = "scatter/merged/items=131072/layout=rows/@cold-clean";

const counter_meanings meanings = {{"smsp__inst_executed.sum", {"Warp instructions", "instruction"}}};

explanation explained(const record& r, const std::string& name) { return explain_case(r, name, meanings); }

TEST(Explanation, GivesExactlyThisText) {
  record r = explained_record(reports::fresh_folder());
  r.path = "record.json";
  const std::string out = explanation_text(explained(r, merged), true);
  EXPECT_EQ(out, reports::text_of(reports::made_data() / "explained_case.txt"));
}

TEST(Explanation, HoldsDeclaredWorkAgainstCounters) {
  const record r = explained_record(reports::fresh_folder());
  const explanation e = explained(r, merged);
  ASSERT_EQ(e.amounts.size(), 3u);
  EXPECT_EQ(e.amounts[0].name, "bytes");
  EXPECT_DOUBLE_EQ(*e.amounts[0].waste_factor(), 18.0 * (8192 + 131072) / (16.0 * 131072)) << "both kernels";
  // Tensor and FP32 alike, a multiply-add being two; no integer operations.
  EXPECT_DOUBLE_EQ(*e.amounts[1].measured, 2e6);
  EXPECT_DOUBLE_EQ(*e.amounts[1].waste_factor(), 2);
  EXPECT_EQ(e.amounts[2].name, "atomics");
  EXPECT_DOUBLE_EQ(*e.amounts[2].waste_factor(), 1.25);
}

TEST(Explanation, RanksAmongTheVariantsAtTheSameAxes) {
  const record r = explained_record(reports::fresh_folder());
  const explanation first = explained(r, merged);
  const explanation last = explained(r, "scatter/sorted/items=131072/layout=rows/@cold-clean");
  EXPECT_EQ(first.stands->rank, 1u);
  EXPECT_EQ(first.stands->of, 3u);
  EXPECT_EQ(first.stands->of_fastest.ratio, 1);
  EXPECT_EQ(last.stands->rank, 3u);
  EXPECT_EQ(last.stands->fastest, "merged");
  EXPECT_DOUBLE_EQ(last.stands->of_fastest.ratio,
                   first.measured->time.median_us / last.measured->time.median_us);
  const explanation base = explained(r, "scatter/direct/items=131072/layout=rows/@cold-clean");
  EXPECT_FALSE(base.stands->over_baseline);
  EXPECT_DOUBLE_EQ(first.stands->over_baseline->ratio,
                   base.measured->time.median_us / first.measured->time.median_us);
  EXPECT_DOUBLE_EQ(first.stands->over_baseline->low,
                   base.measured->time.ci95_low_us / first.measured->time.ci95_high_us);
  EXPECT_FALSE(explained(r, r.cases[0].name).stands) << "a calibration has no rank";
}

TEST(Explanation, NeighborsDifferInOneSwitch) {
  const record r = explained_record(reports::fresh_folder());
  const explanation e = explained(r, merged);
  ASSERT_EQ(e.neighbors.size(), 2u);
  EXPECT_EQ(e.neighbors[0].variant, "direct");
  EXPECT_EQ(e.neighbors[0].switch_name, "merge");
  EXPECT_EQ(e.neighbors[0].here, "on");
  EXPECT_EQ(e.neighbors[0].there, "off");
  EXPECT_EQ(e.neighbors[1].variant, "sorted");
  EXPECT_FALSE(e.neighbors[1].here) << "a switch that one of them does not state";
  EXPECT_EQ(e.neighbors[1].there, "on");
  EXPECT_LT(e.neighbors[1].speed.ratio, 1);
  EXPECT_LT(e.neighbors[1].speed.low, e.neighbors[1].speed.ratio);
  // direct and sorted differ in two.
  EXPECT_EQ(explained(r, "scatter/direct/items=131072/layout=rows/@cold-clean").neighbors.size(), 1u);
}

TEST(Explanation, KernelsShareTheCyclesOfTheCase) {
  record r = explained_record(reports::fresh_folder());
  const auto at =
      std::find_if(r.cases.begin(), r.cases.end(), [](const auto& c) { return c.name == merged; });
  const explanation e = explained(r, merged);
  ASSERT_EQ(e.kernels.size(), 2u);
  EXPECT_DOUBLE_EQ(*e.kernels[0].share + *e.kernels[1].share, 1);
  EXPECT_LT(*e.kernels[0].share, *e.kernels[1].share);
  EXPECT_FALSE(e.kernels[0].compiled) << "the record has no facts of it";
  EXPECT_EQ(e.kernels[1].compiled->registers, 40) << "those of sm_90a";
  EXPECT_DOUBLE_EQ(*e.kernels[1].theoretical_occupancy, 0.75);
  at->counters.kernels[1].name = "another";
  EXPECT_FALSE(explained(r, merged).kernels[0].share);
}

TEST(Explanation, SaysWhatIsNotThere) {
  record r = explained_record(reports::fresh_folder());
  measured_case& c = r.cases[4];
  c.floors.reset();
  c.memory.reset();
  const explanation e = explained(r, c.name);
  EXPECT_THAT(explanation_text(e, true), HasSubstr("the profiler was busy"));
  const ordered_json json = explanation_json(e);
  EXPECT_TRUE(json["floors"].is_null());
  EXPECT_TRUE(json["memory"].is_null());
  EXPECT_TRUE(json["work"]["bytes"]["measured"].is_null());
  EXPECT_EQ(json["counters"]["reason"], "the profiler was busy");
  EXPECT_THROW(explained(r, "no such case"), std::out_of_range);
}

TEST(Explanation, TellsTheErrorAndTheAcceptedOne) {
  record r = explained_record(reports::fresh_folder());
  const auto said = [&](double error, std::optional<double> accepted) {
    for (measured_case& c : r.cases) c.check.max_error = error, c.check.accepted_error = accepted;
    return explanation_text(explained(r, merged), false);
  };
  EXPECT_THAT(said(1.9e-3, 8e-3),
              HasSubstr("0.0019 at most, accepted 0.008, by the operation's own measure"));
  EXPECT_THAT(said(0, 8e-3), HasSubstr("0 at most, accepted 0.008,"));
  EXPECT_THAT(said(1.9e-3, std::nullopt), HasSubstr("0.0019 at most, by the operation's own measure"));
  EXPECT_THAT(said(0, 0), Not(HasSubstr("operation's own measure"))) << "equal or wrong";
}

TEST(Explanation, TellsTheEnergyOrWhyThereIsNone) {
  record r = explained_record(reports::fresh_folder());
  measured_case& c = reports::case_named(r, merged);
  EXPECT_THAT(explanation_text(explained(r, merged), false), Not(HasSubstr("energy")));
  c.energy = reports::metered(600, 100, 1.5);
  EXPECT_THAT(
      explanation_text(explained(r, merged), false),
      HasSubstr("60.00 mJ a launch ± 1.5 %, mean 600 W, idle 75 W, 50 steps of 12 J of the counter\n"));
  c.energy = std::nullopt;
  c.energy_reason = "NVML does not count this device's energy";
  EXPECT_THAT(explanation_text(explained(r, merged), false),
              HasSubstr("none: NVML does not count this device's energy"));
}

TEST(Explanation, OfACaseThatWasNotMeasuredGivesStatusAndReason) {
  record r = read_record(reports::made_record_path());
  const std::string name = "scatter/merged/items=4096/layout=rows/@cold-clean";
  const std::string text = explanation_text(explained(r, name), false);
  EXPECT_THAT(text, HasSubstr("wrong"));
  EXPECT_THAT(text, HasSubstr("element 17 is 3, expected 4"));
  EXPECT_THAT(text, HasSubstr("ablate dev launch"));
  EXPECT_EQ(explanation_json(explained(r, name))["status"], "wrong");
  r.unmeasured[0].status = "not_applicable";
  EXPECT_THAT(explanation_text(explained(r, name), false), Not(HasSubstr("ablate run suites")));
}

TEST(Explanation, JsonHasEverything) {
  const record r = explained_record(reports::fresh_folder());
  const ordered_json json = explanation_json(explained(r, merged));
  EXPECT_EQ(json["case"], merged);
  EXPECT_EQ(json["time_us"]["samples"], 40);
  EXPECT_EQ(json["floors"]["binding"], "bytes");
  EXPECT_EQ(json["work"]["flops"]["waste_factor"], 2);
  EXPECT_EQ(json["neighbors"].size(), 2u);
  EXPECT_EQ(json["counters"]["values"][2]["display"], "Warp instructions");
  EXPECT_TRUE(json["counters"]["values"][0]["display"].is_null());
  EXPECT_EQ(json["counters"]["values"][14]["missing"], "made to be missing");
  EXPECT_EQ(json["memory"]["buffers"]["items"], 4096);
  EXPECT_EQ(json["quality"]["spread_m"], 6.5);
  EXPECT_TRUE(json["quality"]["bin_share"].is_null());
  EXPECT_EQ(json["commands"]["nvtx_range"], merged);
}

TEST(Explanation, OfACommittedRecordFindsItsLadder) {
  const record r = read_record(test_support::source_path("results/h200/bucket_attention/record.json"));
  const std::string tail =
      "/tokens=131072/window=4096/bucket=512/heads=8/width=64/batches=1/order=shuffled/offset=0/stride=1/"
      "rows=buckets/qkv=split/region=attend/scores=unit/@cold-clean";
  const explanation e = explained(r, "window_attention/hopper_step_ring" + tail);
  ASSERT_TRUE(e.stands);
  EXPECT_GT(e.stands->rank, 1u);
  const auto steps_to = [&](const char* variant) {
    return std::count_if(e.neighbors.begin(), e.neighbors.end(),
                         [&](const neighbor& n) { return n.variant == variant; });
  };
  EXPECT_EQ(steps_to("hopper_step_one_group"), 1);
  EXPECT_EQ(steps_to("hopper_step_two_groups"), 1);
  EXPECT_EQ(e.floors.size(), 3u) << "launch, bytes, FLOPs";
  const explanation rival = explained(r, "window_attention/cudnn" + tail);
  EXPECT_EQ(rival.commands.run, "");
  // Every case can be told, whatever it lacks.
  for (const measured_case& c : r.cases) {
    const explanation any = explained(r, c.name);
    EXPECT_FALSE(explanation_text(any, true).empty());
    EXPECT_NO_THROW(explanation_json(any).dump());
  }
}

}  // namespace
}  // namespace ablate::explain::explanation_test
