// The packed key, its range and its mixer: golden vectors, inverses, wrapping.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "oracles/hash_table/key.h"

namespace ablate::hash_table::key_test {
namespace {

using coordinate = std::array<std::int32_t, 4>;

struct golden {
  coordinate at;
  std::uint64_t key, mixed;
  std::uint32_t slot;  ///< of 2^20
};
const golden golden_vectors[] = {
    {{0, 0, 0, 0}, 0x8000000000000000, 0x25c26ea579cea98a, 960906},
    {{0, 1, 2, 3}, 0x8000001000080003, 0x5d1d81e058d9cdf5, 642549},
    {{511, -1, -1, -1}, 0xffffffffffffffff, 0xb4d055fcf2cbbd7b, 769403},
    {{0, -131072, 131071, 0}, 0x80200007fffc0000, 0xaab519d9953c3ad3, 801491},
    {{3, -5, 7, -9}, 0x80ffffb0001ffff7, 0xb85433f47236dc57, 449623},
    {{511, 131071, 131071, 131071}, 0xffdffff7fffdffff, 0x495c3c21ff38257a, 533882},
};

TEST(HashTableKey, IsTheGoldenOne) {
  for (const golden& g : golden_vectors) {
    EXPECT_EQ(packed_key(g.at.data()), g.key);
    EXPECT_EQ(mixed(g.key), g.mixed);
    EXPECT_EQ(mixed(g.key) % (1 << 20), g.slot);
    EXPECT_EQ(unpacked_key(g.key), g.at);
    EXPECT_EQ(unmixed(g.mixed), g.key);
  }
}

TEST(HashTableKey, UnpacksToWhatWasPacked) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t bits = random();
    const coordinate c = {static_cast<std::int32_t>(bits % 512),
                          static_cast<std::int32_t>(bits >> 9 & 0x3ffff) - 131072,
                          static_cast<std::int32_t>(bits >> 27 & 0x3ffff) - 131072,
                          static_cast<std::int32_t>(bits >> 45 & 0x3ffff) - 131072};
    const std::uint64_t key = packed_key(c.data());
    ASSERT_EQ(key >> 63, 1u);
    ASSERT_EQ(unpacked_key(key), c);
  }
}

/// The sixteen corners of the range.
std::vector<coordinate> corners() {
  std::vector<coordinate> all;
  for (int corner = 0; corner < 16; ++corner) {
    coordinate c = {corner & 8 ? 511 : 0, 0, 0, 0};
    for (int axis = 0; axis < 3; ++axis) c[axis + 1] = corner >> axis & 1 ? 131071 : -131072;
    all.push_back(c);
  }
  return all;
}

TEST(HashTableKey, HoldsTheCornersOfTheRange) {
  for (const coordinate& c : corners()) {
    EXPECT_TRUE(in_range(c.data()));
    EXPECT_EQ(packed_key(c.data()) >> 63, 1u);
    EXPECT_EQ(unpacked_key(packed_key(c.data())), c);
  }
}

TEST(HashTableKey, WrapsEachFieldByItself) {
  for (const coordinate& c : corners())
    for (int field = 0; field < 4; ++field)
      for (const int turns : {-3, -1, 1, 4}) {
        coordinate beyond = c;
        beyond[field] += turns * (field == 0 ? 512 : 262144);
        EXPECT_FALSE(in_range(beyond.data()));
        EXPECT_EQ(packed_key(beyond.data()), packed_key(c.data())) << field << ", " << turns;
      }
  const auto key = [](coordinate c) { return packed_key(c.data()); };
  EXPECT_EQ(key({0, 131072, 0, 0}), key({0, -131072, 0, 0}));
  EXPECT_EQ(key({512, 5, 6, 7}), key({0, 5, 6, 7}));
  EXPECT_EQ(key({-1, 5, 6, 7}), key({511, 5, 6, 7}));
}

TEST(HashTableKey, RangeEndsWhereTheFieldsDo) {
  const auto inside = [](coordinate c) { return in_range(c.data()); };
  EXPECT_FALSE(inside({-1, 0, 0, 0}));
  EXPECT_FALSE(inside({512, 0, 0, 0}));
  for (int axis = 1; axis <= 3; ++axis) {
    coordinate c = {};
    for (const int outside : {131072, -131073, 2147483647, -2147483647 - 1}) {
      c[axis] = outside;
      EXPECT_FALSE(inside(c)) << axis << ", " << outside;
    }
  }
}

TEST(HashTableKey, MixingIsUndone) {
  std::mt19937_64 random(2);
  EXPECT_EQ(mixed(0), 0u);
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t key = random();
    ASSERT_EQ(unmixed(mixed(key)), key);
  }
}

// On keys of a lattice, each input bit flips each of the 32 bits used with a probability of a half.
TEST(HashTableKey, MixingFlipsHalfOfTheBits) {
  constexpr int keys = 100'000;
  for (int in = 0; in < 63; ++in) {
    std::array<int, 32> flips{};
    for (int i = 0; i < keys; ++i) {
      const coordinate c = {0, 4 * (i % 47), 4 * (i / 47 % 47), 4 * (i / 47 / 47)};
      const std::uint64_t key = packed_key(c.data());
      const std::uint64_t changed = mixed(key) ^ mixed(key ^ std::uint64_t{1} << in);
      for (int out = 0; out < 32; ++out) flips[out] += static_cast<int>(changed >> out & 1);
    }
    for (int out = 0; out < 32; ++out) EXPECT_NEAR(flips[out] / double{keys}, 0.5, 0.01) << in << ", " << out;
  }
}

}  // namespace
}  // namespace ablate::hash_table::key_test
