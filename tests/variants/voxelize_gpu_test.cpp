// Every variant of voxelize against the oracle: each corner case alone and together, every family of inputs,
// batches, odd grids, overflowing tables, in every mode, region, layout and way to find a cell; and the
// counts of the instrumented kernels against the plain merge model.
#include "harness/inputs/clouds.h"
#include "kernels/common/poison.h"
#include "tests/harness/inputs/points/merge_model.h"
#include "tests/kernels/voxelize/corner_cases.h"
#include "tests/support/by_turns.h"
#include "tests/support/capability.h"
#include "tests/support/cloud_test.cuh"
#include "tests/support/executor_test.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/variant_run.cuh"

namespace ablate::voxelize_gpu_test {
namespace {

using test_support::by_turns, test_support::variant_run;

const operation& voxelize_operation() { return *find_operation("voxelize"); }

const char* const modes[] = {"count_i32", "count_f32", "occupancy"};
const char* const regions[] = {"clear_kernel", "kernel", "presorted_clear_kernel", "presorted_kernel"};
const char* const layouts[] = {"x_fastest", "z_fastest"};

class VoxelizeOnGpu : public test_support::cloud_test {
 protected:
  /// Runs every variant that applies at these axes, plain and instrumented.
  void expect_variants_right(const axis_values& at, const input_library& inputs, const std::string& what) {
    SCOPED_TRACE(what);
    expect_plain_and_instrumented_right(voxelize_operation(), at, inputs);
  }

  /// In every mode and region; also in the other layout and with reciprocals.
  void expect_every_variant_right(axis_values at, const input_library& inputs, const std::string& what) {
    for (const char* mode : modes) {
      at.set("mode", mode);
      for (const char* region : regions) {
        at.set("region", region);
        expect_variants_right(at, inputs, what + ", " + mode + ", " + region);
      }
      at.set("region", "clear_kernel");
      at.set("layout", "z_fastest");
      expect_variants_right(at, inputs, what + ", " + mode + ", z_fastest");
      at.set("layout", "x_fastest");
      at.set("cell_by", "reciprocal");
      expect_variants_right(at, inputs, what + ", " + mode + ", by reciprocal");
      at.set("cell_by", "division");
    }
  }

  /// In every mode, with divisions and with reciprocals; regions and layouts by turns.
  void expect_every_mode_right(const axis_values& given, const input_library& inputs, const std::string& what,
                               std::size_t turn) {
    for (std::size_t m = 0; m < std::size(modes); ++m) {
      axis_values at = given;
      at.set("mode", modes[m]);
      at.set("region", by_turns(regions, turn + m));
      expect_variants_right(at, inputs, what + ", " + modes[m] + ", " + at.word("region"));
      at.set("region", "clear_kernel");
      at.set("cell_by", "reciprocal");
      at.set("layout", by_turns(layouts, turn + m));
      expect_variants_right(at, inputs, what + ", " + modes[m] + ", by reciprocal, " + at.word("layout"));
    }
  }

