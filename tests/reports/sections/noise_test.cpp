#include "reports/sections/noise.h"

#include <cmath>

#include "base/record/identity.h"
#include "base/text/bad_input.h"
#include "reports/ablation/limits.h"
#include "tests/reports/made_record.h"

namespace ablate::reports::noise_test {
namespace {

constexpr const char* merged_1024 = "scatter/merged/items=1024/layout=rows/@cold-clean";

const case_noise& of(const record_noise& noise, const std::string& name) {
  for (const case_noise& c : noise.cases)
    if (c.of->name == name) return c;
  throw std::out_of_range(name);
}

gate::noise_floors floors_of(const record& r) {
  gate::noise_floors out;
  out.path = "floors.json";
  out.date = "2026-01-01";
  out.policy = "default";
  out.fingerprint = history::device_fingerprint(r);
  out.device = r.device;
  out.suite_hash = r.suite_hash;
  out.runs = 20;
  out.pairs = 16;
  out.cases[merged_1024] = {7.5, 5.0, {std::log(1.02), std::log(0.99)}};
  return out;
}

TEST(Noise, WithinALaunchIsHalfOfTheInterval) {
  const record r = read_record(made_record_path());
  const record_noise noise = noise_of(r, {}, nullptr, shipped_policy());
  ASSERT_EQ(noise.cases.size(), 6u);  // calibrations are none
  EXPECT_DOUBLE_EQ(of(noise, merged_1024).within_pct, 2.5);
  EXPECT_FALSE(of(noise, merged_1024).launches_pct);
  EXPECT_FALSE(of(noise, merged_1024).floor_pct);
  ASSERT_EQ(noise.coverage.size(), 2u);
  EXPECT_NE(noise.coverage[0].find("not those between process launches"), std::string::npos);
  EXPECT_NE(noise.coverage[1].find("--floors FILE"), std::string::npos);
}

TEST(Noise, BetweenLaunchesIsTheFarthestFromTheMiddle) {
  const record r = read_record(made_record_path());
  record faster = r, slower = r, other_input = r;
  for (record* launch : {&faster, &slower, &other_input})
    for (measured_case& c : launch->cases)
      if (c.name == merged_1024) c.time.median_us = launch == &faster ? 4.9 : launch == &slower ? 5.5 : 50;
  for (measured_case& c : other_input.cases) c.input["hash"] = "another";
  const record_noise noise = noise_of(r, {&faster, &slower, &other_input}, nullptr, shipped_policy());
  EXPECT_NEAR(*of(noise, merged_1024).launches_pct, 10, 1e-9);
  EXPECT_DOUBLE_EQ(*of(noise, "scatter/direct/items=1024/layout=rows/@cold-clean").launches_pct, 0);
  EXPECT_EQ(noise.launches, 4u);
}

TEST(Noise, FloorsStandWithTheRunsThatTheyRestOn) {
  const record r = read_record(made_record_path());
  const gate::noise_floors floors = floors_of(r);
  const record_noise noise = noise_of(r, {}, &floors, shipped_policy());
  EXPECT_DOUBLE_EQ(*of(noise, merged_1024).floor_pct, 7.5);
  ASSERT_EQ(of(noise, merged_1024).effects_pct.size(), 2u);
  EXPECT_NEAR(of(noise, merged_1024).effects_pct[1], -1, 1e-9);
  EXPECT_EQ(noise.too_noisy_pct, 5);
  EXPECT_NE(noise.coverage[1].find("20 runs of 16 pairs"), std::string::npos);
  EXPECT_NE(noise.coverage[2].find("rest on 2 builds; the policy requires 4"), std::string::npos);
  EXPECT_EQ(noise.coverage[3], "5 of 6 cases have no noise floor: delta is the policy's minimum there.");

  const table lines = noise_table(noise);
  ASSERT_EQ(lines.lines.size(), 2u);
  EXPECT_EQ(lines.lines[0].cells,
            (std::vector<std::string>{"scatter", "within this launch", "6", "2.81", "6.25", "6.25"}));
  EXPECT_EQ(lines.lines[1].cells,
            (std::vector<std::string>{"scatter", "A/A noise floor", "1", "7.50", "7.50", "7.50"}));
}

TEST(Noise, FloorsOfAnotherDeviceAreRefused) {
  const record r = read_record(made_record_path());
  gate::noise_floors floors = floors_of(r);
  floors.fingerprint = "name=Other GPU";
  EXPECT_THROW(noise_of(r, {}, &floors, shipped_policy()), bad_input);
}

TEST(Noise, IsDrawnWithTheLimitsOfTheGate) {
  const record r = read_record(made_record_path());
  const gate::noise_floors floors = floors_of(r);
  const auto plots = noise_plots(r, noise_of(r, {}, &floors, shipped_policy()));
  ASSERT_EQ(plots.size(), 1u);
  const auto& drawn = plots[0].specification;
  EXPECT_EQ(drawn["data"]["values"].size(), 6u);
  ASSERT_EQ(drawn["concat"].size(), 2u);  // nothing is known between launches
  EXPECT_EQ(drawn["concat"][1]["title"]["text"], "A/A noise floor");
  EXPECT_EQ(
      drawn["concat"][0]["layer"][0]["data"]["values"].dump(),
      R"([{"value":2.0,"title":"least effect that counts, 2 %"},{"value":5.0,"title":"too noisy to gate, 5 %"}])");
}

}  // namespace
}  // namespace ablate::reports::noise_test
