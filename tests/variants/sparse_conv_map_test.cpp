// The kernel maps of sparse_conv: levels of a cloud, neighbors, orders of rows and pieces of lists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/slab_with_holes.h"
#include "tests/support/temporary_directory.h"
#include "variants/sparse_conv/map.h"

namespace ablate::sparse_conv {
namespace {

TEST(SparseConvMap, AMapHoldsTheNeighborsOfEachVoxel) {
  for (const int kernel : {3, 5}) {
    const level_map map = map_of(test_support::slab_with_holes(), kernel);
    std::map<std::array<std::int32_t, 4>, std::int32_t> row_at;
    for (std::int32_t row = 0; row < map.rows(); ++row) {
      const std::int32_t* const at = &map.coordinates[static_cast<std::size_t>(row) * 4];
      row_at[{at[0], at[1], at[2], at[3]}] = row;
    }
    const int reach = kernel / 2;
    std::size_t pair = 0;
    for (int q = 0; q < kernel * kernel * kernel; ++q) {
      EXPECT_EQ(map.ends[static_cast<std::size_t>(q)], static_cast<std::int32_t>(pair));
      for (std::int32_t row = 0; row < map.rows(); ++row) {
        const std::int32_t* const at = &map.coordinates[static_cast<std::size_t>(row) * 4];
        const auto there = row_at.find({at[0], at[1] + q / kernel / kernel - reach,
                                        at[2] + q / kernel % kernel - reach, at[3] + q % kernel - reach});
        const std::int32_t expected = there == row_at.end() ? -1 : there->second;
        const auto place = static_cast<std::size_t>(q * map.rows() + row);
        ASSERT_EQ(map.table[place], expected) << q << " " << row;
        const auto word = static_cast<std::size_t>(q / 32 * map.rows() + row);
        EXPECT_EQ(map.masks[word] >> q % 32 & 1, expected >= 0 ? 1u : 0u);
        if (expected < 0) continue;
        EXPECT_EQ(map.in_rows[pair], expected);
        EXPECT_EQ(map.out_rows[pair++], row);
      }
    }
    EXPECT_EQ(pair, map.in_rows.size());
    EXPECT_EQ(map.ends.back(), static_cast<std::int32_t>(pair));
  }
}

TEST(SparseConvMap, OppositeOffsetsHaveThePairsExchanged) {
  const level_map map = map_of(test_support::slab_with_holes(), 3);
  for (std::size_t q = 0; q < 27; ++q)
    for (std::int32_t row = 0; row < map.rows(); ++row) {
      const auto rows = static_cast<std::size_t>(map.rows());
      const std::int32_t in = map.table[q * rows + static_cast<std::size_t>(row)];
      if (in >= 0) {
        EXPECT_EQ(map.table[(26 - q) * rows + static_cast<std::size_t>(in)], row);
      }
    }
}

TEST(SparseConvMap, TheLevelsOfACloudAreThoseOfPtv3) {
  const input_library inputs(1, {}, {});
  const std::array<std::int64_t, 5> rows = {92867, 57647, 29972, 14255, 6258};
  for (const int level : {1, 3, 4, 5})
    EXPECT_EQ(
        map_at({.distribution = "lidar", .order = "scan", .points = 124087, .level = level}, inputs)->rows(),
        rows[static_cast<std::size_t>(level) - 1]);
}

/// 40 points, and one that is not finite.
std::vector<float> made_scan() {
  std::vector<float> records;
  for (int i = 0; i < 40; ++i)
    for (const double value : {i * 0.037 - 0.7, i * i % 17 * 0.11, i % 5 * 0.06, 0.0})
      records.push_back(static_cast<float>(value));
  records.insert(records.end(), {std::numeric_limits<float>::quiet_NaN(), 0, 0, 0});
  return records;
}

/// tests/scripts/sparse_conv_torch_test.py expects the same of the same points.
TEST(SparseConvMap, VoxelsOfAScanAreThoseOfTheRivals) {
  const test_support::temporary_directory folder;
  const std::vector<float> records = made_scan();
  const auto path = folder.path() / "scan.bin";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(records.data()),
             static_cast<std::streamsize>(records.size() * sizeof(float)));
  const input_library inputs(1, {{"made", {.path = path.string(), .floats_per_point = 4}}}, {});
  struct level_facts {
    int level, kernel;
    std::int64_t rows, pairs;
    std::string hash;
  };
  for (const level_facts& expected : {level_facts{1, 3, 40, 44, "9a9f2ba2a9fead19"},
                                      {2, 3, 39, 71, "7384e41abdb396d4"},
                                      {4, 5, 18, 214, "8cbee73d9f11e087"}}) {
    const auto map = map_at({.distribution = "made",
                             .order = "scan",
                             .points = 0,
                             .level = expected.level,
                             .kernel = expected.kernel},
                            inputs);
    EXPECT_EQ(map->rows(), expected.rows);
    EXPECT_EQ(map->pairs(), expected.pairs);
    EXPECT_EQ(hash_hex(map->coordinates.data(), map->coordinates.size() * sizeof(std::int32_t)),
              expected.hash);
  }
}

TEST(SparseConvMap, OrdersHoldTheSameVoxels) {
  const input_library inputs(1, {}, {});
  const auto voxels = [&](const std::string& order) {
    const auto map = map_at({.distribution = "lidar", .order = order, .points = 3000, .level = 2}, inputs);
    std::vector<std::array<std::int32_t, 4>> all;
    for (std::size_t i = 0; i < map->coordinates.size(); i += 4)
      all.push_back(
          {map->coordinates[i], map->coordinates[i + 1], map->coordinates[i + 2], map->coordinates[i + 3]});
    return all;
  };
  const auto sorted = [](auto all) {
    std::ranges::sort(all);
    return all;
  };
  const auto scanned = voxels("scan");
  for (const char* order : {"morton", "shuffled"}) {
    EXPECT_NE(voxels(order), scanned);
    EXPECT_EQ(sorted(voxels(order)), sorted(scanned));
  }
}

TEST(SparseConvMap, SortedByMaskTheFullestTilesComeFirst) {
  const input_library inputs(1, {}, {});
  const auto map = map_at({.distribution = "lidar", .order = "scan", .points = 3000, .level = 3}, inputs);
  std::vector<std::int32_t> all(static_cast<std::size_t>(map->rows()));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_THAT(map->order, ::testing::UnorderedElementsAreArray(all));
  ASSERT_NE(map->rows() % list_tile, 0);
  int before = 27;
  for (std::size_t first = 0; first + list_tile <= map->order.size(); first += list_tile) {
    std::uint32_t together = 0;
    for (std::size_t i = first; i < first + list_tile; ++i)
      together |= map->masks[static_cast<std::size_t>(map->order[i])];
    EXPECT_LE(std::popcount(together), before);
    before = std::popcount(together);
  }
  EXPECT_LT(offsets_of_tiles(map->masks, map->rows(), map->order),
            offsets_of_tiles(map->masks, map->rows(), {}));
}

TEST(SparseConvMap, ATileHasTheOffsetsOfAllItsRows) {
  std::vector<std::uint32_t> masks(65, 0b1);
  masks[3] = 0b110;
  masks[64] = 0b1000;
  EXPECT_EQ(offsets_of_tiles(masks, 65, {}), 3 + 1);
  const std::vector<std::int32_t> order = order_by_mask(masks, 65);
  EXPECT_EQ(order[0], 64);
  EXPECT_EQ(order[1], 3);
  EXPECT_EQ(offsets_of_tiles(masks, 65, order), 4 + 1);
}

TEST(SparseConvMap, ListsAreCutIntoPieces) {
  const std::vector<std::int32_t> ends = {0, 64, 64, 193, 194};
  const cut_lists lists = cut(ends, 64);
  ASSERT_EQ(lists.pieces.size(), 5u);
  const std::array<std::array<std::int32_t, 4>, 5> expected = {
      {{0, 0, 64, -1}, {2, 64, 64, 0}, {2, 128, 64, 1}, {2, 192, 1, 2}, {3, 193, 1, -1}}};
  for (std::size_t i = 0; i < 5; ++i) {
    const piece& found = lists.pieces[i];
    EXPECT_EQ((std::array<std::int32_t, 4>{found.list, found.first, found.count, found.part}), expected[i]);
  }
  EXPECT_THAT(lists.part_ends, ::testing::ElementsAre(0, 0, 0, 3, 3));
}

}  // namespace
}  // namespace ablate::sparse_conv
