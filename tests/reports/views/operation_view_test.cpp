#include "reports/views/operation_view.h"

#include "tests/reports/made_record.h"

namespace ablate::reports::operation_view_test {
namespace {

/// A record with these cases of an operation `made`: cache state, method, variant, axes, median.
struct made_case {
  std::string cache_state, method, variant;
  named_words axes;
  double median = 1;
};

record record_of(const std::vector<made_case>& cases) {
  record out{};
  for (const made_case& c : cases) {
    measured_case made{};
    made.operation = "made";
    made.variant = c.variant;
    made.cache_state = c.cache_state;
    made.axes = c.axes;
    made.time.method = c.method;
    made.time.median_us = made.time.ci95_low_us = made.time.ci95_high_us = c.median;
    out.cases.push_back(made);
  }
  return out;
}

TEST(OperationView, TheBaselineComesFirstAndTheSweptAxisHasTheMostValues) {
  const record r = read_record(made_record_path());
  const auto views = operation_views(r);
  ASSERT_EQ(views.size(), 1u);  // without the calibrations
  EXPECT_EQ(views[0].variants, (std::vector<std::string>{"direct", "merged"}));
  EXPECT_EQ(views[0].swept, "items");
  EXPECT_EQ(views[0].axis_title("items"), "items (number of items)");
  EXPECT_EQ(views[0].values("items"), (std::vector<std::string>{"1024", "2048", "4096"}));
}

TEST(OperationView, AVariantIsChosenByItsWholeName) {
  for (const char* variant :
       {"sort_pairs", "serialize: sort_pairs", "sort_pairs, rows=scan", "serialize: sort_pairs, rows=scan"})
    EXPECT_TRUE(is_one_of({"other", "sort_pairs"}, variant)) << variant;
  for (const char* variant :
       {"merge_sort_pairs", "sort_pairs_wide", "merge sort_pairs", "serialize: merge sort_pairs"})
    EXPECT_FALSE(is_one_of({"sort_pairs"}, variant)) << variant;
}

TEST(OperationView, SpeedUpIsTheRatioOfMediansWithTheWidestInterval) {
  const record r = read_record(made_record_path());
  const operation_view view = operation_views(r).front();
  const auto up = view.speed_up_of(view.rows[1], "merged");
  ASSERT_TRUE(up);
  EXPECT_DOUBLE_EQ(up->ratio, 2);
  EXPECT_DOUBLE_EQ(up->low, 7.75 / 4.125);
  EXPECT_DOUBLE_EQ(up->high, 8.25 / 3.875);
  EXPECT_FALSE(up->includes_one());
  EXPECT_FALSE(view.speed_up_of(view.rows[1], "direct"));
  EXPECT_FALSE(view.speed_up_of(view.rows[2], "merged"));  // was not measured there
}

TEST(OperationView, CacheStatesMethodsAndAxesAreNeverSetAgainstEachOther) {
  const record r = record_of({{"cold-clean", "events", "a", {{"n", "1"}}},
                              {"hot", "graph", "b", {{"n", "1"}}},
                              {"cold-clean", "graph", "b", {{"n", "1"}}},
                              {"cold-clean", "events", "b", {{"n", "2"}}}});
  const operation_view view = operation_views(r).front();
  EXPECT_EQ(view.rows.size(), 4u);
  for (const comparable_cases& row : view.rows) EXPECT_FALSE(view.speed_up_of(row, "b"));
}

TEST(OperationView, WithoutADescriptionTheFirstVariantIsTheBaseline) {
  const record r =
      record_of({{"hot", "graph", "b", {{"n", "1"}}, 4}, {"hot", "graph", "a", {{"n", "1"}}, 2}});
  const operation_view view = operation_views(r).front();
  EXPECT_EQ(view.baseline, "b");
  EXPECT_DOUBLE_EQ(view.speed_up_of(view.rows[0], "a")->ratio, 2);
}

TEST(OperationView, AScalingGroupFixesEverythingButOneIntegerAxis) {
  std::vector<made_case> cases;
  for (const char* order : {"natural", "shuffled"})
    for (const char* points : {"16384", "512", "65536"})
      cases.push_back({"hot", "graph", "a", {{"points", points}, {"order", order}, {"batch", "1"}}});
  for (const char* batch : {"4", "16"})
    cases.push_back({"hot", "graph", "a", {{"points", "512"}, {"order", "natural"}, {"batch", batch}}});
  cases.push_back({"cold-clean", "events", "a", {{"points", "512"}, {"order", "natural"}, {"batch", "1"}}});
  const record r = record_of(cases);
  const operation_view view = operation_views(r).front();
  EXPECT_EQ(view.swept, "points");
  const auto groups = view.scaling_groups(3);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].axis, "points");
  EXPECT_EQ(groups[0].fixed, (named_words{{"order", "natural"}, {"batch", "1"}}));
  EXPECT_EQ(groups[0].points.front()->value("points"), "512");  // by value, not by spelling
  EXPECT_EQ(groups[0].points.back()->value("points"), "65536");
  EXPECT_EQ(groups[2].axis, "batch");
  for (const auto& group : groups)
    for (const auto* point : group.points) EXPECT_EQ(point->cache_state, group.cache_state);
}

TEST(OperationView, AWordThatAnotherSettlesIsNotTold) {
  const record r =
      record_of({{"hot", "graph", "a", {{"distribution", "uniform"}, {"frame", "unit"}, {"order", "x"}}},
                 {"hot", "graph", "a", {{"distribution", "lidar"}, {"frame", "vehicle"}, {"order", "x"}}},
                 {"hot", "graph", "a", {{"distribution", "lidar"}, {"frame", "vehicle"}, {"order", "y"}}}});
  const operation_view view = operation_views(r).front();
  std::vector<named_words> points;
  for (const auto& row : view.rows) points.push_back(row.axes);
  EXPECT_EQ(telling_axes(view, view.axes, points), (std::vector<std::string>{"distribution", "order"}));
}

}  // namespace
}  // namespace ablate::reports::operation_view_test
