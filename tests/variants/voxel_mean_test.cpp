// The operation voxel_mean on the host: inputs, oracle, check and work model, whatever the variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/registry/registry.h"
#include "tests/support/axis_values.h"
#include "tests/support/solved_workload.h"

namespace ablate::voxel_mean_test {
namespace {

using test_support::refusal_of;
using test_support::solved_workload;
using test_support::values_of;
using test_support::with;
using ::testing::HasSubstr;

const operation& voxel_mean() { return *find_operation("voxel_mean"); }

/// Of few points.
axis_values at(const axis_values& given) {
  return values_of(voxel_mean(), with({{"points", "3000"}, {"grid", "16"}}, given));
}

struct solved_case : solved_workload {
  explicit solved_case(const axis_values& given) : solved_workload(voxel_mean(), at(given)) {}
};

TEST(VoxelMeanOperation, IsRightForEverySceneOrderAndNumberOfFeatures) {
  for (const char* width : {"1", "4", "8", "64"})
    for (const char* distribution : {"uniform", "surface", "lidar", "clustered"})
      for (const char* order : {"natural", "shuffled", "morton"}) {
        const solved_case c({{"features", width},
                             {"distribution", distribution},
                             {"frame", distribution[0] == 'l' ? "vehicle" : "unit"},
                             {"order", order},
                             {"batch", "2"}});
        EXPECT_TRUE(c.check().ok) << distribution << ", " << order << ": " << c.check().message;
        EXPECT_FALSE(c.check_poison().ok);
      }
}

TEST(VoxelMeanOperation, CountsEveryValidPointOnce) {
  solved_case c({{"distribution", "clustered"}});
  std::int64_t sum = 0, occupied = 0;
  for (const std::int32_t n : c.output<std::int32_t>("count")) sum += n, occupied += n > 0;
  EXPECT_EQ(sum, c.work.input.at("valid"));
  EXPECT_EQ(occupied, c.work.input.at("occupied"));
}

TEST(VoxelMeanOperation, FindsOutAWrongMeanAndAWrongCount) {
  for (const char* wrong : {"mean", "count"}) {
    solved_case c({});
    c.output<std::uint8_t>(wrong).back() ^= 0x40;
    EXPECT_FALSE(c.check().ok) << wrong;
  }
}

TEST(VoxelMeanOperation, AFactorWithinTheToleranceIsFound) {
  solved_case c({});
  EXPECT_LT(std::abs(c.quality().at("mean_bias").get<double>()), 0x1p-26);
  for (float& element : c.output<float>("mean")) element *= 1 + 0x1p-23f;
  EXPECT_THAT(c.check().message, HasSubstr("mean: elements are"));
}

TEST(VoxelMeanOperation, StartsFromZerosWhereNothingClears) {
  for (const char* region : {"clear_kernel", "kernel"}) {
    const auto all = voxel_mean().buffers(at({{"region", region}}), input_library(1, {}, {}));
    for (const char* summed : {"mean", "count"})
      EXPECT_EQ(std::ranges::find(all, summed, &buffer::name)->reset,
                region[0] == 'k' ? buffer_reset::zeros : buffer_reset::poison)
          << summed;
  }
}

TEST(VoxelMeanOperation, DeclaresItsCompulsoryWork) {
  const solved_case whole({{"features", "8"}});  // every uniform point is inside
  EXPECT_EQ(whole.work.work.bytes, (12 + 32) * 3000 + 36 * 16 * 16 * 16);
  const solved_case alone({{"features", "8"}, {"region", "kernel"}});
  const double occupied = alone.work.input.at("occupied");
  EXPECT_EQ(alone.work.work.bytes, (12 + 32) * 3000 + 36 * occupied);
}

TEST(VoxelMeanOperation, RefusesWhatMakesNoCase) {
  const auto reason = [](const axis_values& given) { return refusal_of(voxel_mean(), at(given)); };
  EXPECT_EQ(reason({}), "");
  EXPECT_THAT(reason({{"distribution", "lidar"}}), HasSubstr("frame=vehicle"));
  EXPECT_THAT(reason({{"points", "0"}}), HasSubstr("for point files only"));
  EXPECT_EQ(reason({{"grid", "128"}, {"batch", "1023"}}), "");
  EXPECT_THAT(reason({{"grid", "128"}, {"batch", "1024"}}), HasSubstr("below 2^31"));
}

}  // namespace
}  // namespace ablate::voxel_mean_test
