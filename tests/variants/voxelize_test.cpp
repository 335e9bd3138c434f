// The operation voxelize on the host: what its inputs, oracle and work model must satisfy for any variant.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "harness/registry/registry.h"
#include "harness/runner/buffers.h"
#include "oracles/voxelize/reference.h"
#include "tests/kernels/voxelize/corner_cases.h"
#include "tests/support/axis_values.h"
#include "tests/support/point_files.h"

namespace ablate::voxelize_test {
namespace {

using test_support::values_of;

constexpr std::size_t grid_place = 1;  // of the buffers

const operation& voxelize_operation() { return *find_operation("voxelize"); }

axis_values at(const axis_values& given) { return values_of(voxelize_operation(), given); }

/// The grid that the reference gives at these axes.
std::vector<std::int32_t> grid_at(const axis_values& given, std::uint64_t seed = 1) {
  const input_library inputs(seed, {}, {});
  const axis_values axes = at(given);
  const workload work = voxelize_operation().prepare(axes, inputs);
  const auto buffers = voxelize_operation().buffers(axes, inputs);
  std::vector<std::int32_t> grid(buffers[grid_place].bytes / sizeof(std::int32_t), 0);
  std::vector<void*> addresses(buffers.size(), nullptr);
  addresses[grid_place] = grid.data();
  work.reference(addresses);
  return grid;
}

workload workload_at(const axis_values& given, std::uint64_t seed = 1) {
  return voxelize_operation().prepare(at(given), input_library(seed, {}, {}));
}

std::int64_t sum(const std::vector<std::int32_t>& grid) {
  return std::accumulate(grid.begin(), grid.end(), std::int64_t{0});
}

TEST(VoxelizeOperation, CountsEveryValidPointOnce) {
  for (const char* family : {"uniform", "surface", "clustered"}) {
    const axis_values axes = {{"distribution", family}, {"points", "30000"}, {"grid", "32"}};
    EXPECT_EQ(sum(grid_at(axes)), workload_at(axes).input.at("valid")) << family;
  }
}

TEST(VoxelizeOperation, GivesTheSameGridForEveryOrderOfThePoints) {
  for (const char* family : {"uniform", "surface", "lidar"}) {
    const char* frame = std::strcmp(family, "lidar") == 0 ? "vehicle" : "robot";
    const auto natural =
        grid_at({{"distribution", family}, {"frame", frame}, {"points", "20000"}, {"grid", "64"}});
    for (const char* order : {"shuffled", "morton"})
      EXPECT_EQ(grid_at({{"distribution", family},
                         {"frame", frame},
                         {"points", "20000"},
                         {"grid", "64"},
                         {"order", order}}),
                natural)
          << family << ", " << order;
  }
}

TEST(VoxelizeOperation, PutsPointsInTheOrderOfTheirCells) {
  for (const char* layout : {"x_fastest", "z_fastest"}) {
    const axis_values axes = at({{"distribution", "surface"},
                                 {"frame", "robot"},
                                 {"points", "3000"},
                                 {"grid", "16"},
                                 {"batch", "2"},
                                 {"order", "linear"},
                                 {"layout", layout}});
    const workload work = voxelize_operation().prepare(axes, input_library(1, {}, {}));
    voxelize::problem p;
    for (int axis = 0; axis < 3; ++axis) p.voxel[axis] = 1.28f / 16, p.cells[axis] = 16;
    p.z_fastest = std::strcmp(layout, "z_fastest") == 0;
    const auto* xyz = reinterpret_cast<const float*>(work.contents[0].data());
    for (std::size_t i = 1; i < 6000; ++i) {
      if (i == 3000) continue;  // the second cloud starts here
      const auto before = static_cast<std::uint64_t>(voxelize::cell_of(p, xyz + 3 * i - 3));
      ASSERT_LE(before, static_cast<std::uint64_t>(voxelize::cell_of(p, xyz + 3 * i))) << layout << ", " << i;
    }
    axis_values natural = axes;
    natural.set("order", "natural");
    EXPECT_EQ(grid_at(axes), grid_at(natural)) << layout;
  }
}

TEST(VoxelizeOperation, TransposesTheGridInTheOtherLayout) {
  const axis_values axes = {{"distribution", "surface"}, {"points", "5000"}, {"grid", "16"}};
  axis_values other = axes;
  other.set("layout", "z_fastest");
  const auto grid = grid_at(axes), transposed = grid_at(other);
  for (std::size_t z = 0; z < 16; ++z)
    for (std::size_t y = 0; y < 16; ++y)
      for (std::size_t x = 0; x < 16; ++x)
        ASSERT_EQ(transposed[(x * 16 + y) * 16 + z], grid[(z * 16 + y) * 16 + x]);
}

TEST(VoxelizeOperation, CountsThePointsThatTheReciprocalMoves) {
  test_support::point_files files;
  const input_library inputs =
      files.library_of("cloud", voxelize::test_support::points_on_boundaries(0.02f, 64));
  axis_values axes = {{"distribution", "cloud"}, {"points", "0"}, {"grid", "64"}, {"frame", "robot"}};
  const auto input_at = [&] { return voxelize_operation().prepare(at(axes), inputs).input; };
  EXPECT_FALSE(input_at().contains("moved_by_reciprocal"));
  const auto points = input_at().at("points").get<std::int64_t>();
  axes.set("cell_by", "reciprocal");
  const auto moved = input_at().at("moved_by_reciprocal").get<std::int64_t>();
  EXPECT_GT(moved, 0);
  EXPECT_LT(moved, points / 2);
  // 1 / voxel is a power of two.
  axes.set("frame", "unit");
  EXPECT_EQ(input_at().at("moved_by_reciprocal"), 0);
}

TEST(VoxelizeOperation, HoldsAQuarterOfThePointsInTheCorner) {
  const axis_values axes = {{"points", "50000"}, {"grid", "64"}, {"frame", "corner"}, {"batch", "2"}};
  const auto valid = workload_at(axes).input.at("valid").get<double>();
  EXPECT_NEAR(valid / 100000, 0.64 * 0.64 * 0.64, 0.01);
  const auto grid = grid_at(axes);
  const std::vector<std::int32_t> first(grid.begin(), grid.begin() + 64 * 64 * 64);
  EXPECT_NEAR(static_cast<double>(sum(first)) / 50000, 0.64 * 0.64 * 0.64, 0.01);
  EXPECT_EQ(first, grid_at({{"points", "50000"}, {"grid", "64"}, {"frame", "corner"}}));
}

TEST(VoxelizeOperation, HasTheSamePointsAsAStructureOfArrays) {
  const workload work = workload_at({{"points", "1000"}, {"grid", "8"}, {"batch", "3"}});
  ASSERT_EQ(work.contents[3].size(), work.contents[0].size());
  const auto* xyz = reinterpret_cast<const float*>(work.contents[0].data());
  const auto* columns = reinterpret_cast<const float*>(work.contents[3].data());
  for (std::size_t cloud = 0; cloud < 3; ++cloud)
    for (std::size_t i = 0; i < 1000; ++i)
      for (std::size_t axis = 0; axis < 3; ++axis)
        ASSERT_EQ(columns[(cloud * 3 + axis) * 1000 + i], xyz[(cloud * 1000 + i) * 3 + axis]);
}

TEST(VoxelizeOperation, SortsAheadOfPresortedRegionsAlone) {
  const input_library inputs(1, {}, {});
  for (const char* region : {"clear_kernel", "kernel"})
    EXPECT_FALSE(voxelize_operation().has_ahead(at({{"region", region}}), inputs)) << region;
  for (const char* region : {"presorted_clear_kernel", "presorted_kernel"})
    EXPECT_TRUE(voxelize_operation().has_ahead(at({{"region", region}}), inputs)) << region;
}

TEST(VoxelizeOperation, GivesAVariantOnlyTheBuffersThatItReads) {
  const input_library inputs(1, {}, {});
  const auto bytes_of = [&](const char* variant, const std::string& name) {
    const auto all =
        voxelize_operation().buffers_of(voxelize_operation().find_variant(variant), at({}), inputs);
    for (const buffer& b : all)
      if (b.name == name) return b.bytes;
    return std::size_t{0};
  };
  EXPECT_EQ(bytes_of("global_atomic", "points"), 12u * 131072);
  EXPECT_EQ(bytes_of("global_atomic", "points_soa"), 0u);
  EXPECT_EQ(bytes_of("global_atomic", "scratch"), 0u);
  EXPECT_EQ(bytes_of("global_atomic", "bins"), 0u);
  EXPECT_EQ(bytes_of("global_atomic_soa", "points"), 0u);
  EXPECT_EQ(bytes_of("global_atomic_soa", "points_soa"), 12u * 131072);
  EXPECT_GE(bytes_of("sorted_runs", "scratch"), 3 * 4u * 131072);
  EXPECT_GE(bytes_of("smem_bins", "bins"), 2u * 131072);
  EXPECT_EQ(bytes_of("smem_bins", "scratch"), 0u);
}

TEST(VoxelizeOperation, LeavesPresortedRegionsToVariantsThatSortAndTheReciprocalToThoseThatMultiply) {
  for (const variant_facts& v : voxelize_operation().variants) {
    const auto applies = [&](axis_values axes) {
      for (const char* mode : {"count_i32", "count_f32", "occupancy"}) {
        axes.set("mode", mode);
        if (first_unmet(v.only_where, at(axes)) == nullptr) return true;
      }
      return false;
    };
    const bool by_reciprocal = v.switches.has("division");
    EXPECT_EQ(applies({}), !by_reciprocal) << v.name;
    EXPECT_EQ(applies({{"cell_by", "reciprocal"}}), by_reciprocal) << v.name;
    EXPECT_EQ(applies({{"region", "presorted_kernel"}}), v.switches.has("sort")) << v.name;
  }
}

TEST(VoxelizeOperation, GivesTheFirstCloudOfABatchTheGridThatItHasAlone) {
  const auto alone = grid_at({{"points", "5000"}, {"grid", "16"}});
  const auto batch = grid_at({{"points", "5000"}, {"grid", "16"}, {"batch", "3"}});
  ASSERT_EQ(batch.size(), 3 * alone.size());
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), batch.begin()));
  // The others are rotated, so they differ.
  EXPECT_FALSE(std::equal(alone.begin(), alone.end(), batch.begin() + static_cast<long>(alone.size())));
}

