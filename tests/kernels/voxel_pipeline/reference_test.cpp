#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "harness/inputs/random_floats.h"
#include "oracles/voxel_pipeline/reference.h"

namespace ablate::voxel_pipeline::reference_test {
namespace {

using ::testing::Each;

struct solved {
  solved(std::vector<float> xyz, int cells, int minimum) {
    p = {.points = static_cast<std::int64_t>(xyz.size() / 3),
         .origin = {-1, -1, -1},
         .voxel = {2.0f / static_cast<float>(cells), 2.0f / static_cast<float>(cells),
                   2.0f / static_cast<float>(cells)},
         .cells = cells,
         .minimum = minimum};
    points = by_brick(p, xyz);
    features.resize(static_cast<std::size_t>(p.voxels()));
    p.xyz = points.xyz.data();
    p.begin = points.begin.data();
    p.features = features.data();
    reference(p);
  }
  problem p;
  sorted_points points;
  std::vector<feature> features;
};

TEST(VoxelPipelineReference, MeansAndCountsByHand) {
  // Voxels of a quarter: two points in voxel (0, 0, 0), one in (7, 4, 1).
  const std::vector<float> xyz = {-1, -0.875f, -1, -0.9375f, -1, -1, 0.75f, 0.125f, -0.75f};
  const solved all(xyz, 8, 1), two(xyz, 8, 2), three(xyz, 8, 3);
  EXPECT_EQ(all.features[0], (feature{0.125f, 0.25f, 0, 2}));
  EXPECT_EQ(all.features[(1 * 8 + 4) * 8 + 7], (feature{0, 0.5f, 0, 1}));
  EXPECT_EQ(two.features[0], all.features[0]);
  EXPECT_EQ(two.features[(1 * 8 + 4) * 8 + 7], feature{});
  EXPECT_THAT(three.features, Each(feature{}));
}

TEST(VoxelPipelineReference, PointsOutsideAreDropped) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  const solved s({1, 0, 0, -1.001f, 0, 0, 0, nan, 0, 0, 0, infinity, 0, -infinity, 0}, 8, 1);
  EXPECT_THAT(s.features, Each(feature{}));
  EXPECT_EQ(s.points.begin.back(), 0u);
}

TEST(VoxelPipelineReference, BricksHoldTheirPoints) {
  std::vector<float> xyz = random_floats(3 * 5000, 1, "points");
  for (std::size_t i = 0; i < 300; i += 3) xyz[i] = 2;  // a hundred outside
  const solved s(xyz, 24, 1);
  ASSERT_EQ(s.points.begin.size(), 28u);
  EXPECT_EQ(s.points.begin.back(), 4900u);
  for (std::size_t b = 0; b < 27; ++b)
    for (std::size_t i = s.points.begin[b]; i < s.points.begin[b + 1]; ++i)
      ASSERT_EQ(brick_of(s.p, voxel_of(s.p, &s.points.xyz[3 * i])), static_cast<std::int64_t>(b)) << i;
  std::int64_t counted = 0;
  for (const feature& f : s.features) {
    counted += f.count;
    for (const float mean : {f.x, f.y, f.z}) EXPECT_TRUE(mean >= 0 && mean < 1) << mean;
  }
  EXPECT_EQ(counted, 4900);
  // The order within a brick says nothing.
  std::vector<float> reversed;
  for (std::size_t i = xyz.size(); i > 0; i -= 3)
    reversed.insert(reversed.end(), xyz.begin() + static_cast<std::ptrdiff_t>(i) - 3,
                    xyz.begin() + static_cast<std::ptrdiff_t>(i));
  EXPECT_EQ(solved(reversed, 24, 1).features, s.features);
}

}  // namespace
}  // namespace ablate::voxel_pipeline::reference_test
