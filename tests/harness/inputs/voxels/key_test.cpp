#include "harness/inputs/voxels/key.h"

#include <gtest/gtest.h>

#include "harness/inputs/random.h"

namespace ablate::voxel_key_test {
namespace {

struct golden {
  voxel at;
  std::uint64_t key, mix;
};

// Keys laid out as in docs/operations/hash_insert.md, "Key".
constexpr golden goldens[] = {
    {{0, 0, 0, 0}, 0x8000000000000000, 0x25c26ea579cea98a},
    {{0, 1, 2, 3}, 0x8000001000080003, 0x5d1d81e058d9cdf5},
    {{511, -1, -1, -1}, 0xffffffffffffffff, 0xb4d055fcf2cbbd7b},
    {{0, -131072, 131071, 0}, 0x80200007fffc0000, 0xaab519d9953c3ad3},
    {{3, -5, 7, -9}, 0x80ffffb0001ffff7, 0xb85433f47236dc57},
    {{511, 131071, 131071, 131071}, 0xffdffff7fffdffff, 0x495c3c21ff38257a},
};

TEST(VoxelKey, HasTheKnownKeysAndMixes) {
  for (const golden& g : goldens) {
    EXPECT_EQ(key_of(g.at), g.key);
    EXPECT_EQ(splitmix(g.key), g.mix);
    EXPECT_EQ(inverse_splitmix(g.mix), g.key);
  }
}

TEST(VoxelKey, ComesBackFromKeyMixAndMortonCode) {
  random_stream random(1, "test");
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t bits = random.next();
    ASSERT_EQ(inverse_splitmix(splitmix(bits)), bits);
    const std::uint64_t key = bits | std::uint64_t{1} << 63;
    const voxel v = voxel_of_key(key);
    ASSERT_TRUE(fits_a_key(v));
    ASSERT_EQ(key_of(v), key);
    ASSERT_EQ(voxel_of_morton_code(morton_code(v)), v);
  }
}

TEST(VoxelKey, OnlyTheRangeFits) {
  EXPECT_TRUE(fits_a_key({0, -131072, -131072, -131072}));
  EXPECT_TRUE(fits_a_key({511, 131071, 131071, 131071}));
  for (const voxel& v : {voxel{-1, 0, 0, 0}, voxel{512, 0, 0, 0}, voxel{0, 131072, 0, 0},
                         voxel{0, 0, -131073, 0}, voxel{0, 0, 0, 131072}})
    EXPECT_FALSE(fits_a_key(v));
}

TEST(MortonCode, OrdersByBatchThenZThenYThenXAcrossZero) {
  EXPECT_EQ(morton_code({0, -131072, -131072, -131072}), 0u);
  EXPECT_EQ(morton_code({0, -131071, -131072, -131072}), 1u);
  EXPECT_EQ(morton_code({0, -131072, -131071, -131072}), 2u);
  EXPECT_EQ(morton_code({0, -131072, -131072, -131071}), 4u);
  EXPECT_LT(morton_code({0, -1, -1, -1}), morton_code({0, 0, -1, -1}));
  EXPECT_LT(morton_code({0, 100, -1, -1}), morton_code({0, -100, 0, -1}));
  EXPECT_LT(morton_code({4, 131071, 131071, 131071}), morton_code({5, -131072, -131072, -131072}));
}

}  // namespace
}  // namespace ablate::voxel_key_test
