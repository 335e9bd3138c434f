#include "harness/inputs/voxels/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "harness/inputs/random.h"
#include "harness/inputs/voxels/cloud.h"

namespace ablate::voxel_order_test {
namespace {

std::vector<voxel> line(int size) {
  std::vector<voxel> voxels;
  for (int i = 0; i < size; ++i) voxels.push_back({0, i, 0, 0});
  return voxels;
}

TEST(RadixSort, SortsAsTheLibraryDoes) {
  random_stream random(1, "test");
  for (const std::size_t size : {0, 1, 2, 1000, 70000})
    for (const int shift : {0, 20, 50}) {
      std::vector<std::uint64_t> keys(size);
      for (auto& key : keys) key = random.next() >> shift << (shift / 2);
      auto expected = keys;
      std::sort(expected.begin(), expected.end());
      radix_sort(keys);
      EXPECT_EQ(keys, expected) << size << " " << shift;
    }
}

TEST(ShuffleRows, PermutesBySeed) {
  for (const int size : {0, 1, 2, 300, 5000}) {
    auto shuffled = line(size);
    shuffle_rows(shuffled, 1);
    auto other = line(size);
    shuffle_rows(other, 2);
    if (size >= 300) {
      EXPECT_NE(shuffled, other);
    }
    std::sort(shuffled.begin(), shuffled.end(), [](const voxel& a, const voxel& b) { return a.x < b.x; });
    EXPECT_EQ(shuffled, line(size));
  }
}

TEST(ShuffleRows, EveryPermutationIsAsLikely) {
  std::map<int, int> seen;
  for (std::uint64_t seed = 0; seed < 24000; ++seed) {
    auto shuffled = line(4);
    shuffle_rows(shuffled, seed);
    int word = 0;
    for (const voxel& v : shuffled) word = 10 * word + v.x;
    ++seen[word];
  }
  EXPECT_EQ(seen.size(), 24u);
  for (const auto& [word, times] : seen) EXPECT_NEAR(times, 1000, 150) << word;
}

TEST(RepeatRows, GivesNeighborsAndCutsTheLast) {
  const std::vector<voxel> expected = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 1, 0, 0}, {0, 1, 0, 0}};
  EXPECT_EQ(repeat_rows(line(2), 3, 5), expected);
}

TEST(CountCoarseCells, DividesDownwards) {
  const std::vector<std::int32_t> coords = {0, -1, 0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 1, 3, 3, 3, 0, -4, 1, 2};
  EXPECT_EQ(count_coarse_cells({}, 2), 0);
  EXPECT_EQ(count_coarse_cells(coords, 0), 5);
  EXPECT_EQ(count_coarse_cells(coords, 1), 5);
  EXPECT_EQ(count_coarse_cells(coords, 2), 3);  // -4..-1, 0..3, and 0..3 of batch 1
}

}  // namespace
}  // namespace ablate::voxel_order_test
