#include "kernels/voxelize/sort_scratch.h"

#include <gtest/gtest.h>

#include <vector>

namespace ablate::voxelize::sort_scratch_test {
namespace {

problem on_grid(int cells, int batch, std::int64_t points = 1000) {
  problem p;
  p.cells = {cells, cells, cells};
  p.batch = batch;
  p.points_per_cloud = points;
  return p;
}

TEST(VoxelizeKeys, HaveTheBitsOfTheCellsAndOneMoreForPointsOutside) {
  for (const bool morton : {false, true}) {
    EXPECT_EQ(cell_keys(on_grid(64, 1), morton).key_bits(), 19);
    EXPECT_EQ(cell_keys(on_grid(128, 1), morton).key_bits(), 22);
    EXPECT_EQ(cell_keys(on_grid(128, 32), morton).key_bits(), 27);
  }
  // A curve fills cubes of powers of two, an index does not.
  EXPECT_EQ(cell_keys(on_grid(65, 1), true).key_bits(), 22);
  EXPECT_EQ(cell_keys(on_grid(65, 1), false).key_bits(), 19);
}

TEST(VoxelizeKeys, CutEveryCloudIntoWholeBricks) {
  for (const int cells : {1, 2, 4, 7, 8}) EXPECT_EQ(cell_keys(on_grid(cells, 1), true).axis_bits, 3) << cells;
  EXPECT_EQ(cell_keys(on_grid(9, 1), true).axis_bits, 4);
}

TEST(VoxelizeKeys, TakeEightBytesOnlyWhereFourDoNotHoldThem) {
  EXPECT_EQ(key_bytes(on_grid(128, 1)), 4u);
  EXPECT_EQ(key_bytes(on_grid(128, 2047)), 4u);  // 2047 · 2^21 has 32 bits
  EXPECT_EQ(key_bytes(on_grid(128, 2048)), 8u);
  EXPECT_EQ(key_bytes(on_grid(1290, 1)), 8u);  // 2^33 codes
}

TEST(VoxelizeKeys, LieApartInTheScratch) {
  problem p = on_grid(64, 3, 1001);
  std::vector<std::byte> memory(sort_scratch_bytes(p) + 256);
  p.scratch = memory.data();
  const sort_scratch s(p);
  EXPECT_EQ(s.bytes, sort_scratch_bytes(p));
  EXPECT_GE(s.sorted - s.keys, 4 * 3 * 1001);
  EXPECT_GE(s.temporary - s.sorted, 4 * 3 * 1001);
  EXPECT_LE(s.temporary + s.temporary_bytes, memory.data() + s.bytes);
  EXPECT_GE(s.temporary_bytes, 4u * 3 * 1001);
}

}  // namespace
}  // namespace ablate::voxelize::sort_scratch_test
