// Rows in any order: the curve's keys, and the indices that they give.
#include "oracles/window_attention/scattered_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "kernels/window_attention/moved_rows.h"

namespace ablate::window_attention::scattered_rows_test {
namespace {

TEST(ScatteredRows, StandInTheOrderOfTheirKeysEqualOnesInTheirOwn) {
  const scattered_rows rows({5, 1, 5, 0, 1});
  EXPECT_EQ(rows.row_of_token, (std::vector<std::int64_t>{3, 1, 4, 0, 2}));
  EXPECT_EQ(rows.token_of_row, (std::vector<std::int64_t>{3, 1, 4, 0, 2}));
}

TEST(ScatteredRows, InvertTheirIndexInBothWidths) {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 1000; ++i) keys.push_back(i * 7919 % 613);
  const scattered_rows rows(keys);
  ASSERT_EQ(rows.row_of_token.size(), keys.size());
  for (std::size_t token = 0; token < keys.size(); ++token) {
    EXPECT_EQ(rows.token_of_row[static_cast<std::size_t>(rows.row_of_token[token])],
              static_cast<std::int64_t>(token));
    EXPECT_EQ(rows.narrow_row_of_token[token], rows.row_of_token[token]);
    EXPECT_EQ(rows.narrow_token_of_row[token], rows.token_of_row[token]);
  }
}

TEST(ScatteredRows, AreNoneWithoutKeys) {
  EXPECT_TRUE(scattered_rows({}).row_of_token.empty());
  EXPECT_TRUE(keys_along_curve({}).empty());
}

TEST(KeysAlongTheCurve, BeginInTheLowestCells) {
  // However it is turned, the curve leaves the eight lowest cells when it has been in all of them.
  std::vector<float> corners;
  for (int cell = 0; cell < 8; ++cell)
    for (int axis = 0; axis < 3; ++axis)
      corners.push_back(0.05f * static_cast<float>(cell >> axis & 1) + 0.02f);
  std::vector<std::uint64_t> keys = keys_along_curve(corners);
  std::sort(keys.begin(), keys.end());
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(keys[i], i);
}

TEST(KeysAlongTheCurve, KeepPointsWithoutAPlace) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                  infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::uint64_t> keys =
      keys_along_curve(std::vector<float>{0, 0, 0, nan, nan, nan, infinity, infinity, infinity, 1e9f, 0, 0});
  ASSERT_EQ(keys.size(), 4u);
  EXPECT_EQ(keys[0], 0u);
  EXPECT_EQ(keys[1], 0u);
  for (const std::uint64_t key : keys) EXPECT_LT(key, std::uint64_t{1} << key_bits);
}

TEST(WindowLocality, IsThatOfTheWindowsPointsAndOfTheirRows) {
  // Two windows of two tokens: rows 0 and 2, 2 m apart; rows 4 and 3, 4 m apart and side by side.
  const std::vector<float> xyz = {0, 0, 0, 0, 9, 0, 2, 0, 0, 0, 0, 5, 0, 0, 1, 7, 7, 7};
  const window_locality found = locality_of(xyz, std::vector<std::int64_t>{0, 2, 4, 3}, 2);
  EXPECT_DOUBLE_EQ(*found.rms_m, (1 + 2) / 2.0);
  EXPECT_DOUBLE_EQ(*found.row_distance, (2 + 1) / 2.0);
  EXPECT_DOUBLE_EQ(*found.row_neighbor_share, 0.5);
}

TEST(WindowLocality, OfRowsInTheirOwnOrderIsOneRow) {
  const window_locality found =
      locality_of(std::vector<float>(24, 1), std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}, 4);
  EXPECT_EQ(found.rms_m, 0.0);
  EXPECT_EQ(found.row_distance, 1.0);
  EXPECT_EQ(found.row_neighbor_share, 1.0);
}

TEST(WindowLocality, PassesOverPointsWithoutAPlace) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> xyz = {0, 0, 0, nan, 0, 0, 4, 0, 0, 1, 1, nan};
  EXPECT_DOUBLE_EQ(*locality_of(xyz, std::vector<std::int64_t>{0, 1, 2, 3}, 4).rms_m, 2);
}

TEST(WindowLocality, OfNothingIsNone) {
  const window_locality found = locality_of({}, {}, 4);
  EXPECT_FALSE(found.rms_m || found.row_distance || found.row_neighbor_share);
  EXPECT_FALSE(locality_of(std::vector<float>(3), std::vector<std::int64_t>{0}, 1).row_distance);
}

problem small(row_order rows, qkv_layout layout) {
  problem p;
  p.tokens = 1024;
  p.heads = 2;
  p.width = 16;
  p.rows = rows;
  p.layout = layout;
  return p;
}

TEST(MovedRows, TakeMemoryOnlyWhereAVariantMovesRows) {
  EXPECT_EQ(moved_rows_bytes(small(row_order::buckets, qkv_layout::split)), 0u);
  EXPECT_EQ(moved_rows_bytes(small(row_order::contiguous, qkv_layout::split)), 0u);
  constexpr std::size_t tensor_bytes = 1024 * 2 * 16 * 2;
  EXPECT_EQ(moved_rows_bytes(small(row_order::buckets, qkv_layout::packed)), 3 * tensor_bytes);
  EXPECT_GT(moved_rows_bytes(small(row_order::scattered, qkv_layout::split)), 4 * tensor_bytes);
}

TEST(MovedRows, LieAsTheProblemDoes) {
  for (const qkv_layout layout : {qkv_layout::split, qkv_layout::packed}) {
    problem p = small(row_order::scattered, layout);
    std::vector<std::byte> memory(moved_rows_bytes(p));
    p.moved = memory.data();
    const moved_rows moved(p);
    const problem there = in_moved_rows(p, moved);
    EXPECT_EQ(there.q, moved.qkv);
    EXPECT_EQ(there.k - there.q, layout == qkv_layout::packed ? p.heads * p.width : p.elements());
    EXPECT_EQ(there.v - there.k, there.k - there.q);
    EXPECT_EQ(there.qkv_stride(), p.qkv_stride());
    EXPECT_EQ(there.rows, row_order::contiguous);
    EXPECT_EQ(there.scope, nullptr);
    EXPECT_EQ(static_cast<void*>(moved.sort_memory + moved.sort_bytes),
              static_cast<void*>(memory.data() + memory.size()));
  }
}

}  // namespace
}  // namespace ablate::window_attention::scattered_rows_test