TEST(VoxelizeOperation, CountsTheSameInBothModes) {
  const auto integers = grid_at({{"points", "9000"}, {"grid", "8"}});
  const auto bits = grid_at({{"points", "9000"}, {"grid", "8"}, {"mode", "count_f32"}});
  for (std::size_t cell = 0; cell < integers.size(); ++cell) {
    float count;
    std::memcpy(&count, &bits[cell], sizeof count);
    ASSERT_EQ(count, static_cast<float>(integers[cell]));
  }
}

TEST(VoxelizeOperation, MarksInOccupancyWhatItCountsOtherwise) {
  const auto counts = grid_at({{"points", "900"}, {"grid", "8"}});
  const auto marks = grid_at({{"points", "900"}, {"grid", "8"}, {"mode", "occupancy"}});
  for (std::size_t cell = 0; cell < counts.size(); ++cell) ASSERT_EQ(marks[cell], counts[cell] > 0 ? 1 : 0);
}

TEST(VoxelizeOperation, GivesAnotherSeedOtherPointsAndTheSameSeedTheSame) {
  const axis_values axes = {{"points", "1000"}, {"grid", "8"}};
  EXPECT_EQ(workload_at(axes, 4).input.at("hash"), workload_at(axes, 4).input.at("hash"));
  EXPECT_NE(workload_at(axes, 4).input.at("hash"), workload_at(axes, 5).input.at("hash"));
}

