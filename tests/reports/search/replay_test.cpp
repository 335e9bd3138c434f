#include "reports/search/replay.h"

#include <gmock/gmock.h>

#include <numeric>

#include "tests/reports/search/made_world.h"

namespace ablate::search::replay_test {
namespace {

TEST(SearchReplay, ExpectsOfRandomDrawsWhatAllDrawsGive) {
  const std::vector<double> times = {10, 12, 15, 20};
  EXPECT_NEAR(expected_regret(times, 4), 0, 1e-12);
  EXPECT_NEAR(expected_regret(times, 1), (10 + 12 + 15 + 20) / 4.0 / 10 - 1, 1e-12);
  // The six pairs: three have the least, two of the others 12.
  EXPECT_NEAR(expected_regret(times, 2), (3 * 10 + 2 * 12 + 15) / 6.0 / 10 - 1, 1e-12);
  EXPECT_NEAR(expected_draws(4, 1), 2.5, 1e-12);
  EXPECT_NEAR(expected_draws(4, 4), 1, 1e-12);
}

std::vector<answer> recorded_in(const space& of, const std::function<double(const named_words&)>& us) {
  std::vector<std::size_t> all(of.points().size());
  std::iota(all.begin(), all.end(), 0);
  return made::gpu(of, us).check(all);
}

TEST(SearchReplay, CountsPointsAndRegret) {
  const space of =
      made::space_of(made::product_of({{"a", {"1", "2", "3"}}, {"b", {"1", "2", "3"}}, {"c", {"on"}}}));
  const auto us = [](const named_words& v) {
    return 100 * (made::at(v, "a") == "2" ? 0.7 : 1) * (made::at(v, "b") == "3" ? 0.8 : 1);
  };
  const auto found = replayed(of, {{0}, 0}, recorded_in(of, us), made::how());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->points, of.points().size());
  EXPECT_NEAR(found->regret, 0, 1e-12);
  EXPECT_GE(found->random_regret, 0);
  EXPECT_TRUE(found->asked_until_close);
  EXPECT_TRUE(found->is_proven);
}

TEST(SearchReplay, ALocalBestHasRegret) {
  const space of = made::space_of(made::product_of({{"a", {"on"}}, {"b", {"on"}}}));
  const auto us = [](const named_words& v) { return v.size() == 2 ? 50.0 : v.size() == 1 ? 150.0 : 100.0; };
  const auto found = replayed(of, {{0}, 0}, recorded_in(of, us), made::how(), 1);
  ASSERT_TRUE(found);
  EXPECT_GT(found->asked, 0u);
  if (found->asked < of.points().size()) {
    EXPECT_NEAR(found->regret, 1, 1e-12);
  }
}

TEST(SearchReplay, LeavesAsideWhatStepsDoNotReach) {
  const space of = made::space_of({{"base", {}}, {"far", {{"a", "on"}, {"b", "on"}}}});
  const auto recorded = recorded_in(of, [](const named_words& v) { return v.empty() ? 2 : 1; });
  EXPECT_FALSE(replayed(of, {{0}, 0}, recorded, made::how(), 2));
  const auto found = replayed(of, {{0}, 0}, recorded, made::how(), 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->points, 1u);
  EXPECT_EQ(found->regret, 0);
}

TEST(SearchReplay, SumsUpByOperation) {
  const replay good{10, 5, 8, 0, 0.2, 3, 5.5, true}, bad{20, 10, 4, 0.1, 0.05, std::nullopt, 7, false};
  const std::vector<replayed_workload> all = {{"h200/a", "scatter", "n=1", good},
                                              {"h200/b", "gather", "n=2", bad}};
  const auto json = replays_json(all, 3);
  EXPECT_EQ(json["left_out"], 3);
  EXPECT_EQ(json["all"]["workloads"], 2);
  EXPECT_NEAR(json["all"]["regret_pct_mean"], 5, 1e-9);
  EXPECT_NEAR(json["operations"]["scatter"]["close_share_pct"], 100, 1e-9);
  EXPECT_TRUE(json["workloads"][1]["asked_until_close"].is_null());
  EXPECT_THAT(replays_markdown(all, 3), testing::HasSubstr("| all | 2 |"));
}

}  // namespace
}  // namespace ablate::search::replay_test
