#include "harness/counters/metric_groups_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/refusal.h"
#include "tests/support/temporary_directory.h"

namespace ablate::metric_groups_file_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<named_metrics> read(const std::string& groups, const std::string& silicon = "GH100") {
  const test_support::temporary_directory files;
  return read_metric_groups(files.write("groups.json", "{\"groups\": " + groups + "}"), silicon);
}

std::string refusal(const std::string& groups) {
  return test_support::refusal_from([&] { read(groups); });
}

constexpr const char* two_groups = R"([
  {"name": "my_l2", "purpose": "writes", "both": ["lts__t_sectors_op_write.sum"], "GH100": ["a.sum"], "GA100": ["b.sum"]},
  {"name": "hopper_only", "GH100": ["c.sum", "d.sum"]}])";

TEST(MetricGroupsFile, HasTheGroupsOfASilicon) {
  const auto hopper = read(two_groups);
  ASSERT_EQ(hopper.size(), 2u);
  EXPECT_EQ(hopper[0].purpose, "writes");
  EXPECT_THAT(hopper[0].metrics, ElementsAre("lts__t_sectors_op_write.sum", "a.sum"));
  EXPECT_THAT(hopper[1].metrics, ElementsAre("c.sum", "d.sum"));
  const auto ampere = read(two_groups, "GA100");
  ASSERT_EQ(ampere.size(), 1u);
  EXPECT_THAT(ampere[0].metrics, ElementsAre("lts__t_sectors_op_write.sum", "b.sum"));
}

TEST(MetricGroupsFile, IsRefusedWithItsPlace) {
  EXPECT_THAT(refusal(R"([{"name": "core", "both": ["a.sum"]}])"),
              HasSubstr("/groups/0/name: the name 'core' is taken"));
  EXPECT_THAT(refusal(R"([{"name": "a,b", "both": ["a.sum"]}])"),
              HasSubstr("/groups/0/name: 'a,b' cannot name a group"));
  EXPECT_THAT(refusal(R"([{"name": "a", "both": []}])"),
              HasSubstr("/groups/0/both: expected an array of at least one metric"));
  EXPECT_THAT(refusal(R"([{"name": "a"}])"), HasSubstr("/groups/0: expected metrics"));
  EXPECT_THAT(refusal(R"([{"name": "a", "GX100": ["a.sum"]}])"), HasSubstr("GX100"));
  EXPECT_THAT(refusal(R"([{"name": "a", "both": ["a.sum"]}, {"name": "a", "both": ["a.sum"]}])"),
              HasSubstr("/groups/1/name: there are two groups 'a'"));
  EXPECT_THAT(refusal("[]"), HasSubstr("/groups: expected an array of at least one group"));
}

}  // namespace
}  // namespace ablate::metric_groups_file_test
