// Every variant of hard_voxelize against the oracle, or against what any choice must satisfy: each corner
// case alone and together, every family of inputs and order, K and V that truncate and that do not, batches,
// odd grids, sizes that fill no block, many seeds and repetitions.
#include <cstring>

#include "tests/kernels/voxelize/corner_cases.h"
#include "tests/support/cloud_test.cuh"
#include "tests/support/variant_run.cuh"

namespace ablate::hard_voxelize_gpu_test {
namespace {

using test_support::variant_run;

const operation& hard_voxelize() { return *find_operation("hard_voxelize"); }

class HardVoxelizeOnGpu : public test_support::cloud_test {
 protected:
  /// Runs every variant that applies, for both choices and K and V from 1 to more than enough.
  void expect_every_variant_right(axis_values at, const input_library& inputs, const std::string& what) {
    for (const auto& [points_per_voxel, max_voxels] :
         {std::pair{"1", "1"}, {"2", "7"}, {"35", "100"}, {"10", "120000"}, {"100", "20000"}}) {
      at.set("points_per_voxel", points_per_voxel);
      at.set("max_voxels", max_voxels);
      expect_right(at, inputs, what);
    }
  }

  /// For both choices, at these K and V.
  void expect_right(axis_values at, const input_library& inputs, const std::string& what,
                    int repetitions = 1) {
    for (const char* kept : {"any", "first"}) {
      at.set("kept", kept);
      variant_run run(hard_voxelize(), at, inputs);
      for (const variant_facts& v : hard_voxelize().variants) {
        if (!run.applies(v)) continue;
        for (int i = 0; i < repetitions; ++i) {
          const check_result result = run.check(v);
          ASSERT_TRUE(result.ok) << v.name << ", kept=" << kept << ", " << what << ", run " << i << ": "
                                 << result.message;
        }
      }
    }
  }
};

TEST_F(HardVoxelizeOnGpu, EachCornerCaseAlone) {
  for (const auto& c : voxelize::test_support::corner_cases())
    expect_every_variant_right(cloud_on("4"), library_with(c.point), c.name);
}

TEST_F(HardVoxelizeOnGpu, AllCornerCasesTogether) {
  const std::vector<float> points = voxelize::test_support::corner_cases_together();
  for (const char* batch : {"1", "3"})
    expect_every_variant_right(cloud_on("4", batch), library_of(points), "mixed");
}

TEST_F(HardVoxelizeOnGpu, EveryFamilyOrderAndSeed) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const input_library inputs(seed, {}, {});
    for (const char* order : {"natural", "shuffled", "morton"})
      for (const char* family : {"uniform", "surface", "clustered", "lidar"})
        expect_every_variant_right({{"distribution", family},
                                    {"order", order},
                                    {"frame", family[0] == 'l' ? "vehicle" : "robot"},
                                    {"points", "10000"},
                                    {"grid", "32"}},
                                   inputs, std::string(family) + ", " + order);
  }
}

TEST_F(HardVoxelizeOnGpu, NumbersOfPointsThatFillNoBlockOrWarp) {
  const input_library inputs(8, {}, {});
  for (const char* points : {"1", "2", "3", "31", "33", "255", "257", "1023", "8193"})
    for (const char* batch : {"1", "3"})
      expect_every_variant_right({{"points", points}, {"grid", "8"}, {"batch", batch}}, inputs,
                                 std::string(points) + " points, batch " + batch);
}

TEST_F(HardVoxelizeOnGpu, GridsOfAnOddNumberOfCells) {
  const input_library inputs(9, {}, {});
  for (const char* grid : {"1", "3", "33"})
    for (const char* batch : {"1", "2", "5"})
      expect_every_variant_right({{"points", "4099"}, {"grid", grid}, {"batch", batch}}, inputs,
                                 std::string("grid ") + grid + ", batch " + batch);
}

TEST_F(HardVoxelizeOnGpu, OneHotVoxel) {
  expect_every_variant_right(cloud_on("16"), library_of(voxelize::test_support::one_hot_voxel(30000)),
                             "one hot voxel");
}

TEST_F(HardVoxelizeOnGpu, OnePointAVoxel) {
  expect_every_variant_right(cloud_on("32"), library_of(voxelize::test_support::one_point_a_voxel()),
                             "one point a voxel");
}

TEST_F(HardVoxelizeOnGpu, NoPointsAndOnePointInside) {
  expect_every_variant_right(cloud_on("8", "3"), library_of({2, 2, 2, -1, -1, -1, 0.5f, 0.5f, 0.5f}),
                             "one inside");
  expect_every_variant_right({{"points", "0"}, {"grid", "8"}, {"batch", "3"}}, input_library(1, {}, {}),
                             "no points");
}

// Rows that every later point must shift: for rows kept ordered by atomic minima the worst order is one in
// which late blocks hold small numbers; many runs let blocks race.
TEST_F(HardVoxelizeOnGpu, ManyRunsOfFewFullVoxels) {
  const input_library inputs(11, {}, {});
  for (const char* grid : {"2", "4", "12"})
    for (const char* points_per_voxel : {"3", "35", "64"})
      expect_right({{"points", "20000"},
                    {"grid", grid},
                    {"points_per_voxel", points_per_voxel},
                    {"max_voxels", "1000"},
                    {"order", "shuffled"}},
                   inputs, std::string("grid ") + grid + ", K " + points_per_voxel, 20);
}

// All but the quadratic variant, at the sizes of a frame and of ten sweeps, with the usual limits.
TEST_F(HardVoxelizeOnGpu, FullSizes) {
  const input_library inputs(12, {}, {});
  for (const char* kept : {"any", "first"})
    for (const char* points : {"250000", "1000000"})
      for (const char* order : {"natural", "shuffled"})
        for (const auto& [points_per_voxel, max_voxels] : {std::pair{"35", "20000"}, {"10", "120000"}}) {
          variant_run run(hard_voxelize(),
                          {{"kept", kept},
                           {"distribution", "lidar"},
                           {"frame", "vehicle"},
                           {"points", points},
                           {"order", order},
                           {"points_per_voxel", points_per_voxel},
                           {"max_voxels", max_voxels}},
                          inputs);
          for (const variant_facts& v : hard_voxelize().variants) {
            if (!run.applies(v) || v.name == "quadratic") continue;
            for (int i = 0; i < 3; ++i) {
              const check_result result = run.check(v);
              EXPECT_TRUE(result.ok) << v.name << ", kept=" << kept << ", " << points << " points, " << order
                                     << ", K " << points_per_voxel << ": " << result.message;
            }
          }
        }
}

}  // namespace
}  // namespace ablate::hard_voxelize_gpu_test
