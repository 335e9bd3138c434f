#include "reports/views/leading.h"

#include <gtest/gtest.h>

#include "tests/reports/question/asked_record.h"

namespace ablate::reports::leading_test {
namespace {

TEST(Leading, TheBaselineComesFirstThenWhoIsFastestMostOften) {
  std::vector<asked_case> cases = asked_cases();
  cases.push_back({"alone", {}, "rows", 99, 1});  // the only one of its workload wins nothing
  const record r = read_record(file_of_asked(asked_record(cases, nullptr), fresh_folder()));
  const operation_view view = operation_views(r).front();
  // staged is the fastest on the three of street, staged_wide on two, merged on one.
  EXPECT_EQ(leading_variants(view),
            (std::vector<std::string>{"direct", "staged", "staged_wide", "merged", "alone"}));
  for (const comparable_cases& row : view.rows)
    EXPECT_EQ(fastest_on(row).empty(), row.by_variant.size() < 2) << row.value("items");
}

TEST(Leading, OfSomeWorkloadsTheFastestComesFirst) {
  const record r = read_record(file_of_asked(asked_record(asked_cases(), nullptr), fresh_folder()));
  const operation_view view = operation_views(r).front();
  std::vector<const comparable_cases*> street, largest;
  for (const comparable_cases& row : view.rows) {
    if (row.value("layout") == "street") street.push_back(&row);
    if (row.value("items") == "16384" && row.value("layout") == "rows") largest.push_back(&row);
  }
  EXPECT_EQ(fastest_first(view.variants, street),
            (std::vector<std::string>{"staged", "direct", "merged", "staged_wide"}));
  EXPECT_EQ(fastest_first(view.variants, largest),
            (std::vector<std::string>{"staged_wide", "merged", "staged", "direct"}));
  EXPECT_EQ(fastest_first({"direct", "merged"}, largest), (std::vector<std::string>{"merged", "direct"}));
}

}  // namespace
}  // namespace ablate::reports::leading_test
