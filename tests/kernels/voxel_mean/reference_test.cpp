// The oracle gives means and counts, drops points outside, and the comparison finds each way to be wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/inputs/random_floats.h"
#include "oracles/voxel_mean/checks.h"
#include "oracles/voxel_mean/reference.h"
#include "tests/kernels/voxelize/corner_cases.h"

namespace ablate::voxel_mean::reference_test {
namespace {

using ::testing::HasSubstr;

/// Points in a grid of 4×4×4 cells with edge 0.25 m at the origin, solved by the oracle.
struct solved {
  solved(std::vector<float> points, std::vector<float> values, int per_point, int batch = 1)
      : xyz(std::move(points)), features(std::move(values)) {
    p.batch = batch;
    p.points_per_cloud = static_cast<std::int64_t>(xyz.size() / 3) / batch;
    p.voxel = {0.25f, 0.25f, 0.25f};
    p.cells = {4, 4, 4};
    p.features = per_point;
    p.clears_grid = true;
    mean.assign(static_cast<std::size_t>(64 * batch * per_point), -7);
    count.assign(static_cast<std::size_t>(64 * batch), -7);
    p.points = xyz.data();
    p.point_features = features.data();
    p.mean = mean.data();
    p.count = count.data();
    reference(p);
  }
  solved(const solved&) = delete;
  difference found() const { return compared(p, exact_sums(p)); }

  std::vector<float> xyz, features, mean;
  std::vector<std::int32_t> count;
  problem p;
};

TEST(VoxelMeanReference, AveragesThePointsOfACell) {
  const solved s({0.1f, 0.1f, 0.1f, 0.3f, 0.1f, 0.1f, 0.2f, 0.2f, 0.2f}, {1, 10, 5, 50, 2, 30}, 2);
  EXPECT_EQ(s.count[0], 2);
  EXPECT_EQ(s.mean[0], 1.5f);
  EXPECT_EQ(s.mean[1], 20.0f);
  EXPECT_EQ(s.count[1], 1);
  EXPECT_EQ(s.mean[2], 5.0f);
  EXPECT_EQ(s.count[2], 0);
  EXPECT_EQ(s.mean[4], 0.0f);
  EXPECT_FALSE(s.found().first) << *s.found().first;
  EXPECT_LE(s.found().largest_error, 1);
}

TEST(VoxelMeanReference, PutsEveryCornerCaseWhereItBelongs) {
  for (const auto& c : voxelize::test_support::corner_cases()) {
    const solved s({c.point, c.point + 3}, {3}, 1);
    for (std::size_t cell = 0; cell < 64; ++cell) {
      const bool own = static_cast<long>(cell) == c.cell;
      EXPECT_EQ(s.count[cell], own ? 1 : 0) << c.name;
      EXPECT_EQ(s.mean[cell], own ? 3.0f : 0.0f) << c.name;
    }
  }
}

TEST(VoxelMeanReference, KeepsTheCloudsOfABatchApart) {
  const solved s({0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f}, {4, 6}, 1, 2);
  EXPECT_EQ(s.mean[0], 4.0f);
  EXPECT_EQ(s.mean[64], 6.0f);
}

TEST(VoxelMeanReference, OfNoPointsIsZero) {
  const solved s({}, {}, 4);
  for (const float m : s.mean) EXPECT_EQ(m, 0.0f);
  EXPECT_FALSE(s.found().first);
}

TEST(VoxelMeanChecks, TellAWrongCountAWrongMeanAndOneThatWasNeverWritten) {
  const auto message = [](auto spoil) {
    solved s({0.1f, 0.1f, 0.1f, 0.2f, 0.1f, 0.1f, 0.3f, 0.1f, 0.1f}, {1, 2, 3}, 1);
    spoil(s);
    return s.found().first.value_or("");
  };
  EXPECT_EQ(message([](solved&) {}), "");
  EXPECT_THAT(message([](solved& s) { s.count[0] = 3; }), HasSubstr("cell 0: expected 2 points, found 3"));
  EXPECT_THAT(message([](solved& s) { s.mean[0] = 3; }), HasSubstr("cell 0: feature 0: expected 1.5"));
  EXPECT_THAT(message([](solved& s) { s.mean[5] = std::numeric_limits<float>::denorm_min(); }),
              HasSubstr("cell 5: feature 0: expected 0"));
  EXPECT_THAT(message([](solved& s) { s.mean[1] = std::numeric_limits<float>::quiet_NaN(); }),
              HasSubstr("cell 1"));
}

TEST(VoxelMeanChecks, AllowWhatAnyOrderOfAdditionsDoesAndNoMore) {
  solved s({0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f}, {1, 1}, 1);
  s.mean[0] = 1 + 0x1p-22f;  // 2^-23 · (2 + 1) are allowed
  EXPECT_FALSE(s.found().first);
  s.mean[0] = 1 + 0x1p-21f;
  EXPECT_TRUE(s.found().first);
}

/// So many points in one cell, with features of either sign.
struct crowd {
  explicit crowd(std::size_t points) : values(random_floats(static_cast<std::int64_t>(points), 1, "crowd")) {}
  solved in_one_cell() const { return {std::vector<float>(3 * values.size(), 0.1f), values, 1}; }
  std::vector<float> values;
};

TEST(VoxelMeanChecks, AllowSumsOneAfterTheOtherOfACrowdedCell) {
  const crowd c(100000);
  solved s = c.in_one_cell();
  float sum = 0;
  for (const float value : c.values) sum += value;
  s.mean[0] = sum / 100000;
  EXPECT_FALSE(s.found().first) << *s.found().first;
  EXPECT_GT(s.found().largest_error, 0);
}

TEST(VoxelMeanChecks, FindOutOnePointOfACrowdedCellThatIsCountedOnly) {
  const crowd c(100000);
  solved s = c.in_one_cell();
  s.mean[0] -= c.values[99999] / 100000;
  EXPECT_THAT(s.found().first.value_or(""), HasSubstr("cloud 0, cell 0: feature 0: expected"));
  EXPECT_GT(s.found().largest_error, 1);
}

TEST(VoxelMeanChecks, KeepWhatIsNoNumberAsTheGreatestError) {
  solved s({0.1f, 0.1f, 0.1f, 0.3f, 0.1f, 0.1f}, {1, 2}, 1);
  s.mean[0] = std::numeric_limits<float>::quiet_NaN();
  s.mean[1] = 7;
  EXPECT_TRUE(std::isinf(s.found().largest_error));
}

}  // namespace
}  // namespace ablate::voxel_mean::reference_test
