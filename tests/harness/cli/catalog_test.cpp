#include "harness/cli/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/made_operations.h"

namespace ablate::catalog_test {
namespace {

nlohmann::ordered_json named(const nlohmann::ordered_json& list, const std::string& name) {
  for (const auto& entry : list)
    if (entry.at("name") == name) return entry;
  throw std::out_of_range(name);
}

TEST(Catalog, SaysWhereAVariantApplies) {
  const auto steps = named(catalog_json().at("operations"), "made_steps");
  EXPECT_EQ(named(steps.at("variants"), "fused").at("only_where").dump(),
            R"({"part":["last","second"],"mode":["loose"]})");
  EXPECT_EQ(named(steps.at("variants"), "plain").at("only_where").dump(), "{}");
  EXPECT_THAT(whole_catalog_text({}),
              ::testing::HasSubstr("the steps as one [only part=last|second mode=loose]"));
}

TEST(Catalog, DescribesTheTimedLaunchesWhereTheVariantApplies) {
  auto& launched = test_support::made_steps_launched();
  launched.clear();
  catalog_json();
  // `plain` at the defaults; `fused` where all of its conditions hold and the operation makes a case.
  EXPECT_EQ(launched, (std::vector<std::pair<int, int>>{{0, 2}, {1, 1}}));
}

}  // namespace
}  // namespace ablate::catalog_test
