#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "oracles/voxelize/reference.h"
#include "tests/kernels/voxelize/corner_cases.h"

namespace ablate::voxelize::reference_test {
namespace {

problem small_grid(std::int64_t points, int batch = 1) {
  problem p;
  p.points_per_cloud = points;
  p.batch = batch;
  p.voxel = {0.25f, 0.25f, 0.25f};
  p.cells = {4, 4, 4};
  p.clears_grid = true;
  return p;
}

std::vector<std::int32_t> counted(const problem& p, const std::vector<float>& points) {
  std::vector<std::int32_t> grid(p.batch * p.cells_per_cloud(), -7);
  reference(p, points.data(), grid.data());
  return grid;
}

TEST(VoxelizeReference, PutsEveryCornerCaseWhereItBelongs) {
  for (const test_support::corner_case& c : test_support::corner_cases()) {
    EXPECT_EQ(cell_of(small_grid(1), c.point), c.cell) << c.name;
    const auto grid = counted(small_grid(1), {c.point[0], c.point[1], c.point[2]});
    for (long cell = 0; cell < 64; ++cell)
      EXPECT_EQ(grid[cell], cell == c.cell ? 1 : 0) << c.name << ", cell " << cell;
  }
}

TEST(VoxelizeReference, CountsTheCornerCasesTogether) {
  std::vector<float> points;
  std::vector<std::int32_t> expected(64, 0);
  for (const test_support::corner_case& c : test_support::corner_cases()) {
    points.insert(points.end(), c.point, c.point + 3);
    if (c.cell >= 0) ++expected[c.cell];
  }
  EXPECT_EQ(counted(small_grid(static_cast<std::int64_t>(points.size() / 3)), points), expected);
}

TEST(VoxelizeReference, DividesAndDoesNotMultiplyByTheReciprocal) {
  problem p = small_grid(1);
  p.voxel = {0.02f, 0.02f, 0.02f};
  p.cells = {64, 64, 64};
  // Among the multiples of 0.02 and their neighbors the two ways differ; the oracle must be on the side of
  // the division.
  int differing = 0;
  const float reciprocal = 1.0f / 0.02f;
  for (int i = 1; i < 64; ++i) {
    const float multiple = static_cast<float>(i) * 0.02f;
    for (const float x : {std::nextafterf(multiple, 0.0f), multiple, std::nextafterf(multiple, 2.0f)}) {
      const float point[3] = {x, 0.0f, 0.0f};
      const auto by_division = static_cast<long>(std::floor(x / 0.02f));
      EXPECT_EQ(cell_of(p, point), by_division < 64 ? by_division : -1);
      differing += by_division != static_cast<long>(std::floor(x * reciprocal));
    }
  }
  EXPECT_GT(differing, 0);
}

TEST(VoxelizeReference, MultipliesByTheReciprocalWhereTheProblemSaysSo) {
  problem p = small_grid(1);
  p.voxel = {0.02f, 0.02f, 0.02f};
  p.cells = {64, 64, 64};
  p.by_reciprocal = true;
  const float reciprocal = 1.0f / 0.02f;
  int moved = 0;
  for (int i = 1; i < 64; ++i) {
    const float multiple = static_cast<float>(i) * 0.02f;
    for (const float x : {std::nextafterf(multiple, 0.0f), multiple, std::nextafterf(multiple, 2.0f)}) {
      const float point[3] = {x, 0.0f, 0.0f};
      const auto multiplied = static_cast<long>(std::floor(x * reciprocal));
      EXPECT_EQ(cell_of(p, point), multiplied < 64 ? multiplied : -1);
      moved += multiplied != static_cast<long>(std::floor(x / 0.02f));
    }
  }
  EXPECT_GT(moved, 0);
}

TEST(VoxelizeReference, ReciprocalsOfPowersOfTwoMoveNoCornerCase) {
  problem p = small_grid(1);
  p.by_reciprocal = true;
  for (const test_support::corner_case& c : test_support::corner_cases())
    EXPECT_EQ(cell_of(p, c.point), c.cell) << c.name;
}

TEST(VoxelizeReference, PutsTheAxesInTheOtherOrder) {
  problem p = small_grid(1);
  p.cells = {2, 3, 5};
  for (const bool z_fastest : {false, true}) {
    p.z_fastest = z_fastest;
    for (int x = 0; x < 2; ++x)
      for (int y = 0; y < 3; ++y)
        for (int z = 0; z < 5; ++z) {
          const float point[3] = {0.25f * static_cast<float>(x), 0.25f * static_cast<float>(y),
                                  0.25f * static_cast<float>(z)};
          EXPECT_EQ(cell_of(p, point), z_fastest ? (x * 3 + y) * 5 + z : (z * 3 + y) * 2 + x);
        }
  }
}

TEST(VoxelizeReference, GivesAZeroGridForNoPointsAndForPointsOutside) {
  EXPECT_EQ(counted(small_grid(0), {}), std::vector<std::int32_t>(64, 0));
  EXPECT_EQ(counted(small_grid(2), {2, 2, 2, -1, 0, 0}), std::vector<std::int32_t>(64, 0));
}

TEST(VoxelizeReference, KeepsTheCloudsOfABatchApart) {
  const auto grid = counted(small_grid(1, 3), {0, 0, 0, 0.9f, 0.9f, 0.9f, 5, 5, 5});
  std::vector<std::int32_t> expected(3 * 64, 0);
  expected[0] = 1;
  expected[64 + 63] = 1;
  EXPECT_EQ(grid, expected);
}

TEST(VoxelizeReference, AddsToTheGridWhereTheRegionDoesNotClear) {
  problem p = small_grid(1);
  p.clears_grid = false;
  std::vector<std::int32_t> grid(64, 0);
  const std::vector<float> points = {0.1f, 0.1f, 0.1f};
  reference(p, points.data(), grid.data());
  reference(p, points.data(), grid.data());
  EXPECT_EQ(grid[0], 2);
  EXPECT_EQ(std::accumulate(grid.begin(), grid.end(), 0), 2);
}

TEST(VoxelizeReference, CountsInFloatWhatItCountsInIntegers) {
  problem p = small_grid(3);
  p.mode = counter::float32;
  const std::vector<float> points = {0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.9f, 0.1f, 0.1f};
  std::vector<float> grid(64, -7.0f);
  reference(p, points.data(), grid.data());
  EXPECT_EQ(grid[0], 2.0f);
  EXPECT_EQ(grid[3], 1.0f);
}

}  // namespace
}  // namespace ablate::voxelize::reference_test
