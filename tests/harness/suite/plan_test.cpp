#include "harness/suite/plan.h"

#include <gtest/gtest.h>

#include "tests/support/made_operations.h"
#include "tests/support/temporary_directory.h"

namespace ablate::plan_test {
namespace {

using test_support::temporary_directory;

constexpr std::size_t mib = 1 << 20;

struct planned {
  suite from;
  ablate::plan plan;
};

planned plan_of(const std::string& block, const std::string& chip_name = "h200") {
  const temporary_directory files;
  const std::string text =
      R"({"name": "s", "description": "d", "point_files": {"lost": {"path": "data:lost.bin"}}, "cases": [)" +
      block + "]}";
  suite from = read_suite(files.write("s.json", text));
  const input_library inputs(1, from.point_files, {});
  ablate::plan p = make_plan(from, *find_chip(chip_name), inputs, "made_sum");
  std::erase_if(p.cases, [](const planned_case& c) { return c.what.operation->name != "made_sum"; });
  return {std::move(from), std::move(p)};
}

TEST(Plan, RotatingCopiesExceedThreeTimesTheL2) {
  EXPECT_EQ(rotating_copies(10 * mib, 60 * mib), 19u);
  EXPECT_EQ(rotating_copies(7 * mib, 60 * mib), 26u);
  EXPECT_EQ(rotating_copies(1000 * mib, 60 * mib), 1u);
  EXPECT_EQ(rotating_copies(0, 60 * mib), 1u);
  for (std::size_t bytes : {std::size_t{64}, 1 * mib, 59 * mib, 180 * mib})
    EXPECT_GT(rotating_copies(bytes, 60 * mib) * bytes, 180 * mib);
}

TEST(Plan, DeviceMemoryIsTheBuffersTheirCopiesAndTheFlush) {
  const chip& h200 = *find_chip("h200");
  EXPECT_EQ(device_bytes(10 * mib, cache_state::hot, h200), 10 * mib);
  EXPECT_EQ(device_bytes(10 * mib, cache_state::cold_clean, h200), 250 * mib);
  EXPECT_EQ(device_bytes(10 * mib, cache_state::rotating, h200), 190 * mib);
}

TEST(Plan, CountsPassesOfCountersOrSaysWhyNot) {
  const auto [from, p] = plan_of(
      R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": [1000, 2000]}, "counters": "core,atomics"})",
      "a100");
  const pass_plan& counters = p.counters.at("core,atomics");
  EXPECT_EQ(counters.groups, 2u);
  EXPECT_EQ(counters.passes.has_value(), counters.why_not_counted.empty());
  EXPECT_EQ(counters.passes.value_or(2), 2u);
  const auto json = to_json(p, from);
  EXPECT_EQ(json.at("counters").at("core,atomics").at("cases"), 2);
  EXPECT_EQ(json.at("list")[0].at("counters"), "core,atomics");
  EXPECT_NE(to_text(p, from).find("counters on GA100\n  core,atomics        2 cases, 2 "), std::string::npos)
      << to_text(p, from);
  EXPECT_TRUE(plan_of(R"({"operation": "made_sum", "variants": ["plain"]})").plan.counters.empty());
}

TEST(Plan, SaysWhichForwardsAreSampledAndInHowManyPasses) {
  const auto [from, p] = plan_of(
      R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": [1000, 2000]}, "sampled": true})");
  ASSERT_TRUE(p.sampled);
  EXPECT_EQ(p.sampled->passes.has_value(), p.sampled->why_not_counted.empty());
  EXPECT_EQ(p.sampled->passes.value_or(1), 1u);
  const auto json = to_json(p, from);
  EXPECT_EQ(json.at("sampled").at("cases"), 2);
  EXPECT_EQ(json.at("list")[0].at("sampled"), true);
  EXPECT_NE(to_text(p, from).find("sampled forwards      2 cases, 1 "), std::string::npos)
      << to_text(p, from);
  const auto plain = plan_of(R"({"operation": "made_sum", "variants": ["plain"]})");
  EXPECT_FALSE(plain.plan.sampled);
  EXPECT_FALSE(to_json(plain.plan, plain.from).contains("sampled"));
  EXPECT_GT(p.cases[0].seconds, 1 + plain.plan.cases[0].seconds);
}

TEST(Plan, CountsCasesByStatusAndFindsTheLargest) {
  const auto [from, p] = plan_of(
      R"({"operation": "made_sum", "variants": ["plain", "hopper"], "axes": {"points": [1000, 2000]}, "cache": "hot"})",
      "a100");
  EXPECT_EQ(p.cases.size(), 4u);
  EXPECT_EQ(p.count("to_measure"), 2u);
  EXPECT_EQ(p.count("not_applicable"), 2u);
  ASSERT_NE(p.largest(), nullptr);
  EXPECT_EQ(p.largest()->device_bytes, 4 * 2000u + 64u);
  EXPECT_EQ(p.largest()->what.axes.word("points"), "2000");
  EXPECT_TRUE(p.largest()->fits);
}

TEST(Plan, ACaseThatDoesNotFitIsNamedAndTakesNoTime) {
  const auto [from, p] = plan_of(
      R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": 100000000000}, "cache": "hot"})");
  EXPECT_EQ(p.largest()->device_bytes, 400000000064u);
  EXPECT_FALSE(p.largest()->fits);
  EXPECT_EQ(p.seconds(), 0);
  EXPECT_NE(to_text(p, from).find("400.0 GB of 141.0 GB: does not fit"), std::string::npos);
  EXPECT_NE(to_text(p, from).find("1 cases will end as out_of_memory"), std::string::npos);
}

TEST(Plan, AMissingPointFileIsShownWithItsReason) {
  const auto [from, p] = plan_of(
      R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": 0, "shape": ["lost", "flat"]}})");
  EXPECT_EQ(p.count("input_missing"), 1u);
  EXPECT_EQ(p.count("to_measure"), 1u);
  EXPECT_NE(p.cases[0].reason.find("lost.bin"), std::string::npos) << p.cases[0].reason;
}

TEST(Plan, ABrokenOrTooSmallPointFileCostsItsCasesOnly) {
  const temporary_directory files;
  files.write("cut.bin", std::vector<float>(250, 1.f));
  files.write("small.bin", std::vector<float>(40));
  const suite from = read_suite(files.write("s.json", R"({"name": "s", "description": "d",
    "point_files": {"cut": {"path": "cut.bin"}, "small": {"path": "small.bin"}},
    "cases": [{"operation": "made_sum", "variants": ["plain"],
               "axes": {"points": [10, 11], "shape": ["cut", "small", "flat"]}}]})"));
  plan p = make_plan(from, *find_chip("h200"), input_library(1, from.point_files, {}), "made_sum");
  std::erase_if(p.cases, [](const planned_case& c) { return c.what.operation->name != "made_sum"; });
  EXPECT_EQ(p.count("failed"), 2u);
  EXPECT_EQ(p.count("not_applicable"), 1u);
  EXPECT_EQ(p.count("to_measure"), 3u);
  for (const planned_case& c : p.cases) {
    if (c.status == "failed") {
      EXPECT_NE(c.reason.find("cut.bin: byte 992: "), std::string::npos) << c.reason;
    }
    if (c.status == "not_applicable") {
      EXPECT_NE(c.reason.find("small.bin: expected 11 points or more, the file holds 10"), std::string::npos)
          << c.reason;
    }
  }
  EXPECT_NE(to_text(p, from).find("input broken        2"), std::string::npos) << to_text(p, from);
}

TEST(Plan, ARegionWithSomethingAheadOfAMissingPointFileIsInputMissing) {
  const temporary_directory files;
  const suite from = read_suite(files.write("s.json", R"({"name": "s", "description": "d",
    "point_files": {"lost": {"path": "data:lost.bin"}},
    "cases": [{"operation": "made_steps", "variants": ["plain"], "axes": {"part": "second", "shape": "lost"},
               "cache": ["cold-clean", "hot"]}]})"));
  const plan p = make_plan(from, *find_chip("h200"), input_library(1, from.point_files, {}), "made_steps");
  EXPECT_EQ(p.count("input_missing"), 2u);
}

TEST(Plan, TimeGrowsWithCasesAndIsBoundByTheSuitesLimit) {
  const auto one = plan_of(
      R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": 1000}, "cache": "hot"})");
  const auto two = plan_of(
      R"({"operation": "made_sum", "variants": ["plain", "hopper"], "axes": {"points": 1000}, "cache": "hot"})");
  // 0.1 s of set-up and 2000 samples of about 10 us.
  EXPECT_NEAR(one.plan.seconds(), 0.12, 0.001);
  EXPECT_NEAR(two.plan.seconds(), 0.24, 0.001);
  const auto large = plan_of(
      R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": 1200000000}, "cache": "hot"})");
  // 4.8 GB: 1 ms a sample, so half a second of samples; 4.8 s to make the input.
  EXPECT_NEAR(large.plan.seconds(), 0.1 + 0.5 + 4.8, 0.01);
}

TEST(Plan, JsonListsEveryCase) {
  const auto [from, p] =
      plan_of(R"({"operation": "made_sum", "axes": {"mode": "float", "points": 1000}, "cache": "hot"})");
  const nlohmann::ordered_json json = to_json(p, from);
  EXPECT_EQ(json["chip"], "h200");
  EXPECT_EQ(json["cases"], 3);
  EXPECT_EQ(json["to_measure"], 2);
  EXPECT_EQ(json["not_applicable"], 1);
  EXPECT_EQ(json["list"].size(), 3u);
  EXPECT_EQ(json["list"][0]["name"], "made_sum/plain/mode=float/points=1000/shape=flat/@hot");
  EXPECT_EQ(json["list"][0]["device_bytes"], 4064);
  EXPECT_EQ(json["list"][1]["status"], "not_applicable");
  EXPECT_EQ(json["list"][1]["reason"], "variant 'staged' is made for mode=int only, not for float");
  EXPECT_FALSE(json["list"][1].contains("device_bytes"));
}

TEST(Plan, APlanWithNothingToMeasureHasNoLargestCase) {
  const auto [from, p] =
      plan_of(R"({"operation": "made_sum", "variants": ["staged"], "axes": {"mode": "float"}})");
  EXPECT_EQ(p.largest(), nullptr);
  EXPECT_TRUE(to_json(p, from)["largest"].is_null());
}

TEST(Plan, SizesAndTimesReadWell) {
  EXPECT_EQ(bytes_text(999), "999 bytes");
  EXPECT_EQ(bytes_text(62914560), "62.9 MB");
  EXPECT_EQ(bytes_text(141000000000), "141.0 GB");
  EXPECT_EQ(seconds_text(0.2), "1 s");
  EXPECT_EQ(seconds_text(59.5), "1 min 00 s");
  EXPECT_EQ(seconds_text(185), "3 min 05 s");
}

}  // namespace
}  // namespace ablate::plan_test
