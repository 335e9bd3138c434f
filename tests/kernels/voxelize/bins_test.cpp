#include "kernels/voxelize/bins.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace ablate::voxelize::bins_test {
namespace {

problem on_grid(std::array<int, 3> cells, int batch = 1, std::int64_t points = 100000) {
  problem p;
  p.cells = cells;
  p.batch = batch;
  p.points_per_cloud = points;
  return p;
}

switches with(const char* points_per_block) { return {{"points_per_block", points_per_block}}; }

constexpr std::array<int, 3> grids[] = {{1, 1, 1},    {4, 4, 4},    {33, 7, 5},      {64, 64, 64},
                                        {65, 65, 65}, {97, 89, 83}, {128, 128, 128}, {256, 256, 256}};

TEST(VoxelizeBins, HaveAPlaceOfItsOwnForEachCell) {
  for (const auto& grid : grids)
    for (const int batch : {1, 32}) {
      const problem p = on_grid(grid, batch);
      const bin_plan plan(p, 4096);
      ASSERT_EQ(plan.slabs, 1);
      ASSERT_LE(plan.bins(), max_bins);
      ASSERT_LE(plan.cells_per_bin, max_cells_per_bin);
      ASSERT_EQ(plan.cells_per_bin % cells_per_row, 0);
      std::vector<bool> taken(static_cast<std::size_t>(plan.bins()) *
                              static_cast<std::size_t>(plan.cells_per_bin));
      for (int cell = 0; cell < p.cells_per_cloud(); ++cell) {
        const int bin = plan.bin_of(cell), place = plan.place_of(cell);
        ASSERT_TRUE(0 <= bin && bin < plan.bins() && 0 <= place && place < plan.cells_per_bin) << cell;
        const std::size_t at = static_cast<std::size_t>(bin) * static_cast<std::size_t>(plan.cells_per_bin) +
                               static_cast<std::size_t>(place);
        ASSERT_FALSE(taken[at]) << cell;
        taken[at] = true;
        ASSERT_EQ(plan.cell_of(bin, place), cell);
      }
      // What is left over maps to no cell, and is not written.
      for (std::size_t at = 0; at < taken.size(); ++at) {
        const int bin = static_cast<int>(at) / plan.cells_per_bin,
                  place = static_cast<int>(at) % plan.cells_per_bin;
        ASSERT_EQ(taken[at], plan.cell_of(bin, place) < p.cells_per_cloud()) << bin << ", " << place;
      }
    }
}

TEST(VoxelizeBins, AreEnoughForAllMultiprocessors) {
  EXPECT_EQ(bin_plan(on_grid({128, 128, 128}), 4096).bins(), 128);
  EXPECT_EQ(bin_plan(on_grid({64, 64, 64}), 4096).bins(), 128);
  EXPECT_EQ(bin_plan(on_grid({64, 64, 64}, 8), 4096).bins(), 16);
  EXPECT_EQ(bin_plan(on_grid({4, 4, 4}), 4096).bins(), 1);
}

TEST(VoxelizeBins, CutAGridThatTheyCannotHold) {
  const bin_plan plan(on_grid({1290, 1290, 1290}), 4096);
  EXPECT_EQ(plan.bins(), max_bins);
  EXPECT_EQ(plan.cells_per_bin, max_cells_per_bin);
  EXPECT_EQ(plan.slabs, 128);
  EXPECT_EQ(bin_plan(on_grid({257, 256, 256}), 4096).slabs, 2);
}

TEST(VoxelizeBins, HaveBlocksOfPointsForAllMultiprocessors) {
  const auto plan = [](std::int64_t points, int batch, const char* points_per_block) {
    return bin_plan(on_grid({64, 64, 64}, batch, points), with(points_per_block));
  };
  EXPECT_EQ(plan(1 << 20, 1, "auto").points_per_block, 4096);
  EXPECT_EQ(plan(1 << 20, 1, "auto").blocks, 256u);
  EXPECT_EQ(plan(200000, 1, "auto").points_per_block, 2048);
  EXPECT_EQ(plan(200000, 1, "auto").blocks, 98u);
  EXPECT_EQ(plan(16384, 32, "auto").points_per_block, 4096);
  EXPECT_EQ(plan(200000, 1, "8192").blocks, 25u);
  EXPECT_EQ(plan(0, 1, "auto").blocks, 0u);
}

TEST(VoxelizeBins, RefuseAChoiceThatMemoryWasNotMadeFor) {
  const problem p = on_grid({64, 64, 64});
  EXPECT_THROW(bin_plan(p, with("1000")), std::invalid_argument);
}

TEST(VoxelizeBins, FitIntoTheirMemoryWithAnyChoice) {
  for (const auto& grid : grids)
    for (const std::int64_t points : {0, 1, 5000, 200000}) {
      const problem p = on_grid(grid, 3, points);
      for (const int of_block : block_choices) {
        const bin_plan plan(p, of_block);
        EXPECT_LE(bin_scratch(p, plan).bytes, bin_bytes(p));
        EXPECT_GE(std::int64_t{plan.blocks} * of_block, points);
      }
    }
}

}  // namespace
}  // namespace ablate::voxelize::bins_test
