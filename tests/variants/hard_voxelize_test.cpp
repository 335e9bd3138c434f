// The operation hard_voxelize on the host: inputs, oracle, checks and work model, whatever the variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/registry/registry.h"
#include "tests/support/axis_values.h"
#include "tests/support/solved_workload.h"

namespace ablate::hard_voxelize_test {
namespace {

using test_support::refusal_of;
using test_support::solved_workload;
using test_support::values_of;
using test_support::with;
using ::testing::HasSubstr;

const operation& hard_voxelize() { return *find_operation("hard_voxelize"); }

/// Of few points.
axis_values at(const axis_values& given) {
  return values_of(
      hard_voxelize(),
      with({{"points", "3000"}, {"grid", "16"}, {"points_per_voxel", "3"}, {"max_voxels", "500"}}, given));
}

struct solved_case : solved_workload {
  explicit solved_case(const axis_values& given) : solved_workload(hard_voxelize(), at(given)) {}
};

TEST(HardVoxelizeOperation, IsRightForEverySceneOrderAndChoice) {
  for (const char* kept : {"any", "first"})
    for (const char* distribution : {"uniform", "surface", "lidar", "clustered"})
      for (const char* order : {"natural", "shuffled", "morton"})
        for (const char* max_voxels : {"1", "50", "5000"}) {
          const solved_case c({{"kept", kept},
                               {"distribution", distribution},
                               {"frame", distribution[0] == 'l' ? "vehicle" : "unit"},
                               {"order", order},
                               {"max_voxels", max_voxels},
                               {"batch", "2"}});
          EXPECT_TRUE(c.check().ok) << distribution << ", " << order << ": " << c.check().message;
          EXPECT_FALSE(c.check_poison().ok);
        }
}

TEST(HardVoxelizeOperation, KnowsHowMuchIsKept) {
  for (const char* max_voxels : {"50", "5000"}) {
    solved_case c({{"distribution", "clustered"}, {"batch", "2"}, {"max_voxels", max_voxels}});
    const auto most = static_cast<std::int32_t>(std::stoi(max_voxels));
    std::int64_t all_voxels = 0, kept = 0;
    for (int cloud = 0; cloud < 2; ++cloud) {
      const std::int32_t n = c.output<std::int32_t>("voxels")[cloud];
      all_voxels += n;
      for (std::int32_t v = 0; v < n; ++v) kept += c.output<std::int32_t>("stored")[cloud * most + v];
    }
    EXPECT_EQ(all_voxels, c.fact("voxels"));
    EXPECT_EQ(kept, c.fact("kept_by_first"));
    EXPECT_GE(c.fact("occupied"), c.fact("voxels"));
    EXPECT_EQ(c.fact("occupied") > c.fact("voxels"), most == 50);
  }
}

TEST(HardVoxelizeOperation, FindsOutAWrongOutput) {
  for (const char* kept : {"any", "first"})
    for (const char* wrong : {"voxel_cell", "stored", "members", "voxels"}) {
      solved_case c({{"kept", kept}});
      c.output<std::int32_t>(wrong)[0] ^= 1;
      EXPECT_FALSE(c.check().ok) << wrong;
    }
}

TEST(HardVoxelizeOperation, DeclaresItsCompulsoryWork) {
  const solved_case c({});
  EXPECT_EQ(c.work.work.bytes, 12.0 * 3000 + 4.0 * (3 + 2) * static_cast<double>(c.fact("voxels")));
}

TEST(HardVoxelizeOperation, RefusesWhatMakesNoCase) {
  const auto reason = [](const axis_values& given) { return refusal_of(hard_voxelize(), at(given)); };
  EXPECT_EQ(reason({}), "");
  EXPECT_THAT(reason({{"distribution", "lidar"}}), HasSubstr("frame=vehicle"));
  EXPECT_THAT(reason({{"points", "16777216"}, {"batch", "17"}}), HasSubstr("points: at most"));
  EXPECT_THAT(reason({{"max_voxels", "16777216"}, {"points_per_voxel", "128"}}), HasSubstr("members"));
  EXPECT_THAT(reason({{"grid", "1290"}, {"batch", "2"}}), HasSubstr("below 2^31"));
}

// The published defaults of mmcv's detectors must form cases.
TEST(HardVoxelizeOperation, TakesTheUsualLimits) {
  EXPECT_FALSE(hard_voxelize().refuses(at({{"points_per_voxel", "35"}, {"max_voxels", "20000"}})));
  EXPECT_FALSE(hard_voxelize().refuses(at({{"points_per_voxel", "10"}, {"max_voxels", "120000"}})));
}

}  // namespace
}  // namespace ablate::hard_voxelize_test
