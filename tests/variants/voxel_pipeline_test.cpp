// The operation voxel_pipeline on the host: axes, inputs, check and work, whatever the variant.
#include <gmock/gmock.h>

#include "kernels/voxel_pipeline/voxel_pipeline.h"
#include "tests/support/axis_values.h"
#include "tests/support/solved_workload.h"

namespace ablate::voxel_pipeline_test {
namespace {

using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::HasSubstr;
using voxel_pipeline::feature;

const operation& tested() { return *find_operation("voxel_pipeline"); }

TEST(VoxelPipeline, TheReferenceIsRightOnEveryCloud) {
  for (const char* distribution : {"uniform", "surface", "lidar", "clustered"})
    for (const char* minimum : {"1", "3"}) {
      const solved_workload c(tested(),
                              {{"points", "3000"},
                               {"grid", "32"},
                               {"minimum", minimum},
                               {"distribution", distribution},
                               {"frame", std::string(distribution) == "lidar" ? "vehicle" : "unit"}});
      EXPECT_TRUE(c.check().ok) << distribution << ": " << c.check().message;
      EXPECT_GT(c.work.input.at("valid"), 2000);
      EXPECT_GT(c.work.input.at("kept"), 0);
    }
}

TEST(VoxelPipeline, AWrongVoxelIsNamed) {
  solved_workload c(tested(), {{"points", "5000"}, {"grid", "8"}});
  feature& spoiled = c.output<feature>("features")[(2 * 8 + 3) * 8 + 5];
  const feature right = spoiled;
  for (const feature wrong : {feature{right.x, right.y, right.z, right.count + 1},
                              feature{right.x + 1e-6f, right.y, right.z, right.count}}) {
    spoiled = wrong;
    EXPECT_FALSE(c.check().ok);
    EXPECT_THAT(c.check().message, HasSubstr("voxel (5, 3, 2): expected"));
  }
}

TEST(VoxelPipeline, AGridOfBrokenBricksIsRefused) {
  EXPECT_EQ(refusal_of(tested(), {}), "");
  EXPECT_THAT(refusal_of(tested(), {{"grid", "60"}}), HasSubstr("grid=60: expected a multiple of 8"));
}

TEST(VoxelPipeline, DeclaresCompulsoryBytes) {
  const solved_workload c(tested(), {{"points", "1000"}, {"grid", "16"}});
  EXPECT_EQ(c.work.work.bytes, 12.0 * 1000 + 4 * 9 + 16 * 4096);
}

}  // namespace
}  // namespace ablate::voxel_pipeline_test
