// Every variant of voxel_mean against the oracle: each corner case alone and together, every family of
// inputs, numbers of features, batches, odd grids, sizes that fill no block, overflowing tables; and the
// same bits in every run where a variant promises that.
#include <algorithm>
#include <cstring>

#include "tests/kernels/voxelize/corner_cases.h"
#include "tests/support/cloud_test.cuh"
#include "tests/support/variant_run.cuh"

namespace ablate::voxel_mean_gpu_test {
namespace {

using test_support::variant_run;

const operation& voxel_mean() { return *find_operation("voxel_mean"); }
constexpr std::size_t mean = 2;  // among the operation's buffers

class VoxelMeanOnGpu : public test_support::cloud_test {
 protected:
  /// Runs every variant that applies, for every number of features and both regions.
  void expect_every_variant_right(axis_values at, const input_library& inputs, const std::string& what) {
    for (const char* features : {"1", "4", "8", "64"})
      for (const char* region : {"clear_kernel", "kernel"}) {
        at.set("features", features);
        at.set("region", region);
        variant_run run(voxel_mean(), at, inputs);
        for (const variant_facts& v : voxel_mean().variants) {
          if (!run.applies(v)) continue;
          const check_result result = run.check(v);
          EXPECT_TRUE(result.ok) << v.name << ", " << features << " features, " << region << ", " << what
                                 << ": " << result.message;
        }
      }
  }
};

TEST_F(VoxelMeanOnGpu, EachCornerCaseAlone) {
  for (const auto& c : voxelize::test_support::corner_cases())
    expect_every_variant_right(cloud_on("4"), library_with(c.point), c.name);
}

TEST_F(VoxelMeanOnGpu, AllCornerCasesTogether) {
  const std::vector<float> points = voxelize::test_support::corner_cases_together();
  for (const char* batch : {"1", "3"})
    expect_every_variant_right(cloud_on("4", batch), library_of(points), "mixed");
}

TEST_F(VoxelMeanOnGpu, EveryFamilyOrderAndSeed) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const input_library inputs(seed, {}, {});
    for (const char* order : {"natural", "shuffled", "morton"})
      for (const char* family : {"uniform", "surface", "clustered", "lidar"})
        expect_every_variant_right({{"distribution", family},
                                    {"order", order},
                                    {"frame", family[0] == 'l' ? "vehicle" : "robot"},
                                    {"points", "20000"},
                                    {"grid", "32"}},
                                   inputs, std::string(family) + ", " + order);
  }
}

TEST_F(VoxelMeanOnGpu, NumbersOfPointsThatFillNoBlockWarpOrVector) {
  const input_library inputs(8, {}, {});
  for (const char* points : {"1", "2", "3", "5", "31", "33", "255", "257", "1023", "8191", "8193"})
    for (const char* batch : {"1", "3"})
      expect_every_variant_right({{"points", points}, {"grid", "16"}, {"batch", batch}}, inputs,
                                 std::string(points) + " points, batch " + batch);
}

TEST_F(VoxelMeanOnGpu, GridsOfAnOddNumberOfCells) {
  const input_library inputs(9, {}, {});
  for (const char* grid : {"1", "3", "33"})
    for (const char* batch : {"1", "2", "5"})
      expect_every_variant_right({{"points", "4099"}, {"grid", grid}, {"batch", batch}}, inputs,
                                 std::string("grid ") + grid + ", batch " + batch);
}

TEST_F(VoxelMeanOnGpu, OneHotVoxel) {
  expect_every_variant_right(cloud_on("16"), library_of(voxelize::test_support::one_hot_voxel(100000)),
                             "one hot voxel");
}

TEST_F(VoxelMeanOnGpu, OnePointAVoxelAndMoreVoxelsABlockThanSlots) {
  expect_every_variant_right(cloud_on("32"), library_of(voxelize::test_support::one_point_a_voxel()),
                             "one point a voxel");
}

TEST_F(VoxelMeanOnGpu, NoPointsAndOnePointInside) {
  expect_every_variant_right(cloud_on("8"), library_of({2, 2, 2, -1, -1, -1, 0.5f, 0.5f, 0.5f}),
                             "one inside");
  expect_every_variant_right({{"points", "0"}, {"grid", "8"}}, input_library(1, {}, {}), "no points");
}

// More than one tile of every CUB algorithm, and a table that every block overflows.
TEST_F(VoxelMeanOnGpu, AFullSize) {
  const input_library inputs(10, {}, {});
  for (const char* features : {"4", "64"}) {
    variant_run run(voxel_mean(),
                    {{"features", features},
                     {"points", "1000000"},
                     {"grid", "64"},
                     {"distribution", "surface"},
                     {"order", "shuffled"}},
                    inputs);
    for (const variant_facts& v : voxel_mean().variants) {
      if (!run.applies(v)) continue;
      const check_result result = run.check(v);
      EXPECT_TRUE(result.ok) << v.name << ", " << features << " features: " << result.message;
    }
  }
}

TEST_F(VoxelMeanOnGpu, DeterministicVariantsGiveTheSameBitsInEveryRun) {
  const input_library inputs(11, {}, {});
  for (const char* features : {"1", "4", "8", "64"}) {
    variant_run run(voxel_mean(),
                    {{"features", features},
                     {"distribution", "lidar"},
                     {"frame", "vehicle"},
                     {"points", "100000"},
                     {"grid", "32"},
                     {"order", "shuffled"}},
                    inputs);
    for (const variant_facts& v : voxel_mean().variants) {
      if (!v.same_bits) continue;
      const std::size_t bytes = 32 * 32 * 32 * sizeof(float) * std::stoul(features);
      std::vector<std::byte> first(bytes);
      for (int repeat = 0; repeat < 50; ++repeat) {
        ASSERT_TRUE(run.check(v).ok) << v.name << ", run " << repeat;
        const std::byte* const found = run.download()[mean];
        if (repeat == 0) std::copy_n(found, bytes, first.data());
        ASSERT_EQ(std::memcmp(found, first.data(), bytes), 0) << v.name << ", run " << repeat;
      }
    }
  }
}

}  // namespace
}  // namespace ablate::voxel_mean_gpu_test
