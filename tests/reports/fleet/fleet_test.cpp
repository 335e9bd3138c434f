#include "reports/fleet/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/text/bad_input.h"
#include "tests/reports/made_record.h"

namespace ablate::fleet::fleet_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Records of these specimens, whose copy takes so many microseconds.
std::vector<record> records_of(const std::vector<std::pair<std::string, double>>& copies) {
  const record like = read_record(reports::made_record_path());
  std::vector<record> out;
  for (const auto& [uuid, us] : copies) {
    out.push_back(like);
    out.back().device["uuid"] = uuid;
    for (measured_case& c : out.back().cases)
      if (c.ceiling == "dram_bytes") c.time.median_us = us;
  }
  return out;
}

std::vector<std::vector<std::string>> kinds_of(const std::vector<std::pair<std::string, double>>& copies) {
  std::vector<std::vector<std::string>> out;
  const product p = fleet_of(records_of(copies)).front();
  for (const kind& k : p.kinds) out.push_back(k.specimens);
  return out;
}

TEST(Fleet, DividesWhereTheGapIsFarWiderThanTheSpread) {
  using names = std::vector<std::string>;
  EXPECT_THAT(kinds_of({{"a", 100}, {"b", 101}, {"c", 110}, {"d", 111}}),
              ElementsAre(names{"a", "b"}, names{"c", "d"}));
  EXPECT_THAT(kinds_of({{"a", 100}, {"b", 102}, {"c", 110}, {"d", 111}}),
              ElementsAre(names{"a", "b", "c", "d"}))
      << "the gap is less than five times the spread";
  EXPECT_THAT(kinds_of({{"a", 100}, {"b", 100}, {"c", 100}, {"d", 111}}),
              ElementsAre(names{"a", "b", "c", "d"}))
      << "one alone is no kind";
  EXPECT_THAT(kinds_of({{"a", 100}, {"b", 100.1}, {"c", 103}, {"d", 103.1}, {"e", 130}, {"f", 130.1}}),
              ElementsAre(names{"a", "b"}, names{"c", "d"}, names{"e", "f"}))
      << "a part is divided again";
}

TEST(Fleet, TakesASmallGapForNoise) {
  EXPECT_EQ(kinds_of({{"a", 100}, {"b", 100.01}, {"c", 101.5}, {"d", 101.51}}).size(), 1u);
  EXPECT_EQ(kinds_of({{"a", 100}, {"b", 100.01}, {"c", 102.5}, {"d", 102.51}}).size(), 2u);
}

TEST(Fleet, NamesOutliersWithinAKind) {
  const product p = fleet_of(records_of({{"a", 100}, {"b", 100}, {"c", 100}, {"d", 111}})).front();
  ASSERT_EQ(p.outliers.size(), 1u);
  EXPECT_EQ(p.outliers[0].specimen, "d");
  EXPECT_NEAR(p.outliers[0].deviation_pct, 11, 1e-9);
  const product near = fleet_of(records_of({{"a", 100}, {"b", 101.9}, {"c", 100}})).front();
  EXPECT_THAT(near.outliers, IsEmpty());
}

TEST(Fleet, TakesTheMedianOfASpecimensRuns) {
  const product p = fleet_of(records_of({{"a", 100}, {"a", 102}, {"a", 120}, {"b", 101}})).front();
  EXPECT_EQ(p.us.at("a").at("dram_bytes"), 102);
  EXPECT_EQ(p.runs.at("a"), 3u);
}

TEST(Fleet, TakesThePartsOfAMergedRecord) {
  std::vector<record> records = records_of({{"a", 100}});
  record& merged = records.front();
  std::string name;
  for (const measured_case& c : merged.cases)
    if (c.ceiling == "dram_bytes") name = c.name;
  merged.device["uuid"] = nullptr;
  merged.parts = {{"x", "host", "date", {{name, 100.0}}}, {"y", "host", "date", {{name, 104.0}}}};
  const product p = fleet_of(records).front();
  EXPECT_EQ(p.us.at("x").at("dram_bytes"), 100);
  EXPECT_EQ(p.us.at("y").at("dram_bytes"), 104);
  EXPECT_EQ(p.us.size(), 2u);
}

TEST(Fleet, NeedsAGpuWithAName) {
  std::vector<record> records = records_of({{"a", 100}});
  records.front().device["uuid"] = nullptr;
  EXPECT_THROW(fleet_of(records), bad_input);
  records.front().device["uuid"] = "a";
  records.front().on_gpu = false;
  EXPECT_THROW(fleet_of(records), bad_input);
}

}  // namespace
}  // namespace ablate::fleet::fleet_test