TEST(VoxelizeOperation, DeclaresItsCompulsoryWork) {
  const workload cleared = workload_at({{"points", "1000"}, {"grid", "8"}, {"batch", "2"}});
  EXPECT_EQ(cleared.work.bytes, 2 * (12 * 1000 + 4 * 8 * 8 * 8));
  EXPECT_EQ(cleared.work.atomics, cleared.input.at("occupied"));
  const workload marked = workload_at({{"points", "1000"}, {"grid", "8"}, {"mode", "occupancy"}});
  EXPECT_EQ(marked.work.atomics, 0) << "plain stores do";
  const workload counted =
      workload_at({{"points", "1000"}, {"grid", "8"}, {"batch", "2"}, {"region", "kernel"}});
  EXPECT_EQ(counted.work.bytes, 2 * 12 * 1000);
  // A 4-byte key per point, and no more position arithmetic.
  const workload sorted =
      workload_at({{"points", "1000"}, {"grid", "8"}, {"batch", "2"}, {"region", "presorted_clear_kernel"}});
  EXPECT_EQ(sorted.work.bytes, 2 * (4 * 1000 + 4 * 8 * 8 * 8));
  EXPECT_EQ(sorted.work.flops, 0);
}

TEST(VoxelizeOperation, BoundsItsReductionsByOccupiedSectorsAndCells) {
  const axis_values axes = {{"points", "40"}, {"grid", "8"}};
  const auto grid = grid_at(axes);
  double cells = 0, sectors = 0;
  for (std::size_t sector = 0; sector < grid.size(); sector += 8) {
    const auto in_sector =
        std::count_if(grid.begin() + static_cast<long>(sector), grid.begin() + static_cast<long>(sector) + 8,
                      [](int n) { return n > 0; });
    cells += static_cast<double>(in_sector);
    sectors += in_sector > 0;
  }
  ASSERT_LT(sectors, cells);
  for (const std::string mode : {"count_i32", "count_f32"}) {
    const work_model work = workload_at({{"points", "40"}, {"grid", "8"}, {"mode", mode}}).work;
    const std::string operand = mode == "count_f32" ? "_f32" : "";
    ASSERT_EQ(work.reductions.size(), 2u);
    EXPECT_EQ(work.reductions[0].ceiling, "atomics_distinct" + operand);
    EXPECT_EQ(work.reductions[0].count, sectors);
    EXPECT_EQ(work.reductions[1].ceiling, "atomics_full_sectors" + operand);
    EXPECT_EQ(work.reductions[1].count, cells);
  }
}

