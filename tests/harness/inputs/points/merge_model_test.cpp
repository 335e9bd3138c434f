#include "tests/harness/inputs/points/merge_model.h"

#include <gtest/gtest.h>

#include <limits>

#include "harness/inputs/clouds.h"
#include "tests/harness/inputs/points/cloud_helpers.h"

namespace ablate::merge_model_test {
namespace {

TEST(MergeModel, VoxelsAreHalfOpenWithXFastest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const voxel_grid grid{{-1, 0, 0}, {0.5f, 1, 2}, {4, 3, 2}};
  const std::vector<float> xyz = {-1, 0, 0, 0.99f, 2.5f, 3.5f, 1, 0,    0, -1.01f, 0, 0,
                                  0,  1, 2, nan,   0,    0,    0, -0.f, 0, 0,      0, infinity};
  EXPECT_EQ(
      voxel_indices(xyz, grid),
      (std::vector<std::uint32_t>{0, 23, no_voxel, no_voxel, (1 * 3 + 1) * 4 + 2, no_voxel, 2, no_voxel}));
}

TEST(MergeModel, GroupsCountDistinctVoxelsAndSkipInvalidPoints) {
  const std::vector<std::uint32_t> voxels = {5, 5, no_voxel, 7, 5, 5, 5, 9};
  const merge_count pairs = merge_in_groups(voxels, 2);
  EXPECT_EQ(pairs.points, 7);
  EXPECT_EQ(pairs.atomics, 1 + 1 + 1 + 2);
  EXPECT_EQ(merge_in_groups(voxels, 3).atomics, 1 + 2 + 2);
  EXPECT_EQ(merge_in_groups(voxels, 100).atomics, 3);
  EXPECT_EQ(merge_in_groups({}, 32).atomics, 0);
}

TEST(MergeModel, TableGivesASlotToTheFirstVoxelThatComes) {
  // In a table of two slots the top bit of v * 2654435761 decides: 0 and 2 share slot 0, 1 has slot 1.
  const std::vector<std::uint32_t> voxels = {0, 2, 0, 1, 2, no_voxel, 1};
  const table_merge count = merge_in_table(voxels, 100, 1);
  EXPECT_EQ(count.points, 6);
  EXPECT_EQ(count.flushes, 2);
  EXPECT_EQ(count.hits, 2);
  EXPECT_EQ(count.conflicts, 2);
  EXPECT_EQ(count.atomics, 4);
  EXPECT_EQ(merge_in_table(voxels, 1, 1).atomics, 6);
}

/// One row of the published table: predictions for simulated inputs, factor = points per atomic.
struct prediction {
  const char* name;
  const char* distribution;
  std::int64_t points;
  int cells;
  box domain;
  const char* natural_order;
  double occupied_percent;
  double points_per_voxel;
  std::array<double, 3> warp, block, table;  ///< natural, shuffled, Morton
};

// clang-format off
const prediction predictions[] = {
    {"Uniform50K", "uniform", 50'000, 64, unit_box, "natural", 17.4, 1.10,
     {1.00, 1.00, 1.10}, {1.00, 1.00, 1.10}, {1.01, 1.01, 1.04}},
    {"Uniform1M", "uniform", 1'000'000, 128, unit_box, "natural", 38.0, 1.26,
     {1.00, 1.00, 1.25}, {1.00, 1.00, 1.26}, {1.00, 1.00, 1.12}},
    {"Uniform3M", "uniform", 3'375'000, 128, unit_box, "natural", 80.0, 2.01,
     {1.00, 1.00, 1.95}, {1.00, 1.00, 2.00}, {1.00, 1.00, 1.51}},
    {"Surface50K", "surface", 50'000, 64, unit_box, "natural", 2.2, 7.9,
     {2.7, 1.00, 6.5}, {2.8, 1.03, 7.7}, {4.9, 1.8, 5.7}},
    {"Surface1M", "surface", 1'000'000, 128, unit_box, "natural", 1.6, 26.7,
     {4.0, 1.00, 14.8}, {4.6, 1.01, 24}, {7.3, 1.2, 21.7}},
    {"LidarRingMajor", "lidar", 131'072, 128, vehicle_box, "natural", 0.38, 15.9,
     {7.1, 1.01, 10.8}, {9.8, 1.09, 15.0}, {9.4, 2.3, 11.0}},
    {"LidarAzimuthMajor", "lidar", 131'072, 128, vehicle_box, "azimuth", 0.38, 15.9,
     {1.6, 1.01, 10.8}, {4.3, 1.09, 15.0}, {9.6, 2.3, 10.7}},
    {"Clustered50K", "clustered", 50'000, 64, unit_box, "natural", 3.0, 6.4,
     {1.0, 1.0, 5.4}, {1.04, 1.04, 6.2}, {1.7, 1.7, 3.9}},
};
// clang-format on

class MergeModelPrediction : public testing::TestWithParam<prediction> {};

void expect_predictions(const prediction& expected, std::uint64_t seed, double tolerance) {
  const input_library library(seed, {}, {});
  const voxel_grid grid = cells_of(expected.domain, expected.cells);
  const std::array orders = {expected.natural_order, "shuffled", "morton"};
  const auto expect_near = [&](double actual, double predicted, const std::string& what) {
    EXPECT_NEAR(actual / predicted, 1, tolerance) << what << ": " << actual << ", predicted " << predicted;
  };
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const std::string order = orders[i];
    const auto cloud = library.cloud({expected.distribution, order, expected.points, expected.domain});
    const auto voxels = voxel_indices(cloud.xyz, grid);
    expect_near(merge_in_groups(voxels, 32).points_per_atomic(), expected.warp[i], "warp " + order);
    expect_near(merge_in_groups(voxels, 256).points_per_atomic(), expected.block[i], "block of 256 " + order);
    expect_near(merge_in_table(voxels, 8192, 12).points_per_atomic(), expected.table[i], "table " + order);
    if (i != 0) continue;
    const merge_count whole = merge_in_groups(voxels, voxels.size());
    const double all_voxels = static_cast<double>(expected.cells) * expected.cells * expected.cells;
    expect_near(100 * static_cast<double>(whole.atomics) / all_voxels, expected.occupied_percent,
                "occupied %");
    expect_near(whole.points_per_atomic(), expected.points_per_voxel, "points per occupied voxel");
  }
}

TEST_P(MergeModelPrediction, GeneratedCloudMeetsItsPredictionsWithin15Percent) {
  expect_predictions(GetParam(), 1, 0.15);
}

TEST(MergeModelTable, CloudsOfOtherSeedsStayNearTheirPredictions) {
  for (const prediction& expected : predictions)
    for (const std::uint64_t seed : {2, 3})
      if (expected.points <= 200'000) expect_predictions(expected, seed, 0.2);
}

INSTANTIATE_TEST_SUITE_P(Published, MergeModelPrediction, testing::ValuesIn(predictions),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ablate::merge_model_test
