#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/fleet/fleet.h"
#include "tests/support/committed_records.h"

namespace ablate::fleet::committed_fleet_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<record>& all_records() {
  static const std::vector<record> all = [] {
    std::vector<record> out;
    for (const auto& path : test_support::committed_records()) out.push_back(read_record(path));
    return out;
  }();
  return all;
}

TEST(CommittedFleet, HasTwoKindsByRandomReads) {
  const std::vector<product> products = fleet_of(all_records());
  ASSERT_EQ(products.size(), 1u);
  const product& h200 = products.front();
  EXPECT_EQ(h200.name, "NVIDIA H200");
  ASSERT_EQ(h200.kinds.size(), 2u);
  ASSERT_EQ(h200.divisions.size(), 1u);
  EXPECT_THAT(h200.divisions.front().calibration, HasSubstr("random_read_sectors_"));
  EXPECT_GT(h200.divisions.front().gap_pct, 10);
  EXPECT_LT(h200.divisions.front().spread_pct, 0.5);
  EXPECT_GE(h200.kinds[0].specimens.size(), 4u);
  EXPECT_GE(h200.kinds[1].specimens.size(), 3u);
  EXPECT_LT(h200.kinds[0].median_us.at("random_read_sectors_128mib"),
            h200.kinds[1].median_us.at("random_read_sectors_128mib"));
  for (const outlier& o : h200.outliers)
    EXPECT_THAT(o.calibration,
                ::testing::AnyOf(HasSubstr("launch"), HasSubstr("l2_bytes"), HasSubstr("tensor")))
        << "what lasts a few microseconds, and what the power cap bounds";
}

TEST(CommittedFleet, NamesASpecimenThatIsThreePercentSlower) {
  std::vector<record> records = all_records();
  std::string planted;
  for (record& r : records)
    for (measured_case& c : r.cases)
      if (c.ceiling == "random_cas_16mib") {
        const auto uuid = r.device.at("uuid").get<std::string>();
        if (planted.empty()) planted = uuid;
        if (uuid == planted) c.time.median_us *= 1.03;
      }
  std::vector<std::string> named;
  const product h200 = fleet_of(records).front();
  for (const outlier& o : h200.outliers)
    if (o.calibration == "random_cas_16mib") named.push_back(o.specimen);
  EXPECT_THAT(named, ElementsAre(planted));
}

TEST(CommittedFleet, IsShownWithEverySpecimen) {
  const std::vector<product> products = fleet_of(all_records());
  const std::string text = fleet_text(products, {}), markdown = fleet_markdown(products);
  const auto json = fleet_json(products).at("products").at(0);
  EXPECT_EQ(json.at("specimens").size(), products.front().us.size());
  EXPECT_THAT(text, HasSubstr("2 kinds by random_read_sectors_"));
  for (const auto& [specimen, us] : products.front().us) {
    EXPECT_THAT(text, HasSubstr(specimen));
    EXPECT_THAT(markdown, HasSubstr(specimen.substr(4, 8)));
  }
}

}  // namespace
}  // namespace ablate::fleet::committed_fleet_test
