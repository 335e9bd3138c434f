// Every variant of voxelize against the oracle: each corner case alone and together, every family of inputs,
// batches, odd grids, tables that overflow; and what the instrumented forms count against the plain model of
// merging.
#include "tests/harness/inputs/merge_model.h"
#include "tests/kernels/voxelize/corner_cases.h"
#include "tests/support/gpu.cuh"
#include "tests/support/temporary_directory.h"
#include "tests/support/variant_run.cuh"

namespace ablate {
namespace {

using testing::variant_run;

const operation& voxelize_operation() { return *find_operation("voxelize"); }

class VoxelizeOnGpu : public testing::gpu_test {
 protected:
  /// Runs every variant that applies, in every mode and both regions, plain and instrumented.
  void expect_every_variant_right(axis_values at, const input_library& inputs, const std::string& what) {
    for (const char* mode : {"count_i32", "count_f32", "occupancy"}) {
      for (const char* region : {"clear_kernel", "kernel"}) {
        at.set("mode", mode);
        at.set("region", region);
        variant_run run(voxelize_operation(), at, inputs);
        for (const variant_facts& v : voxelize_operation().variants) {
          if (!run.applies(v)) continue;
          for (const bool instrumented : {false, true}) {
            const check_result result = run.check(v, instrumented);
            EXPECT_TRUE(result.ok) << v.name << (instrumented ? " (instrumented), " : ", ") << mode << ", "
                                   << region << ", " << what << ": " << result.message;
          }
        }
      }
    }
  }

  /// A library with one point file, "cloud", of these points.
  input_library library_of(const std::vector<float>& xyz) {
    const auto path = files_.write("cloud" + std::to_string(written_++), xyz);
    return input_library(1, {{"cloud", {path.string(), 3}}}, {});
  }

  axis_values cloud_on(const char* grid, const char* batch = "1") const {
    return {{"distribution", "cloud"}, {"points", "0"}, {"grid", grid}, {"frame", "unit"}, {"batch", batch}};
  }

