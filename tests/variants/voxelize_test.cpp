// The operation voxelize on the host: what its inputs, oracle and work model must satisfy whatever the
// variant.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "harness/registry/registry.h"
#include "harness/runner/buffers.h"

namespace ablate {
namespace {

const operation& voxelize_operation() { return *find_operation("voxelize"); }

axis_values at(const axis_values& given) {
  axis_values all;
  for (const axis& a : voxelize_operation().axes) all.set(a.name, a.default_value);
  for (const auto& [name, value] : given) all.set(name, value);
  return all;
}

/// The grid that the reference gives at these axes.
std::vector<std::int32_t> grid_at(const axis_values& given, std::uint64_t seed = 1) {
  const input_library inputs(seed, {}, {});
  const axis_values axes = at(given);
  const workload work = voxelize_operation().prepare(axes, inputs);
  const auto buffers = voxelize_operation().buffers(axes, inputs);
  std::vector<std::int32_t> grid(buffers[1].bytes / sizeof(std::int32_t), 0);
  std::vector<void*> addresses = {nullptr, grid.data(), nullptr};
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

TEST(VoxelizeOperation, GivesTheFirstCloudOfABatchTheGridThatItHasAlone) {
  const auto alone = grid_at({{"points", "5000"}, {"grid", "16"}});
  const auto batch = grid_at({{"points", "5000"}, {"grid", "16"}, {"batch", "3"}});
  ASSERT_EQ(batch.size(), 3 * alone.size());
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), batch.begin()));
  // The others are turned, so they are other clouds.
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
  const workload counted =
      workload_at({{"points", "1000"}, {"grid", "8"}, {"batch", "2"}, {"region", "kernel"}});
  EXPECT_EQ(counted.work.bytes, 2 * 12 * 1000);
}

TEST(VoxelizeOperation, FindsOutOneWrongCellAndSaysWhich) {
  const axis_values axes = {{"points", "1000"}, {"grid", "8"}};
  const workload work = workload_at(axes);
  auto grid = grid_at(axes);
  const auto check = [&] {
    const std::byte* outputs[] = {nullptr, reinterpret_cast<const std::byte*>(grid.data()), nullptr};
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
}

TEST(VoxelizeOperation, ReadsNoInstrumentsWhereAVariantHasNone) {
  const std::vector<std::uint64_t> nothing(9, 0);
  EXPECT_TRUE(workload_at({{"points", "10"}, {"grid", "4"}}).read_instruments(nothing).is_null());
}

}  // namespace
}  // namespace ablate
