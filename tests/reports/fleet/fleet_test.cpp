#include "reports/fleet/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/bad_input.h"
#include "reports/fleet/across.h"
#include "reports/fleet/plots.h"
#include "tests/reports/made_record.h"

namespace ablate::fleet::fleet_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
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
  merged.parts.resize(2);
  merged.parts[0].specimen = "x";
  merged.parts[0].calibrations = {{name, 100.0}};
  merged.parts[1].specimen = "y";
  merged.parts[1].calibrations = {{name, 104.0}};
  const product p = fleet_of(records).front();
  EXPECT_EQ(p.us.at("x").at("dram_bytes"), 100);
  EXPECT_EQ(p.us.at("y").at("dram_bytes"), 104);
  EXPECT_EQ(p.us.size(), 2u);
}

TEST(Fleet, ASpecimenWithoutTheCalibrationThatTellsIsOfUnknownKind) {
  std::vector<record> records = records_of({{"a", 100}, {"b", 101}, {"c", 110}, {"d", 111}, {"e", 110}});
  std::erase_if(records.back().cases, [](const measured_case& c) { return c.ceiling == "dram_bytes"; });
  const product p = fleet_of(records).front();
  ASSERT_EQ(p.kinds.size(), 3u);
  EXPECT_EQ(p.kind_of("c").name, "B");
  EXPECT_EQ(p.kind_of("e").name, unknown_kind);
  EXPECT_EQ(p.deviation_pct("e", "launch"), std::nullopt);
  EXPECT_NE(fleet_markdown({p}).find("| ? (us) |"), std::string::npos);
  EXPECT_NE(fleet_text({p}, {}).find("e"), std::string::npos);
}

/// The ratio that a plot's cell shows.
double cell_of(const reports::plot& p, const std::string& workload, const std::string& column) {
  for (const auto& row : p.specification.at("data").at("values"))
    if (row.at("workload") == workload && row.at("variant") == column) return row.at("value").get<double>();
  return 0;
}

TEST(Fleet, IsDrawnAsAHeatMapWithItsOutliersMarked) {
  const auto plots = fleet_plots(fleet_of(records_of({{"a", 100}, {"b", 100}, {"c", 100}, {"d", 111}})));
  ASSERT_EQ(plots.size(), 2u);
  EXPECT_EQ(plots[0].name, "fleet-imaginary-gpu");
  EXPECT_NEAR(cell_of(plots[0], "dram_bytes", "A d"), 1.11, 1e-9);
  EXPECT_NEAR(cell_of(plots[0], "dram_bytes", "A a"), 1, 1e-9);
  EXPECT_THAT(plots[0].specification.dump(), HasSubstr("\"+11.0 !\""));
  int named = 0;
  for (const auto& row : plots[1].specification.at("data").at("values"))
    named += row.at("outlier") == "A d" ? 1 : 0;
  EXPECT_EQ(named, 1);
}

/// Records of these specimens, in which the cases of the suite take so many times as long.
std::vector<record> records_across(const std::vector<std::pair<std::string, double>>& times) {
  std::vector<record> out;
  for (const auto& [uuid, factor] : times) {
    out.push_back(records_of({{uuid, 100}}).front());
    for (measured_case& c : out.back().cases) {
      c.specimen = uuid;
      if (c.variant == "direct") c.time.median_us *= factor;
    }
  }
  return out;
}

const std::string direct = "scatter/direct/items=1024/layout=rows/@cold-clean";

TEST(Across, TheFloorOfACaseIsWhatTwoSpecimensOfAKindDifferBy) {
  const across found = across_of(records_across({{"a", 1}, {"b", 1.01}, {"c", 1.03}}));
  ASSERT_EQ(found.kinds.size(), 1u);
  EXPECT_THAT(found.kinds[0].specimens, ElementsAre("a", "b", "c"));
  const case_across& c = found.kinds[0].cases.at(direct);
  EXPECT_NEAR(c.specimen_floor_pct, 3, 1e-9);
  EXPECT_NEAR(c.deviation_pct("c"), 100 * (1.03 / 1.01 - 1), 1e-9);
  for (const auto& [name, other] : found.kinds[0].cases)
    EXPECT_TRUE(name.find("/direct/") != std::string::npos || other.specimen_floor_pct == 0) << name;
  EXPECT_THAT(across_text(found, {}), HasSubstr("3.00 %"));
  const auto plots = across_plots(found, 40);
  ASSERT_FALSE(plots.empty());
  EXPECT_NEAR(cell_of(plots.back(), direct.substr(8), "A c"), 1.03 / 1.01, 1e-9);
}

TEST(Across, TellsKindsApart) {
  std::vector<record> records = records_across({{"a", 1}, {"b", 1.01}, {"x", 1.2}, {"y", 1.22}});
  for (std::size_t i : {2u, 3u})
    for (measured_case& c : records[i].cases)
      if (c.ceiling == "dram_bytes") c.time.median_us = 110;
  const across found = across_of(records);
  ASSERT_EQ(found.kinds.size(), 2u);
  EXPECT_NEAR(found.kinds[0].cases.at(direct).specimen_floor_pct, 1, 1e-9) << "20 % are of the kind";
  EXPECT_EQ(found.kind_of("y"), &found.kinds[1]);
  EXPECT_EQ(found.kind_of("z"), nullptr);
}

TEST(Across, IsReadAsItWasWritten) {
  const across made = across_of(records_across({{"a", 1}, {"b", 1.01}}));
  const across read = read_across(reports::written("across.json", to_json(made).dump()));
  EXPECT_EQ(to_json(read), to_json(made));
  EXPECT_THROW(read_across(reports::written("across.json", "{\"across_schema\": \"2.0.0\"}")), bad_input);
}

TEST(Across, IsOfOneBuildAndSeveralGpus) {
  std::vector<record> records = records_across({{"a", 1}, {"a", 1.01}});
  EXPECT_THROW(across_of(records), bad_input) << "two runs of one GPU";
  records = records_across({{"a", 1}, {"b", 1.01}});
  records[1].build.source_hash = "another";
  EXPECT_THROW(across_of(records), bad_input) << "the kernels may differ";
  records = records_across({{"a", 1}, {"b", 1.01}});
  for (measured_case& c : records[1].cases) c.input["hash"] = "ff";
  EXPECT_THROW(across_of(records), bad_input) << "the inputs differ";
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
