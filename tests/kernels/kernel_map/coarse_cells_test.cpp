// The cells of a hierarchical search against enumeration over all places in a cell and all offsets
// (specification: packed_hash §4.3).
#include "kernels/kernel_map/coarse_cells.h"

#include <gtest/gtest.h>

#include "tests/kernels/kernel_map/host_map.h"

namespace ablate::kernel_map {
namespace {

using testing::kernels;
using testing::name_of;
using testing::random_rows;
using testing::rows;
using testing::shape;

TEST(CoarseCells, DivideDownwards) {
  for (int b : {1, 2, 3, 8})
    for (int a = -40; a <= 40; ++a) {
      EXPECT_LE(floor_divide(a, b) * b, a);
      EXPECT_GT((floor_divide(a, b) + 1) * b, a);
    }
}

TEST(CoarseCells, SpanWhatTheOffsetsNeedAndNoMore) {
  for (int k = 1; k <= 17; ++k)
    for (int edge = 1; edge <= 16; ++edge)
      for (int dilation : {1, 2, 3}) {
        const problem p = shape({k, k, k}, true, 1, dilation);
        int low = 1000, high = -1000;
        for (int place = 0; place < edge; ++place)
          for (int i = 0; i < k; ++i) {
            const int cell = floor_divide(place + (i - (k % 2 == 1 ? k / 2 : 0)) * dilation, edge);
            low = std::min(low, cell), high = std::max(high, cell);
          }
        for (int axis = 0; axis < 3; ++axis) {
          const cell_span span = cells_of_offsets(p, axis, edge);
          ASSERT_EQ(span.lowest, low);
          ASSERT_EQ(span.highest, high);
        }
        if (k % 2 == 1) {
          ASSERT_EQ(high, (k / 2 * dilation + edge - 1) / edge);  // ⌈R / S⌉
        }
      }
  const problem flat = shape({13, 1, 5});
  EXPECT_EQ(cells_of_offsets(flat, 0, 4).cells(), 5);
  EXPECT_EQ(cells_of_offsets(flat, 1, 4).cells(), 1);
  EXPECT_EQ(cells_of_offsets(flat, 2, 4).cells(), 3);
}

TEST(CoarseCells, AreCountedAsByTryingAll) {
  const rows in = random_rows(150, 24, {-12, -12, -12}, 21, {0, 5});
  rows cells_out = random_rows(60, 13, {-6, -6, -6}, 22, {0, 5});
  for (const auto& kernel : kernels)
    for (const int edge : {2, 4, 8})
      for (const int stride : {1, 2}) {
        SCOPED_TRACE(name_of(kernel));
        const rows& out = stride == 1 ? in : cells_out;
        problem p = shape(kernel, true, stride);
        p.rows = static_cast<std::int64_t>(in.size()), p.outs = static_cast<std::int64_t>(out.size());
        p.coordinates = in.front().data(), p.out_coordinates = out.front().data();
        std::set<std::array<std::int32_t, 4>> occupied;
        for (const auto& row : in)
          occupied.insert(
              {row[0], floor_divide(row[1], edge), floor_divide(row[2], edge), floor_divide(row[3], edge)});
        std::int64_t survivors = 0, around = 0;
        for (const auto& row : out) {
          std::set<std::array<std::int32_t, 4>> met;
          for (int q = 0; q < p.offsets(); ++q) {
            const auto offset = offset_of(p, q);
            std::array<std::int32_t, 4> cell = {row[0]};
            for (int axis = 0; axis < 3; ++axis)
              cell[axis + 1] = floor_divide(stride * row[axis + 1] + offset[axis], edge);
            if (!occupied.contains(cell)) continue;
            ++survivors;
            met.insert(cell);
          }
          around += static_cast<std::int64_t>(met.size());
        }
        const coarse_occupancy measured = measure_coarse_occupancy(p, edge, 1);
        EXPECT_DOUBLE_EQ(measured.survivor_share, static_cast<double>(survivors) / p.outs / p.offsets());
        EXPECT_DOUBLE_EQ(measured.cells_per_row, static_cast<double>(occupied.size()) / p.rows);
        // Some of the cells around have none of this row's offsets.
        EXPECT_GE(measured.occupied_cells * p.outs, around - 1e-6);
        EXPECT_LE(measured.occupied_cells, measured.box_cells);
      }
}

TEST(CoarseCells, HoldASolidBlock) {
  rows solid;
  for (int i = 0; i < 64; ++i) solid.push_back({0, i / 16, i / 4 % 4, i % 4});
  problem p = shape({7, 7, 7});
  p.rows = p.outs = 64, p.coordinates = p.out_coordinates = solid.front().data();
  const coarse_occupancy measured = measure_coarse_occupancy(p, 4, 1);
  EXPECT_EQ(measured.box_cells, 27);
  EXPECT_EQ(measured.occupied_cells, 1);
  EXPECT_DOUBLE_EQ(measured.survivor_share, 64.0 / 343);  // 18.7 %, wherever the row stands
  EXPECT_DOUBLE_EQ(measured.cells_per_row, 1.0 / 64);
  p.rows = p.outs = 0;
  EXPECT_EQ(measure_coarse_occupancy(p, 4, 1).occupied_cells, 0);
}

}  // namespace
}  // namespace ablate::kernel_map
