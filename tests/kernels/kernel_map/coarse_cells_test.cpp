// The cells of a hierarchical search (docs/operations/kernel_map.md, "Hierarchy") against enumeration over
// all places in a cell and all offsets.
#include "kernels/kernel_map/coarse_cells.h"

#include <gtest/gtest.h>

#include "tests/kernels/kernel_map/host_map.h"

namespace ablate::kernel_map::coarse_cells_test {
namespace {

using test_support::kernels;
using test_support::name_of;
using test_support::random_rows;
using test_support::rows;
using test_support::shape;

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

// Which kernels fit into a mask: for odd ones k ≤ 2 S + 1 on every axis, or fewer cells on another.
TEST(CoarseCells, FitIntoAMaskByTheExactRule) {
  const auto fits = [](int k, int edge) { return cells_around(shape({k, k, k}), edge) <= max_masked_cells; };
  for (const int edge : {2, 4, 8})
    for (int k = 1; k <= 25; k += 2)
      EXPECT_EQ(fits(k, edge), k <= 2 * edge + 1) << k << ", cells of " << edge;
  EXPECT_TRUE(fits(4, 2));
  EXPECT_FALSE(fits(6, 2));
  EXPECT_EQ(cells_around(shape({2, 2, 2}), 2), 8);
  EXPECT_EQ(cells_around(shape({4, 4, 4}), 2), 27);
  EXPECT_EQ(cells_around(shape({13, 13, 1}), 4), 25);
  EXPECT_EQ(cells_around(shape({5, 25, 1}), 4), 21);
  EXPECT_EQ(cells_around(shape({5, 25, 1}), 8), 15);
  EXPECT_EQ(cells_around(shape({9, 5, 3}), 2), 45);
  EXPECT_EQ(cells_around(shape({11, 11, 11}), 8), 27);
}

// Undilated, an axis has no more cells than offsets: numbers of neighbors fit where in rows would.
TEST(CoarseCells, AreNoMoreThanOffsets) {
  for (int k = 1; k <= 40; ++k)
    for (const int edge : {2, 4, 8})
      EXPECT_LE(cells_of_offsets(shape({k, k, k}), 0, edge).cells(), k) << k << ", cells of " << edge;
}

// The offsets before the middle one, from all places in a cell: the boxes of a search of one half.
TEST(CoarseCells, OfTheFirstHalfOfTheOffsetsAreThoseThatItReaches) {
  for (const auto& kernel : kernels)
    for (const int edge : {2, 4, 8})
      for (const int dilation : {1, 2}) {
        SCOPED_TRACE(name_of(kernel));
        const problem p = shape(kernel, true, 1, dilation);
        if (p.offsets() == 1 || kernel[0] % 2 == 0) continue;
        for (int axis = 0; axis < 3; ++axis) {
          int low = 1000, high = -1000, first = 1000, last = -1000;
          for (int q = 0; q < p.offsets() / 2; ++q) {
            const int offset = offset_of(p, q)[axis];
            first = std::min(first, offset), last = std::max(last, offset);
            for (int place = 0; place < edge; ++place) {
              const int cell = floor_divide(place + offset, edge);
              low = std::min(low, cell), high = std::max(high, cell);
            }
          }
          const span offsets = offsets_along(p, axis, searched_offsets::first_half);
          EXPECT_EQ(offsets.lowest, first);
          EXPECT_EQ(offsets.highest, last);
          const cell_span cells = cells_of_offsets(p, axis, edge, searched_offsets::first_half);
          EXPECT_EQ(cells.lowest, low);
          EXPECT_EQ(cells.highest, high);
        }
      }
  EXPECT_EQ(cells_of_offsets(shape({7, 7, 7}), 0, 4, searched_offsets::first_half).cells(), 2);
  EXPECT_EQ(cells_of_offsets(shape({7, 7, 7}), 1, 4, searched_offsets::first_half).cells(), 3);
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
  EXPECT_DOUBLE_EQ(measured.survivor_share, 64.0 / 343);  // 18.7 %, wherever the row is
  EXPECT_DOUBLE_EQ(measured.cells_per_row, 1.0 / 64);
  p.rows = p.outs = 0;
  EXPECT_EQ(measure_coarse_occupancy(p, 4, 1).occupied_cells, 0);
}

// What small boxes lose, against the pairs themselves.
TEST(SmallBoxes, LoseThePairsThatTryingAllSays) {
  const rows in = random_rows(400, 14, {-7, -7, -7}, 23, {0, 5});
  rows strided = random_rows(80, 7, {-4, -4, -4}, 24, {0, 5});
  for (const auto& kernel : kernels)
    for (const int stride : {1, 2})
      for (const int dilation : {1, 2}) {
        SCOPED_TRACE(name_of(kernel));
        const rows& out = stride == 1 ? in : strided;
        const test_support::host_map map(shape(kernel, true, stride, dilation), in, out);
        std::vector<std::array<std::int64_t, 8>> kept(out.size());
        std::vector<std::int64_t> found(out.size());
        std::array<std::int64_t, 8> kept_of_all{};
        for (const auto& [q, i, j] : map.triples()) {
          ++found[j];
          for (int box = 0; box < 8; ++box) {
            bool inside = true;
            for (int axis = 0; axis < 3; ++axis) {
              const int d = floor_divide(in[i][axis + 1], 4) - floor_divide(stride * out[j][axis + 1], 4);
              inside = inside && (d == 0 || d == (box >> axis & 1 ? 1 : -1));
            }
            kept[j][box] += inside, kept_of_all[box] += inside;
          }
        }
        std::int64_t kept_by_own = 0, losing = 0;
        for (std::size_t j = 0; j < out.size(); ++j) {
          const std::int64_t best = *std::max_element(kept[j].begin(), kept[j].end());
          kept_by_own += best, losing += best < found[j];
        }
        const std::int64_t pairs = map.ends.back();
        const auto lost = [&](std::int64_t kept) {
          return pairs > 0 ? static_cast<double>(pairs - kept) / static_cast<double>(pairs) : 0;
        };
        const small_box_losses measured = measure_small_boxes(map.p, 1);
        EXPECT_EQ(measured.pairs, pairs);
        EXPECT_DOUBLE_EQ(measured.outside_fixed_box_share,
                         lost(*std::max_element(kept_of_all.begin(), kept_of_all.end())));
        EXPECT_DOUBLE_EQ(measured.outside_own_box_share, lost(kept_by_own));
        EXPECT_DOUBLE_EQ(measured.queries_beyond_own_box_share,
                         static_cast<double>(losing) / static_cast<double>(out.size()));
      }
}

// In a solid block a row at place r needs cells on both sides along an axis unless its offsets end at the
// cells' faces: 5³ never, 7³ at half of the places of each axis.
TEST(SmallBoxes, AreEnoughForOneInEightRowsOfASolidBlock) {
  rows solid;
  for (int i = 0; i < 20 * 20 * 20; ++i) solid.push_back({0, i / 400, i / 20 % 20, i % 20});
  rows inner;
  for (const auto& row : solid)
    if (std::all_of(row.begin() + 1, row.end(), [](int c) { return c >= 4 && c < 16; })) inner.push_back(row);
  const auto losses = [&](int k) {
    problem p = shape({k, k, k});
    p.rows = static_cast<std::int64_t>(solid.size()), p.outs = static_cast<std::int64_t>(inner.size());
    p.coordinates = solid.front().data(), p.out_coordinates = inner.front().data();
    return measure_small_boxes(p, 1);
  };
  EXPECT_EQ(losses(5).queries_beyond_own_box_share, 0);
  EXPECT_GT(losses(5).outside_fixed_box_share, 0);
  EXPECT_DOUBLE_EQ(losses(7).queries_beyond_own_box_share, 7.0 / 8);
  EXPECT_EQ(losses(9).queries_beyond_own_box_share, 1);
}

TEST(SmallBoxes, OfNoRowsLoseNothing) {
  const problem none = shape({7, 7, 7});
  const small_box_losses measured = measure_small_boxes(none, 1);
  EXPECT_EQ(measured.pairs, 0);
  EXPECT_EQ(measured.outside_fixed_box_share, 0);
  EXPECT_EQ(measured.outside_own_box_share, 0);
  EXPECT_EQ(measured.queries_beyond_own_box_share, 0);
}

}  // namespace
}  // namespace ablate::kernel_map::coarse_cells_test
