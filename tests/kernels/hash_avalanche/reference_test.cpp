// The oracle of hash_avalanche: its hashes against golden values, its counts against counting bit by bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "oracles/hash_avalanche/reference.h"
#include "oracles/hash_table/key.h"

namespace ablate::hash_avalanche::reference_test {
namespace {

constexpr hashing all_hashes[] = {hashing::splitmix,  hashing::murmur,   hashing::city,  hashing::fnv,
                                  hashing::fibonacci, hashing::identity, hashing::second};

struct golden {
  std::array<std::int32_t, 4> coordinate;
  std::uint32_t splitmix, stride, murmur;
};

// Of coordinates at the corners of the range and inside.
TEST(HashAvalancheReference, HashesToTheGoldenValues) {
  constexpr golden values[] = {
      {{0, 0, 0, 0}, 0x79CEA98A, 700825, 0x0C3D1D0B},
      {{0, 1, 2, 3}, 0x58D9CDF5, 858293, 0x50FE678F},
      {{511, -1, -1, -1}, 0xF2CBBD7B, 695501, 0x1881B602},
      {{0, -131072, 131071, 0}, 0x953C3AD3, 680545, 0x9E5A0282},
      {{3, -5, 7, -9}, 0x7236DC57, 789581, 0x8E00F40F},
      {{511, 131071, 131071, 131071}, 0xFF38257A, 987775, 0xFDD490AE},
  };
  for (const golden& g : values) {
    const std::uint64_t key = hash_table::packed_key(g.coordinate.data());
    EXPECT_EQ(hash_of(hashing::splitmix, key), g.splitmix);
    EXPECT_EQ(hash_of(hashing::second, key) % (1 << 20) | 1, g.stride);
    EXPECT_EQ(hash_of(hashing::murmur, key), g.murmur);
    EXPECT_EQ(hash_of(hashing::identity, key), static_cast<std::uint32_t>(key));
  }
}

std::vector<std::int32_t> random_coordinates(int count) {
  std::mt19937_64 random(8);
  std::vector<std::int32_t> coordinates;
  for (int i = 0; i < count; ++i) {
    const auto c = hash_table::unpacked_key(random() | std::uint64_t{1} << 63);
    coordinates.insert(coordinates.end(), c.begin(), c.end());
  }
  return coordinates;
}

std::vector<std::uint64_t> counted(hashing by, const std::vector<std::int32_t>& coordinates) {
  std::vector<std::uint64_t> flips(result_counts);
  reference({by, static_cast<std::int64_t>(coordinates.size() / 4), coordinates.data(), flips.data()});
  return flips;
}

TEST(HashAvalancheReference, CountsEveryPairOfBits) {
  // More than the 255 keys that its counters of a byte hold.
  const auto coordinates = random_coordinates(700);
  for (const hashing by : all_hashes) {
    const auto flips = counted(by, coordinates);
    std::vector<std::uint64_t> expected(result_counts);
    for (std::size_t i = 0; i < coordinates.size(); i += 4) {
      const std::uint64_t key = hash_table::packed_key(&coordinates[i]);
      for (std::size_t bit = 0; bit < key_bits; ++bit)
        for (std::size_t j = 0; j < output_bits; ++j)
          expected[output_bits * bit + j] +=
              (hash_of(by, key) >> j & 1) != (hash_of(by, key ^ std::uint64_t{1} << bit) >> j & 1);
    }
    EXPECT_EQ(flips, expected) << static_cast<int>(by);
  }
}

TEST(HashAvalancheReference, OfTheIdentityIsTheIdentity) {
  const auto flips = counted(hashing::identity, random_coordinates(300));
  for (std::size_t bit = 0; bit < 64; ++bit)
    for (std::size_t j = 0; j < output_bits; ++j)
      EXPECT_EQ(flips[output_bits * bit + j], bit == j ? 300u : 0u) << bit << ", " << j;
}

TEST(HashAvalancheReference, TellsGoodHashesFromBadOnes) {
  const auto coordinates = random_coordinates(20000);
  const auto shares = [&](hashing by) {
    auto flips = counted(by, coordinates);
    return shares_of({by, 20000, coordinates.data(), flips.data()});
  };
  for (const hashing by : {hashing::splitmix, hashing::murmur}) {
    EXPECT_LT(shares(by).worst_deviation, 0.03);
    EXPECT_NEAR(shares(by).mean, 0.5, 0.002);
  }
  // The lowest output bit of FNV depends on the words' lowest bits alone.
  EXPECT_EQ(shares(hashing::fnv).least, 0);
  EXPECT_EQ(shares(hashing::fnv).worst_deviation, 0.5);
  const flip_shares identity = shares(hashing::identity);
  EXPECT_EQ(identity.most, 1);
  EXPECT_NEAR(identity.mean, 1.0 / key_bits, 1e-12);
}

}  // namespace
}  // namespace ablate::hash_avalanche::reference_test
