#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string_view>

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

/// Throws std::out_of_range where the fleet has none of that name.
const product& named(const std::vector<product>& products, std::string_view name) {
  for (const product& p : products)
    if (p.name == name) return p;
  throw std::out_of_range(std::string(name));
}

TEST(CommittedFleet, HasTwoKindsByRandomReads) {
  const std::vector<product> products = fleet_of(all_records());
  const product& h200 = named(products, "NVIDIA H200");
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

TEST(CommittedFleet, HasProductsOfTheirOwn) {
  const std::vector<product> products = fleet_of(all_records());
  EXPECT_EQ(products.size(), 2u);
  EXPECT_EQ(named(products, "NVIDIA H100 80GB HBM3").kinds.size(), 1u);
}

TEST(CommittedFleet, NamesASpecimenThatIsThreePercentSlower) {
  std::vector<record> records = all_records();
  std::string planted;
  for (record& r : records)
    for (measured_case& c : r.cases)
      if (c.ceiling == "random_cas_16mib" && r.device.at("name") == "NVIDIA H200") {
        const auto uuid = r.device.at("uuid").get<std::string>();
        if (planted.empty()) planted = uuid;
        if (uuid == planted) c.time.median_us *= 1.03;
      }
  std::vector<std::string> slow;
  const std::vector<product> products = fleet_of(records);
  for (const outlier& o : named(products, "NVIDIA H200").outliers)
    if (o.calibration == "random_cas_16mib") slow.push_back(o.specimen);
  EXPECT_THAT(slow, ElementsAre(planted));
}

TEST(CommittedFleet, IsShownWithEverySpecimen) {
  const std::vector<product> products = fleet_of(all_records());
  const std::string text = fleet_text(products, {}), markdown = fleet_markdown(products);
  EXPECT_THAT(text, HasSubstr("2 kinds by random_read_sectors_"));
  const auto json = fleet_json(products).at("products");
  for (std::size_t i = 0; i < products.size(); ++i) {
    EXPECT_EQ(json.at(i).at("specimens").size(), products[i].us.size());
    for (const auto& [specimen, us] : products[i].us) {
      EXPECT_THAT(text, HasSubstr(specimen));
      EXPECT_THAT(markdown, HasSubstr(specimen.substr(4, 8)));
    }
  }
}

}  // namespace
}  // namespace ablate::fleet::committed_fleet_test