  testing::temporary_directory files_;
  int written_ = 0;
};

TEST_F(VoxelizeOnGpu, EachCornerCaseAlone) {
  for (const auto& c : voxelize::testing::corner_cases())
    expect_every_variant_right(cloud_on("4"), library_of({c.point, c.point + 3}), c.name);
}

TEST_F(VoxelizeOnGpu, AllCornerCasesTogether) {
  std::vector<float> points;
  for (int times = 0; times < 40; ++times)
    for (const auto& c : voxelize::testing::corner_cases()) points.insert(points.end(), c.point, c.point + 3);
  expect_every_variant_right(cloud_on("4"), library_of(points), "mixed");
  expect_every_variant_right(cloud_on("4", "3"), library_of(points), "mixed, in a batch");
}

TEST_F(VoxelizeOnGpu, EveryFamilyAndOrder) {
  const input_library inputs(7, {}, {});
  for (const char* order : {"natural", "shuffled", "morton"}) {
    for (const char* family : {"uniform", "surface", "clustered"})
      for (const char* frame : {"unit", "robot"})
        expect_every_variant_right({{"distribution", family},
                                    {"order", order},
                                    {"frame", frame},
                                    {"points", "20000"},
                                    {"grid", "64"}},
                                   inputs, std::string(family) + ", " + order + ", " + frame);
    expect_every_variant_right({{"distribution", "lidar"},
                                {"order", order},
                                {"frame", "vehicle"},
                                {"points", "20000"},
                                {"grid", "64"}},
                               inputs, std::string("lidar, ") + order);
  }
}

TEST_F(VoxelizeOnGpu, NumbersOfPointsThatFillNoBlockWarpOrVector) {
  const input_library inputs(8, {}, {});
  for (const char* points : {"1", "2", "3", "5", "31", "33", "255", "257", "1023", "8191", "8193"})
    for (const char* batch : {"1", "3"})
      expect_every_variant_right({{"points", points}, {"grid", "16"}, {"batch", batch}}, inputs,
                                 std::string(points) + " points, batch " + batch);
}

TEST_F(VoxelizeOnGpu, GridsOfAnOddNumberOfCells) {
  const input_library inputs(9, {}, {});
  for (const char* grid : {"1", "3", "33"})
    for (const char* batch : {"1", "2", "5"})
      expect_every_variant_right({{"points", "4099"}, {"grid", grid}, {"batch", batch}}, inputs,
                                 std::string("grid ") + grid + ", batch " + batch);
}

TEST_F(VoxelizeOnGpu, OneHotVoxel) {
  std::vector<float> points;
  for (int i = 0; i < 100000; ++i) points.insert(points.end(), {0.4f, 0.4f, 0.4f});
  expect_every_variant_right(cloud_on("64"), library_of(points), "one hot voxel");
}

TEST_F(VoxelizeOnGpu, OnePointAVoxelAndMoreVoxelsABlockThanEntries) {
  // 32768 voxels in a row: 8192 distinct ones a block of 8192 points, far more than a table has entries.
  std::vector<float> points;
  for (int z = 0; z < 32; ++z)
    for (int y = 0; y < 32; ++y)
      for (int x = 0; x < 32; ++x)
        points.insert(points.end(), {(x + 0.5f) / 32, (y + 0.5f) / 32, (z + 0.5f) / 32});
  expect_every_variant_right(cloud_on("32"), library_of(points), "one point a voxel");
}

TEST_F(VoxelizeOnGpu, NoPointsAndNonePointInside) {
  expect_every_variant_right(cloud_on("8"), library_of({2, 2, 2, -1, -1, -1}), "all outside");
  const input_library none(1, {}, {});
  expect_every_variant_right({{"points", "0"}, {"grid", "8"}}, none, "no points");
}

TEST_F(VoxelizeOnGpu, AddsUpWhenNothingClears) {
  const input_library inputs(10, {}, {});
  variant_run run(voxelize_operation(), {{"points", "5000"}, {"grid", "16"}, {"region", "kernel"}}, inputs);
  for (const variant_facts& v : voxelize_operation().variants) {
    if (!run.applies(v)) continue;
    ASSERT_TRUE(run.check(v).ok) << v.name;
    std::vector<int> once(16 * 16 * 16), twice(once.size());
    const std::size_t bytes = once.size() * sizeof(int);
    ASSERT_EQ(cudaMemcpy(once.data(), run.address(1), bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    run.launch(v);
    ASSERT_EQ(cudaMemcpy(twice.data(), run.address(1), bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    for (std::size_t cell = 0; cell < once.size(); ++cell) ASSERT_EQ(twice[cell], 2 * once[cell]) << v.name;
  }
}

TEST_F(VoxelizeOnGpu, AGridThatNobodyClearedIsFoundOut) {
  const input_library inputs(10, {}, {});
  variant_run run(voxelize_operation(), {{"points", "5000"}, {"grid", "16"}, {"region", "kernel"}}, inputs);
  const variant_facts& v = voxelize_operation().variants.front();
  ASSERT_TRUE(run.check(v).ok);
  ASSERT_EQ(cudaMemset(run.address(1), 0xA5, 16 * 16 * 16 * sizeof(int)), cudaSuccess);
  run.launch(v);
  std::vector<std::byte> grid(16 * 16 * 16 * sizeof(int));
  ASSERT_EQ(cudaMemcpy(grid.data(), run.address(1), grid.size(), cudaMemcpyDeviceToHost), cudaSuccess);
  const std::byte* outputs[] = {nullptr, grid.data(), nullptr};
  EXPECT_FALSE(run.work().check(outputs).ok);
}

TEST_F(VoxelizeOnGpu, RunsOfIntegerModesAgreeBitForBit) {
  const input_library inputs(11, {}, {});
  variant_run run(voxelize_operation(),
                  {{"distribution", "clustered"}, {"points", "50000"}, {"grid", "64"}, {"order", "morton"}},
                  inputs);
  for (const variant_facts& v : voxelize_operation().variants)
    for (int repeat = 0; repeat < 20 && run.applies(v); ++repeat)
      ASSERT_TRUE(run.check(v).ok) << v.name << ", run " << repeat;
}

TEST_F(VoxelizeOnGpu, APackedCounterHoldsItsWholeLowHalf) {
  const input_library inputs = library_of({0.1f, 0.1f, 0.1f});  // cell 0: the low half of the first pair
  variant_run run(
      voxelize_operation(),
      [&] {
        axis_values at = cloud_on("4");
        at.set("region", "kernel");
        return at;
      }(),
      inputs);
  const unsigned before[2] = {0xfffffffeu, 5};
  ASSERT_EQ(cudaMemcpy(run.address(1), before, sizeof before, cudaMemcpyHostToDevice), cudaSuccess);
  run.launch(*voxelize_operation().find_variant("packed_pair"));
  unsigned after[2];
  ASSERT_EQ(cudaMemcpy(after, run.address(1), sizeof after, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(after[0], 0xffffffffu);
  EXPECT_EQ(after[1], 5u);
}

TEST_F(VoxelizeOnGpu, GridsBeyondTwoToThe31Cells) {
  // 1100 · 125³ = 2 148 437 500 cells, 8.6 GB.
  if (properties().totalGlobalMem < (std::size_t{12} << 30)) GTEST_SKIP() << "needs 12 GB of device memory";
  const input_library inputs(12, {}, {});
  variant_run run(voxelize_operation(), {{"points", "64"}, {"grid", "125"}, {"batch", "1100"}}, inputs);
  for (const char* name :
       {"global_atomic", "global_atomic_vec4", "smem_hashed_256", "warp_match", "packed_pair"}) {
    const check_result result = run.check(*voxelize_operation().find_variant(name));
    EXPECT_TRUE(result.ok) << name << ": " << result.message;
  }
}

// What the instrumented forms count, against the model of merging that the generators were held to.
TEST_F(VoxelizeOnGpu, CountsWhatTheModelOfMergingSays) {
  const input_library inputs(1, {}, {});
  for (const char* order : {"natural", "shuffled", "morton"}) {
    for (const char* family : {"uniform", "surface", "lidar", "clustered"}) {
      const std::string frame = std::string(family) == "lidar" ? "vehicle" : "unit";
      const axis_values at = {
          {"distribution", family}, {"order", order}, {"frame", frame}, {"points", "131072"}};
      const std::string what = std::string(family) + ", " + order;
      variant_run run(voxelize_operation(), at, inputs);
      const box domain = frame == "vehicle" ? box{{-51.2f, -51.2f, -4.0f}, {102.4f, 102.4f, 8.0f}}
                                            : box{{0, 0, 0}, {1, 1, 1}};
      const auto cloud = inputs.cloud({family, order, 131072, domain});
      const auto voxels = voxel_indices(cloud.xyz, cells_of(domain, 128));

      const merge_count warp = merge_in_groups(voxels, 32);
      const auto matched = run.instrumented(*voxelize_operation().find_variant("warp_match"));
      EXPECT_EQ(matched.at("valid"), warp.points) << what;
      EXPECT_EQ(matched.at("atomics"), warp.atomics) << what;

      const auto direct = run.instrumented(*voxelize_operation().find_variant("global_atomic"));
      EXPECT_EQ(direct.at("atomics"), warp.points) << what;

      // Threads race for the slots, so the table may keep other voxels than the model's.
      const table_merge table = merge_in_table(voxels, 8192, 12);
      const auto hashed = run.instrumented(*voxelize_operation().find_variant("smem_hashed_8192_e4096"));
      EXPECT_NEAR(hashed.at("points_per_atomic").get<double>(), table.points_per_atomic(),
                  0.02 * table.points_per_atomic())
          << what;
      EXPECT_EQ(hashed.at("flushes"), table.flushes) << what;
      EXPECT_EQ(hashed.at("hits").get<std::int64_t>() + hashed.at("conflicts").get<std::int64_t>() +
                    hashed.at("flushes").get<std::int64_t>(),
                table.points)
          << what;

      // The study's table is never filled.
      const auto scanned = run.instrumented(*voxelize_operation().find_variant("smem_linear_scan"));
      EXPECT_EQ(scanned.at("hits"), 0) << what;
      EXPECT_EQ(scanned.at("flushes"), 0) << what;
      EXPECT_EQ(scanned.at("fallbacks"), table.points) << what;
    }
  }
}

}  // namespace
}  // namespace ablate