TEST(VoxelizeOperation, FindsOutOneWrongCellAndSaysWhich) {
  const axis_values axes = {{"points", "1000"}, {"grid", "8"}};
  const workload work = workload_at(axes);
  auto grid = grid_at(axes);
  const auto check = [&] {
    std::vector<const std::byte*> outputs(work.contents.size(), nullptr);
    outputs[grid_place] = reinterpret_cast<const std::byte*>(grid.data());
    return work.check(outputs);
  };
  EXPECT_TRUE(check().ok);
  grid[8 * 8 * 2 + 8 * 3 + 4] += 1;
  const check_result wrong = check();
  EXPECT_FALSE(wrong.ok);
  EXPECT_NE(wrong.message.find("1 of 512 cells differ"), std::string::npos) << wrong.message;
  EXPECT_NE(wrong.message.find("cell (4, 3, 2)"), std::string::npos) << wrong.message;
}

TEST(VoxelizeOperation, RefusesWhatMakesNoCase) {
  const operation& op = voxelize_operation();
  EXPECT_FALSE(op.refuses(at({})));
  EXPECT_TRUE(op.refuses(at({{"distribution", "lidar"}, {"frame", "unit"}})));
  EXPECT_FALSE(op.refuses(at({{"distribution", "lidar"}, {"frame", "vehicle"}, {"order", "azimuth"}})));
  EXPECT_TRUE(op.refuses(at({{"order", "azimuth"}})));
  EXPECT_TRUE(op.refuses(at({{"points", "0"}})));
  EXPECT_FALSE(op.refuses(at({{"frame", "corner"}})));
  EXPECT_TRUE(op.refuses(at({{"frame", "corner"}, {"order", "morton"}})));
  EXPECT_TRUE(op.refuses(at({{"frame", "corner"}, {"distribution", "surface"}})));
  EXPECT_TRUE(op.refuses(at({{"frame", "corner"}, {"points", "1000000"}, {"batch", "32"}})));
}

TEST(VoxelizeOperation, ReadsNoInstrumentsWhereAVariantHasNone) {
  const std::vector<std::uint64_t> nothing(9, 0);
  EXPECT_TRUE(workload_at({{"points", "10"}, {"grid", "4"}}).read_instruments(nothing).is_null());
}

}  // namespace
}  // namespace ablate::voxelize_test
