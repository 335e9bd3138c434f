#include "reports/views/over_launches.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/record/writer.h"
#include "base/text/bad_input.h"
#include "reports/best/answer.h"
#include "reports/best/outputs.h"
#include "reports/explain/explanation.h"
#include "reports/views/launched_record.h"
#include "tests/reports/made_record.h"

// What reports show of a record with further launches.

namespace ablate::reports::over_launches_test {
namespace {

constexpr const char* direct = "scatter/direct/items=1024/layout=rows/@cold-clean";
constexpr const char* merged = "scatter/merged/items=1024/layout=rows/@cold-clean";

measured_case& named(record& r, std::string_view name) {
  for (measured_case& c : r.cases)
    if (c.name == name) return c;
  throw std::out_of_range(std::string(name));
}
const measured_case& named(const record& r, std::string_view name) {
  return named(const_cast<record&>(r), name);
}

void make(record& r, const std::string& name, double us) {
  measured_case::timing& time = named(r, name).time;
  time.median_us = us;
  time.min_us = 0.99 * us;
  time.ci95_low_us = 0.999 * us;
  time.ci95_high_us = 1.001 * us;
}

/// `direct` and `merged` in each of some launches.
struct launched {
  explicit launched(const std::vector<std::pair<double, double>>& us) {
    for (const auto& [of_direct, of_merged] : us) {
      record& r = all.emplace_back(read_record(made_record_path()));
      make(r, direct, of_direct);
      make(r, merged, of_merged);
    }
    std::vector<const record*> more;
    for (std::size_t i = 1; i < all.size(); ++i) more.push_back(&all[i]);
    launches = std::make_shared<const case_launches>(all.front(), more);
    shown = over_launches(all.front(), *launches);
  }
  best::answer best() const {
    return best::answer_of(shown, {"items=1024", "layout=rows", "cache=cold-clean"}, merit::time,
                           all.size() > 1 ? launches : nullptr);
  }

  std::vector<record> all;
  std::shared_ptr<const case_launches> launches;
  record shown;
};

TEST(OverLaunches, ATimeIsTheMeanOfTheLaunchesWithTheIntervalOfFurtherOnes) {
  const launched of({{8, 4}, {10, 4}, {12.5, 4}});
  const measured_case& c = named(of.shown, direct);
  EXPECT_NEAR(c.time.median_us, 10, 1e-9);
  EXPECT_NEAR(std::log(c.time.ci95_high_us / 10), 4.3027 * std::log(1.25) / std::sqrt(3), 1e-4);
  EXPECT_NEAR(c.time.ci95_low_us * c.time.ci95_high_us, 100, 1e-6);
  EXPECT_NEAR(c.time.min_us, 0.99 * 8, 1e-9);
  const double before = *named(of.all.front(), direct).floors->time_over_floor;
  EXPECT_NEAR(*c.floors->time_over_floor / before, 10.0 / 8, 1e-9);
}

TEST(OverLaunches, WhatOneLaunchMeasuredStaysAsItIs) {
  const launched alone({{8, 4}});
  EXPECT_EQ(named(alone.shown, direct).time.ci95_high_us, 0.001 * 8 + 8);
  launched of({{8, 4}, {10, 4}});
  std::erase_if(of.all[1].cases, [](const measured_case& c) { return c.name == direct; });
  const case_launches launches(of.all[0], {&of.all[1]});
  const record shown = over_launches(of.all[0], launches);
  EXPECT_EQ(named(shown, direct).time.median_us, 8);
  // The ratio is that of the launch that has both, whatever the shown times are of.
  EXPECT_NEAR(speed_up_between(launches, named(shown, direct), named(shown, merged)).ratio, 2, 1e-9);
}

TEST(OverLaunches, BestRanksByAllOfThem) {
  // The first launch alone has `direct` in front, by far.
  const launched of({{3.9, 4}, {8, 4}, {8, 4}, {8, 4.1}});
  const best::answer found = of.best();
  const ranking& ranked = found.workloads.front().ranked;
  EXPECT_EQ(ranked.variants[0].measured->variant, "merged");
  EXPECT_TRUE(ranked.variants[1].level_with_best) << "one launch in four says otherwise";
  EXPECT_EQ(launched({{3.9, 4}}).best().workloads.front().ranked.variants[0].measured->variant, "direct");
}

TEST(OverLaunches, TiesAreOfTheRatioAndNotOfTheTimes) {
  // Both times move by a fifth between launches, together.
  const launched together({{10, 9}, {12, 10.8}, {8, 7.2}, {11, 9.9}});
  const best::answer found = together.best();
  EXPECT_FALSE(found.workloads.front().ranked.variants[1].level_with_best);
  const launched moved({{10, 9}, {12, 12.5}, {8, 7.2}, {11, 11.2}});
  const best::answer apart = moved.best();
  EXPECT_TRUE(apart.workloads.front().ranked.variants[1].level_with_best);
  EXPECT_EQ(best::answer_json(found)["launches"], 4);
  EXPECT_THAT(best::answer_text(found, false, {}), ::testing::HasSubstr("over 4 launches"));
}

TEST(OverLaunches, ExplainCountsThemAll) {
  const launched of({{8, 4}, {10, 4}, {12.5, 4}});
  const explain::explanation made = explain::explain_case(of.shown, merged, {}, of.launches);
  EXPECT_EQ(made.launches, 3u);
  ASSERT_TRUE(made.stands && made.stands->over_baseline);
  EXPECT_NEAR(made.stands->over_baseline->ratio, 10.0 / 4, 1e-9);
  EXPECT_EQ(made.stands->over_baseline->launches, 3u);
}

TEST(LaunchedRecord, RefusesWhatIsNoLaunchOfTheFirst) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "launched_record_test";
  std::filesystem::create_directories(folder);
  record other = read_record(made_record_path());
  EXPECT_EQ(launched_record(made_record_path(), {}).launches(), nullptr);
  EXPECT_EQ(launched_record(made_record_path(), {made_record_path()}).launches()->count(), 2u);
  const auto another = folder / "another.json";
  nlohmann::ordered_json json = made_record();
  json["context"]["ablate"]["seed"] = 1 + json["context"]["ablate"].value("seed", 0);
  std::ofstream(another) << json.dump();
  EXPECT_THROW(launched_record(made_record_path(), {another}), bad_input);
}

}  // namespace
}  // namespace ablate::reports::over_launches_test