  /// On 1100 · 125³ = 2 148 437 500 cells, 8.6 GB, which take seconds to compare.
  void expect_right_beyond_two_to_the_31_cells(std::initializer_list<const char*> names) {
    if (properties().totalGlobalMem < (std::size_t{12} << 30))
      ABLATE_LACKS("memory", "needs 12 GB of device memory");
    const input_library inputs(12, {}, {});
    variant_run run(voxelize_operation(), {{"points", "64"}, {"grid", "125"}, {"batch", "1100"}}, inputs);
    for (const char* name : names) {
      const check_result result = run.check(test_support::named_variant(voxelize_operation(), name));
      EXPECT_TRUE(result.ok) << name << ": " << result.message;
    }
  }
};

TEST_F(VoxelizeOnGpu, EachCornerCaseAlone) {
  std::size_t turn = 0;
  for (const auto& c : voxelize::test_support::corner_cases())
    expect_every_mode_right(cloud_on("4"), library_with(c.point), c.name, turn++);
}

TEST_F(VoxelizeOnGpu, AllCornerCasesTogether) {
  const std::vector<float> points = voxelize::test_support::corner_cases_together();
  expect_every_variant_right(cloud_on("4"), library_of(points), "mixed");
  expect_every_variant_right(cloud_on("4", "3"), library_of(points), "mixed, in a batch");
}

TEST_F(VoxelizeOnGpu, PointsOnBoundaries) {
  axis_values at = cloud_on("64", "2");
  at.set("frame", "robot");
  expect_every_variant_right(at, library_of(voxelize::test_support::points_on_boundaries(0.02f, 64)),
                             "on boundaries");
}

TEST_F(VoxelizeOnGpu, EveryFamilyAndOrder) {
  const input_library inputs(7, {}, {});
  for (const char* order : {"natural", "shuffled", "morton", "linear"}) {
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

TEST_F(VoxelizeOnGpu, CloudsOfWhichTheGridHoldsACorner) {
  const input_library inputs(7, {}, {});
  for (const char* grid : {"64", "128"})
    expect_every_variant_right({{"frame", "corner"}, {"points", "20000"}, {"grid", grid}, {"batch", "3"}},
                               inputs, std::string("corner, grid ") + grid);
}

// Boundaries between a bitmap's slabs, and between the two blocks of a cluster.
TEST_F(VoxelizeOnGpu, GridsLargerThanABitmapAndManyClouds) {
  const input_library inputs(7, {}, {});
  for (const char* mode : {"count_i32", "count_f32", "occupancy"})
    for (const char* region : {"clear_kernel", "presorted_kernel"}) {
      const std::string what = std::string(mode) + ", " + region;
      axis_values at = {{"mode", mode}, {"region", region}, {"points", "400000"}, {"grid", "200"}};
      expect_variants_right(at, inputs, "grid 200, " + what);
      at = {{"mode", mode}, {"region", region}, {"points", "300"}, {"grid", "9"}, {"batch", "2000"}};
      expect_variants_right(at, inputs, "batch of 2000, " + what);
    }
}

// Tiles of a grid whose cells fill no vector, of one whose last tile is cut, and more points than lists have
// room for: those of a warp, and of the tiles of a block.
TEST_F(VoxelizeOnGpu, TilesOfAnOddGridAndPointsBehindTheLists) {
  const input_library inputs(7, {}, {});
  for (const char* mode : modes)
    for (const char* region : {"clear_kernel", "kernel"})
      for (const char* family : {"uniform", "clustered"})
        for (const char* grid : {"10", "65", "98"}) {
          variant_run run(voxelize_operation(),
                          {{"mode", mode},
                           {"region", region},
                           {"distribution", family},
                           {"points", "150000"},
                           {"grid", grid},
                           {"batch", "3"}},
                          inputs);
          for (const char* name :
               {"smem_tiles", "smem_tiles+cluster=8", "smem_tiles+copy=bulk", "smem_cluster_tiles"}) {
            const variant_facts& v = test_support::named_variant(voxelize_operation(), name);
            if (!run.applies(v)) continue;
            for (const bool instrumented : {false, true}) {
              const check_result result = run.check(v, instrumented);
              EXPECT_TRUE(result.ok) << name << ", " << mode << ", " << region << ", " << family << ", grid "
                                     << grid << ": " << result.message;
            }
            EXPECT_EQ(run.instrumented(v).at("valid"), run.work().input.at("valid")) << name;
          }
        }
}

// Points in the order of their cells: a block's fall into few bins.
TEST_F(VoxelizeOnGpu, PointsForWhichQueuesHaveNoRoom) {
  std::vector<float> points;
  for (int i = 0; i < 150000; ++i)
    points.insert(points.end(), {0.4f + (i % 3) * 0.01f, 0.4f, 0.2f + i / 150000.0f / 2});
  const input_library inputs = library_of(points);
  const variant_facts& v = test_support::named_variant(voxelize_operation(), "smem_bins_one_launch");
  for (const char* mode : modes)
    for (const char* region : {"clear_kernel", "kernel"})
      for (const char* batch : {"1", "3"}) {
        axis_values at = cloud_on("64", batch);
        at.set("mode", mode);
        at.set("region", region);
        variant_run run(voxelize_operation(), at, inputs);
        for (const bool instrumented : {false, true}) {
          const check_result result = run.check(v, instrumented);
          EXPECT_TRUE(result.ok) << mode << ", " << region << ", batch " << batch << ": " << result.message;
        }
        const auto counted = run.instrumented(v);
        EXPECT_GT(counted.at("fallbacks"), 0);
        EXPECT_LT(counted.at("fallbacks"), counted.at("valid"));
      }
}

// So many that a block takes 8192 points by itself, in many rounds of its threads; the last one takes fewer.
TEST_F(VoxelizeOnGpu, BlocksThatWalkManyPoints) {
  const input_library inputs(7, {}, {});
  for (const char* mode : {"count_i32", "count_f32", "occupancy"})
    for (const char* order : {"natural", "morton"})
      expect_variants_right(
          {{"mode", mode}, {"order", order}, {"distribution", "surface"}, {"points", "1234567"}}, inputs,
          std::string(mode) + ", " + order);
}

TEST_F(VoxelizeOnGpu, NumbersOfPointsThatFillNoBlockWarpOrVector) {
  const input_library inputs(8, {}, {});
  std::size_t turn = 0;
  for (const char* points : {"1", "2", "3", "5", "31", "33", "255", "257", "1023", "8191", "8193"}) {
    for (const char* batch : {"1", "3"})
      expect_every_mode_right({{"points", points}, {"grid", "16"}, {"batch", batch}}, inputs,
                              std::string(points) + " points, batch " + batch, turn++);
    ++turn;
  }
}

// Points that have kernels of their own, beside those of the variant that names them.
TEST_F(VoxelizeOnGpu, PointsWithKernelsOfTheirOwn) {
  const input_library inputs(8, {}, {});
  const char* const names[] = {"global_atomic+pdl",
                               "global_atomic+threads=512+pdl",
                               "global_atomic_vec4+pdl",
                               "global_atomic_soa+pdl",
                               "global_atomic_reciprocal+pdl",
                               "smem_hashed_warp_match+election=shuffles",
                               "smem_tiles+cluster=8",
                               "smem_tiles+copy=bulk",
                               "warp_match+points_per_thread=4",
                               "warp_match+points_per_thread=4+pdl",
                               "warp_match_soa+pdl",
                               "warp_match_reciprocal+pdl",
                               "packed_pair+pdl",
                               "packed_pair_match+pdl",
                               "vector_pair_match+pdl",
                               "plain_store+pdl",
                               "plain_store+points_per_thread=4+pdl",
                               "test_then_store+pdl",
                               "test_then_store+points_per_thread=4",
                               "atomic_exchange+pdl",
                               "atomic_exchange+points_per_thread=4"};
  for (const char* points : {"1", "33", "1023", "4099"})
    for (const char* mode : modes)
      for (const char* cell_by : {"division", "reciprocal"})
        for (const char* region : {"clear_kernel", "kernel"}) {
          variant_run run(voxelize_operation(),
                          {{"mode", mode},
                           {"cell_by", cell_by},
                           {"region", region},
                           {"points", points},
                           {"grid", "9"},
                           {"batch", "3"}},
                          inputs);
          for (const char* name : names) {
            const variant_facts& v = test_support::named_variant(voxelize_operation(), name);
            if (!run.applies(v)) continue;
            for (const bool instrumented : {false, true}) {
              const check_result result = run.check(v, instrumented);
              EXPECT_TRUE(result.ok) << name << ", " << points << " points, " << mode << ", " << cell_by
                                     << ", " << region << ": " << result.message;
            }
          }
        }
}

TEST_F(VoxelizeOnGpu, GridsOfAnOddNumberOfCells) {
  const input_library inputs(9, {}, {});
  std::size_t turn = 0;
  for (const char* grid : {"1", "3", "33"})
    for (const char* batch : {"1", "2", "5"})
      expect_every_mode_right({{"points", "4099"}, {"grid", grid}, {"batch", batch}}, inputs,
                              std::string("grid ") + grid + ", batch " + batch, turn++);
}

TEST_F(VoxelizeOnGpu, OneHotVoxel) {
  expect_every_variant_right(cloud_on("64"), library_of(voxelize::test_support::one_hot_voxel(100000)),
                             "one hot voxel");
}

TEST_F(VoxelizeOnGpu, OnePointAVoxelAndMoreVoxelsABlockThanEntries) {
  // 32768 voxels in a row: 8192 distinct ones per block of 8192 points, far more than table entries.
  expect_every_variant_right(cloud_on("32"), library_of(voxelize::test_support::one_point_a_voxel()),
                             "one point a voxel");
}

TEST_F(VoxelizeOnGpu, NoPointsAndOnePointInside) {
  expect_every_variant_right(cloud_on("8"), library_of({2, 2, 2, -1, -1, -1, 0.5f, 0.5f, 0.5f}),
                             "one inside");
  const input_library none(1, {}, {});
  expect_every_variant_right({{"points", "0"}, {"grid", "8"}}, none, "no points");
}

TEST_F(VoxelizeOnGpu, AddsUpWhenNothingClears) {
  const input_library inputs(10, {}, {});
  variant_run run(voxelize_operation(), {{"points", "5000"}, {"grid", "16"}, {"region", "kernel"}}, inputs);
  for (const variant_facts& v : voxelize_operation().variants) {
    if (!run.applies(v)) continue;
    ASSERT_TRUE(run.check(v).ok) << v.name;
    const auto once = run.contents<int>("grid");
    run.launch(v);
    const auto twice = run.contents<int>("grid");
    ASSERT_EQ(once.size(), 16u * 16 * 16);
    for (std::size_t cell = 0; cell < once.size(); ++cell) ASSERT_EQ(twice[cell], 2 * once[cell]) << v.name;
  }
}

TEST_F(VoxelizeOnGpu, AGridThatNobodyClearedIsFoundOut) {
  const input_library inputs(10, {}, {});
  variant_run run(voxelize_operation(), {{"points", "5000"}, {"grid", "16"}, {"region", "kernel"}}, inputs);
  const variant_facts& v = voxelize_operation().variants.front();
  ASSERT_TRUE(run.check(v).ok);
  run.put("grid", std::vector<std::uint32_t>(16 * 16 * 16, poison_word));
  run.launch(v);
  EXPECT_FALSE(run.work().check(run.download()).ok);
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

// Cell 0 is the low half of the first pair, cell 1 the high half.
TEST_F(VoxelizeOnGpu, APackedCounterHoldsItsWholeLowHalf) {
  const std::vector<float> cell_0 = {0.1f, 0.1f, 0.1f}, cell_1 = {0.3f, 0.1f, 0.1f};
  std::vector<float> points;
  for (const auto& point : {cell_0, cell_0, cell_1, cell_0, cell_1, cell_0})
    points.insert(points.end(), point.begin(), point.end());
  const input_library inputs = library_of(points);
  axis_values at = cloud_on("4");
  at.set("region", "kernel");
  variant_run run(voxelize_operation(), at, inputs);
  for (const char* name : {"packed_pair", "packed_pair+pdl", "packed_pair_lanes", "packed_pair_match",
                           "packed_pair_match+pdl"}) {
    const variant_facts& v = test_support::named_variant(voxelize_operation(), name);
    const auto after = [&](unsigned low, unsigned high) {
      run.put<unsigned>("grid", {low, high});
      run.launch(v);
      const auto grid = run.contents<unsigned>("grid");
      return std::pair(grid[0], grid[1]);
    };
    EXPECT_EQ(after(0xfffffffbu, 5), std::pair(0xffffffffu, 7u)) << name;
    // One more than 32 bits hold carries into the neighbor: no cell may have 2^32 points.
    EXPECT_EQ(after(0xfffffffcu, 5), std::pair(0u, 8u)) << name;
  }
}

// Regions with presorted keys, and launches of several kernels, as a run measures them.
class VoxelizeExecutor : public test_support::executor_test {};

TEST_F(VoxelizeExecutor, TimesOverlappedLaunchesInEveryCacheState) {
  for (const cache_state state : {cache_state::cold_clean, cache_state::hot, cache_state::rotating})
    for (const char* region : {"clear_kernel", "kernel"})
      for (const variant_facts& v : voxelize_operation().variants) {
        if (!v.switches.has("launch") || v.minimum_compute_capability > compute_capability()) continue;
        const axis_values at = test_support::values_of(
            voxelize_operation(), {{"distribution", "surface"}, {"points", "50000"}, {"region", region}});
        const measurement m = run(case_of("voxelize", v.name, at, state));
        ASSERT_EQ(m.status, "ok") << v.name << ", " << region << ": " << m.reason;
        EXPECT_EQ(m.facts.check.changed_share, 0) << v.name << ", " << region;
      }
}

TEST_F(VoxelizeExecutor, TimesSortedKeysAloneInEveryCacheState) {
  for (const cache_state state : {cache_state::cold_clean, cache_state::hot, cache_state::rotating})
    for (const char* region : {"clear_kernel", "presorted_clear_kernel", "presorted_kernel"})
      for (const char* variant : {"sorted_segments", "sorted_runs", "sorted_bricks"}) {
        const axis_values at = test_support::values_of(
            voxelize_operation(), {{"distribution", "surface"}, {"points", "50000"}, {"region", region}});
        const measurement m = run(case_of("voxelize", variant, at, state));
        EXPECT_EQ(m.status, "ok") << variant << ", " << region << ": " << m.reason;
      }
}

// One variant per way to compute an address.
TEST_F(VoxelizeOnGpu, GridsBeyondTwoToThe31CellsPointByPoint) {
  expect_right_beyond_two_to_the_31_cells(
      {"global_atomic", "global_atomic_soa", "packed_pair_lanes", "packed_pair_match"});
}
TEST_F(VoxelizeOnGpu, GridsBeyondTwoToThe31CellsThroughSharedMemory) {
  expect_right_beyond_two_to_the_31_cells(
      {"smem_hashed+points_per_block=256", "smem_bricks", "smem_bins", "smem_bins_one_launch", "smem_tiles"});
}
TEST_F(VoxelizeOnGpu, GridsBeyondTwoToThe31CellsByKey) {
  expect_right_beyond_two_to_the_31_cells({"sorted_segments", "sorted_runs_linear", "sorted_bricks"});
}

bool deals_into_bins(const variant_facts& v) {
  return v.switches.has("stage") && v.switches.word("stage") == "bins";
}

TEST_F(VoxelizeOnGpu, BinsOfSeveralSlabs) {
  const input_library inputs(12, {}, {});
  for (const char* mode : {"count_i32", "count_f32", "occupancy"})
    for (const char* region : {"clear_kernel", "kernel"}) {
      // 260³ cells are more than 2^24.
      variant_run run(voxelize_operation(),
                      {{"mode", mode},
                       {"region", region},
                       {"distribution", "surface"},
                       {"points", "100000"},
                       {"grid", "260"},
                       {"batch", "2"}},
                      inputs);
      for (const variant_facts& v : voxelize_operation().variants) {
        if (!deals_into_bins(v) || !run.applies(v)) continue;
        for (const bool instrumented : {false, true}) {
          const check_result result = run.check(v, instrumented);
          EXPECT_TRUE(result.ok) << v.name << ", " << mode << ", " << region << ": " << result.message;
        }
        const auto counted = run.instrumented(v);
        EXPECT_EQ(counted.at("points"), 200000) << v.name;
        EXPECT_EQ(counted.at("valid"), run.work().input.at("valid")) << v.name;
      }
    }
}

// More runs of keys in a bin than its warps count at once; clouds that start 16-byte aligned, and one that
// does not.
TEST_F(VoxelizeOnGpu, BinsOfManyBlocks) {
  const input_library inputs(12, {}, {});
  for (const auto& [points, batch] : {std::pair("5000000", "1"), std::pair("2000003", "2")}) {
    variant_run run(voxelize_operation(), {{"points", points}, {"grid", "128"}, {"batch", batch}}, inputs);
    for (const variant_facts& v : voxelize_operation().variants) {
      if (!deals_into_bins(v) || !run.applies(v)) continue;
      const check_result result = run.check(v);
      EXPECT_TRUE(result.ok) << v.name << ", " << points << " points: " << result.message;
    }
  }
}

/// Atomics if only neighbors in a warp are merged: runs of one voxel, cut every 32 points.
std::int64_t runs_in_warps(const std::vector<std::uint32_t>& voxels) {
  std::int64_t runs = 0;
  for (std::size_t i = 0; i < voxels.size(); ++i)
    runs += voxels[i] != no_voxel && (i % 32 == 0 || voxels[i - 1] != voxels[i]);
  return runs;
}

/// Pairs of voxels.
std::vector<std::uint32_t> halved(std::vector<std::uint32_t> voxels) {
  for (std::uint32_t& voxel : voxels)
    if (voxel != no_voxel) voxel /= 2;
  return voxels;
}

/// Voxels of a grid of 128³ cells along a Morton curve.
std::vector<std::uint32_t> along_a_curve(std::vector<std::uint32_t> voxels) {
  for (std::uint32_t& voxel : voxels) {
    if (voxel == no_voxel) continue;
    std::uint32_t code = 0;
    for (std::uint32_t bit = 0; bit < 21; ++bit) code |= (voxel >> bit & 1) << (3 * (bit % 7) + bit / 7);
    voxel = code;
  }
  std::sort(voxels.begin(), voxels.end());
  return voxels;
}

// 16400 clouds and 2^18 codes in each are more than 2^32 keys.
TEST_F(VoxelizeOnGpu, KeysOfEightBytes) {
  const input_library inputs(12, {}, {});
  const axis_values at = {{"points", "16"}, {"grid", "33"}, {"batch", "16400"}};
  variant_run run(voxelize_operation(), at, inputs);
  for (const variant_facts& v : voxelize_operation().variants) {
    if (!v.switches.has("sort") || !run.applies(v)) continue;
    const check_result result = run.check(v);
    EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
  }
}

// Counts of the instrumented kernels against the merge model that the generators were tested with.
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
      const auto matched = run.instrumented(test_support::named_variant(voxelize_operation(), "warp_match"));
      EXPECT_EQ(matched.at("valid"), warp.points) << what;
      EXPECT_EQ(matched.at("atomics"), warp.atomics) << what;

      const auto atomics = [&](const char* variant) -> std::int64_t {
        const auto counted = run.instrumented(test_support::named_variant(voxelize_operation(), variant));
        EXPECT_EQ(counted.at("valid"), warp.points) << variant << ", " << what;
        return counted.at("atomics");
      };
      for (const char* variant :
           {"global_atomic", "global_atomic_soa", "smem_point_cache_async", "packed_pair", "sorted_atomic"})
        EXPECT_EQ(atomics(variant), warp.points) << variant << ", " << what;
      EXPECT_EQ(atomics("warp_shuffles"), warp.atomics) << what;
      EXPECT_EQ(atomics("warp_runs"), runs_in_warps(voxels)) << what;
      EXPECT_EQ(atomics("packed_pair_match"), merge_in_groups(halved(voxels), 32).atomics) << what;
      EXPECT_EQ(atomics("packed_pair_lanes"), merge_in_groups(halved(voxels), 2).atomics) << what;
      EXPECT_EQ(atomics("sorted_segments"), merge_in_groups(along_a_curve(voxels), 32).atomics) << what;
      EXPECT_EQ(atomics("sorted_runs"), 0) << what;
      EXPECT_LE(atomics("smem_tiles"), warp.atomics) << what;
      const std::int64_t occupied = run.work().input.at("occupied");
      const auto binned = run.instrumented(test_support::named_variant(voxelize_operation(), "smem_bins"));
      EXPECT_EQ(binned.at("atomics"), 0) << what;
      EXPECT_EQ(binned.at("flushes"), occupied) << what;
      EXPECT_EQ(binned.at("hits"), warp.points - occupied) << what;
      // A cell whose points are split between two blocks, at least 256 each, counts twice.
      EXPECT_LE(atomics("sorted_bricks"), occupied + 131072 / 256) << what;

      // Threads race for the slots, so the table may keep other voxels than the model does.
      const table_merge table = merge_in_table(voxels, 8192, 12);
      const auto hashed = run.instrumented(test_support::named_variant(
          voxelize_operation(), "smem_hashed+entries=4096+points_per_block=8192"));
      EXPECT_NEAR(hashed.at("points_per_atomic").get<double>(), table.points_per_atomic(),
                  0.02 * table.points_per_atomic())
          << what;
      EXPECT_EQ(hashed.at("flushes"), table.flushes) << what;
      EXPECT_EQ(hashed.at("hits").get<std::int64_t>() + hashed.at("conflicts").get<std::int64_t>() +
                    hashed.at("flushes").get<std::int64_t>(),
                table.points)
          << what;

      for (const char* variant : {"smem_hashed_probing", "smem_hashed_warp_match", "smem_bins_one_launch"}) {
        const auto counted = run.instrumented(test_support::named_variant(voxelize_operation(), variant));
        EXPECT_EQ(counted.at("hits").get<std::int64_t>() + counted.at("fallbacks").get<std::int64_t>() +
                      counted.at("flushes").get<std::int64_t>(),
                  table.points)
            << variant << ", " << what;
      }

      // The study's table is never filled.
      const auto scanned =
          run.instrumented(test_support::named_variant(voxelize_operation(), "smem_linear_scan"));
      EXPECT_EQ(scanned.at("hits"), 0) << what;
      EXPECT_EQ(scanned.at("flushes"), 0) << what;
      EXPECT_EQ(scanned.at("fallbacks"), table.points) << what;
    }
  }
}

}  // namespace
}  // namespace ablate::voxelize_gpu_test
