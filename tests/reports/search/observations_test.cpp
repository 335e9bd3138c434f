#include "reports/search/observations.h"

#include <gmock/gmock.h>

#include "tests/reports/ablation/made_ablation.h"
#include "tests/reports/search/made_world.h"

namespace ablate::search::observations_test {
namespace {

using reports::ablation_test::made_of;
using reports::ablation_test::made_variant;
using ::testing::ElementsAre;

answer of_case(std::size_t point, std::size_t launch, const measured_case& c) {
  return {.point = point, .launch = launch, .gpu = c.specimen, .time = c.time, .quality = c.quality};
}

// One model: a search says of two points what every report says of their records.
TEST(SearchObservations, JudgeAsReportsDo) {
  for (const std::size_t launches : {1u, 2u, 6u}) {
    reports::ablation_test::launched made;
    for (std::size_t i = 0; i < launches; ++i) {
      const double drift = 1 + 0.01 * static_cast<double>(i % 3);
      made.records.push_back(made_of({{"direct", {}, {{1024, 100 * drift}}},
                                      {"merged", {{"merge", "on"}}, {{1024, 90 * drift * drift}}}}));
      made.records.back()["context"]["date"] = fmt::format("2026-01-01T00:00:{:02}+00:00", i);
    }
    const reports::ablation_test::ablated read(made);
    observations seen(reports::limits_of(reports::shipped_policy()), 0);
    std::vector<const record*> more;
    for (std::size_t i = 0; i < read.records.size(); ++i) {
      if (i > 0) more.push_back(&read.records[i]);
      for (const measured_case& c : read.records[i].cases)
        if (c.operation == "scatter") seen.add(of_case(c.variant == "merged", i + 1, c));
    }
    const reports::process_launches reported(read.records.front(), more, seen.limits());
    const auto variant = [&](const char* name) {
      return std::ranges::find_if(read.records.front().cases, [&](const measured_case& c) {
        return c.operation == "scatter" && c.variant == name;
      });
    };
    const reports::effect effect = reported.between(*variant("direct"), *variant("merged"));
    const reports::judged_ratio ratio = seen.ratio(0, 1);
    EXPECT_DOUBLE_EQ(ratio.time.estimate, effect.time.estimate);
    EXPECT_DOUBLE_EQ(ratio.time.low, effect.time.low);
    EXPECT_DOUBLE_EQ(ratio.time.high, effect.time.high);
    EXPECT_EQ(ratio.launches, launches);
    EXPECT_EQ(ratio.verdict.word, effect.verdict.word);
  }
}

TEST(SearchObservations, RankByRatiosWithinLaunches) {
  const space of = made::space_of(made::product_of({{"a", {"1", "2"}}}));
  observations seen(made::limits(), 0);
  made::gpu gpu(of, [](const named_words& v) { return v.empty() ? 100 : made::at(v, "a") == "1" ? 90 : 80; });
  for (const answer& a : gpu.check({0, 1, 2})) seen.add(a);
  for (const answer& a : gpu.time_again({0, 2})) seen.add(a);
  EXPECT_THAT(seen.ranked({0, 1, 2}), ElementsAre(2, 1, 0));
  EXPECT_EQ(seen.ratio(0, 2).launches, 2u);
  EXPECT_EQ(seen.ratio(0, 1).launches, 1u);
  EXPECT_EQ(seen.launches(), 2u);
}

TEST(SearchObservations, OtherMethodsAreNotCompared) {
  observations seen(made::limits(), 0);
  const space of = made::space_of(made::product_of({{"a", {"1"}}}));
  made::gpu gpu(of, [](const named_words&) { return 100; });
  std::vector<answer> answers = gpu.check({0, 1});
  answers[1].time->method = "host_clock";
  for (const answer& a : answers) seen.add(a);
  EXPECT_TRUE(seen.counts(0));
  EXPECT_EQ(seen.why_out(1), "timed by host_clock, others by events");
}

TEST(SearchSpace, KnowsNeighborsAndWhatLiesAcrossAPair) {
  const space of = made::space_of(made::product_of({{"a", {"on"}}, {"b", {"on"}}, {"c", {"on"}}}));
  EXPECT_EQ(of.neighbors(0).size(), 3u);
  EXPECT_THAT(of.across(0, {"a", "b"}), ElementsAre(*of.find("a=on+b=on")));
  EXPECT_EQ(of.runnable(), 8u);
  EXPECT_FALSE(of.find("d=on"));
}

}  // namespace
}  // namespace ablate::search::observations_test
