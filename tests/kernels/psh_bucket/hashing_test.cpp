#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>

#include "tests/kernels/psh_bucket/host_problem.h"

namespace ablate::psh_bucket::hashing_test {
namespace {

using test_support::all_hashes;
using voxel = std::array<std::uint16_t, 3>;

struct test_vector {
  voxel at;
  int z16, z_div, z_mod, xor_div, xor_mod;
};

// NB = 256.
constexpr test_vector published_vectors[] = {
    {{0, 0, 0}, 0, 0, 0, 0, 0},
    {{65534, 65534, 65534}, 65535, 255, 255, 255, 254},
    {{32768, 0, 0}, 16384, 64, 0, 128, 0},
    {{0, 32768, 0}, 32768, 128, 0, 128, 0},
    {{0, 0, 32768}, 0, 0, 0, 128, 0},
    {{1024, 2048, 4096}, 136, 0, 136, 28, 0},
    {{12345, 54321, 40000}, 37363, 145, 243, 120, 72},
};

TEST(PshHash, GivesTheKnownVectors) {
  for (const test_vector& v : published_vectors) {
    const auto bucket = [&](hash h) { return bucket_of(h, key_of(h, v.at), 256); };
    EXPECT_EQ(key_of(hash::z_div, v.at), v.z16);
    EXPECT_EQ(key_of(hash::z_mod, v.at), v.z16);
    EXPECT_EQ(bucket(hash::z_div), v.z_div);
    EXPECT_EQ(bucket(hash::z_mod), v.z_mod);
    EXPECT_EQ(bucket(hash::xor_div), v.xor_div);
    EXPECT_EQ(bucket(hash::xor_mod), v.xor_mod);
  }
}

/// Every third bit, by masks: another way to the same code.
std::uint64_t spread(std::uint64_t x) {
  x = (x | x << 32) & 0x001f00000000ffff;
  x = (x | x << 16) & 0x001f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

TEST(PshHash, TakesItsBitsOfTheMortonCode) {
  std::uint64_t state = 1;
  for (int i = 0; i < 100000; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const voxel v = {static_cast<std::uint16_t>(state >> 16), static_cast<std::uint16_t>(state >> 32),
                     static_cast<std::uint16_t>(state >> 48)};
    const std::uint64_t code = spread(v[0]) | spread(v[1]) << 1 | spread(v[2]) << 2;
    ASSERT_EQ(key_of(hash::z_div, v), static_cast<std::uint16_t>(code >> 31));
    ASSERT_EQ(key_of(hash::z_top_mod, v), static_cast<std::uint16_t>(code >> 32));
    ASSERT_EQ(key_of(hash::xor_div, v), v[0] ^ v[1] ^ v[2]);
  }
}

TEST(PshHash, OfTheTopFormKnowsTheHighestBitOfZ) {
  EXPECT_EQ(key_of(hash::z_top_div, {0, 0, 32768}), 32768);
  EXPECT_EQ(bucket_of(hash::z_top_div, 32768, 256), 128);
}

TEST(PshHash, ReachesEveryBucketAndNoOther) {
  for (const hash h : all_hashes)
    for (int buckets = 32; buckets <= 32768; buckets *= 2) {
      std::set<int> reached;
      for (unsigned key = 0; key < 65536; ++key)
        reached.insert(bucket_of(h, static_cast<std::uint16_t>(key), buckets));
      EXPECT_EQ(reached.size(), static_cast<std::size_t>(buckets));
      EXPECT_EQ(*reached.rbegin(), buckets - 1);
    }
}

TEST(PshSizing, TakesTheFewestBucketsThatHoldTheLargestInstance) {
  EXPECT_EQ(buckets_for(0, 512), 32);
  EXPECT_EQ(buckets_for(1, 512), 32);
  EXPECT_EQ(buckets_for(32 * 512, 512), 32);
  EXPECT_EQ(buckets_for(32 * 512 + 1, 512), 64);
  EXPECT_EQ(buckets_for(124087, 512), 256);
  EXPECT_EQ(buckets_for(5 * 124087, 512), 2048);
  EXPECT_EQ(buckets_for(131072, 512), 256);
  EXPECT_EQ(buckets_for(131073, 512), 512);
  EXPECT_EQ(buckets_for(1 << 22, 16), 1 << 18);
}

TEST(PshSizing, PadsRowsToTheCapacityOrToEveryPlace) {
  problem p;
  p.points = 1000, p.instances = 3, p.buckets = 32, p.capacity = 64;
  EXPECT_EQ(p.rows(), 1024);
  p.layout = layout::strided;
  EXPECT_EQ(p.rows(), 3 * 32 * 64);
  p.layout = layout::compact, p.points = 0;
  EXPECT_EQ(p.rows(), 0);
}

TEST(PshProbeSteps, AreTheNamedOnesOnceEachInAnOrderOfTheSeed) {
  const auto steps = shuffled_probe_steps(1);
  ASSERT_EQ(steps.size(), 3u * max_probes);
  std::set<std::array<int, 3>> distinct;
  int within_two = 0;
  for (std::size_t i = 0; i < steps.size(); i += 3) {
    distinct.insert({steps[i], steps[i + 1], steps[i + 2]});
    within_two += std::abs(steps[i]) <= 2 && std::abs(steps[i + 1]) <= 2 && std::abs(steps[i + 2]) <= 2;
  }
  EXPECT_EQ(distinct.size(), 128u);
  EXPECT_EQ(within_two, 124);
  EXPECT_FALSE(distinct.contains({0, 0, 0}));
  for (const std::array<int, 3>& far : {std::array{3, 3, 3}, {3, -3, 3}, {-3, 3, -3}, {-3, -3, -3}})
    EXPECT_TRUE(distinct.contains(far));
  EXPECT_EQ(shuffled_probe_steps(1), steps);
  EXPECT_NE(shuffled_probe_steps(2), steps);
}

voxel quantized(const bounding_box& box, const std::array<float, 3>& point,
                quantization q = quantization::per_axis) {
  problem p;
  p.quantization = q;
  const std::uint16_t halves[3] = {half_of_float(point[0]), half_of_float(point[1]), half_of_float(point[2])};
  return voxel_of(p, box, halves);
}

TEST(PshQuantization, StretchesEachAxisToItsOwnExtent) {
  const bounding_box box = {{-1, 0, 10}, {1, 8, 10.5f}};
  EXPECT_EQ(quantized(box, {-1, 0, 10}), (voxel{0, 0, 0}));
  EXPECT_EQ(quantized(box, {1, 8, 10.5f}), (voxel{65534, 65534, 65534}));
  EXPECT_EQ(quantized(box, {0, 4, 10.25f}), (voxel{32767, 32767, 32767}));
}

TEST(PshQuantization, OrAllByTheLongest) {
  const bounding_box box = {{-1, 0, 10}, {1, 8, 10.5f}};
  EXPECT_EQ(quantized(box, {1, 8, 10.5f}, quantization::isotropic), (voxel{16383, 65534, 4095}));
}

TEST(PshQuantization, PutsAnAxisWithoutExtentAtZero) {
  const bounding_box flat = {{-1, 3, 0}, {1, 3, 1}};
  EXPECT_EQ(quantized(flat, {1, 3, 1}), (voxel{65534, 0, 65534}));
  const bounding_box one_point = {{5, 5, 5}, {5, 5, 5}};
  EXPECT_EQ(quantized(one_point, {5, 5, 5}), (voxel{0, 0, 0}));
  EXPECT_EQ(quantized(one_point, {5, 5, 5}, quantization::isotropic), (voxel{0, 0, 0}));
}

TEST(PshQuantization, StandsTheExtremesOfFp16) {
  const bounding_box widest = {{-65504, -65504, -65504}, {65504, 65504, 65504}};
  EXPECT_EQ(quantized(widest, {-65504, 0, 65504}), (voxel{0, 32767, 65534}));
  const bounding_box smallest = {{0, 0, 0}, {0x1p-24f, 0x1p-23f, 0x1p-24f}};
  EXPECT_EQ(quantized(smallest, {0x1p-24f, 0x1p-24f, 0}), (voxel{65534, 32767, 0}));
}

TEST(PshQuantization, IsThePlainFormulaInFp32) {
  const bounding_box box = {{-51.2f, -40.1f, -3.3f}, {77.7f, 61.3f, 4.1f}};
  for (int bits = 0; bits < 0x5500; ++bits) {
    const float c = float_of_half(static_cast<std::uint16_t>(bits));
    if (c > box.high[0]) break;
    const float scale = 65535.0f / (box.high[0] - box.low[0]);
    const float level = std::floor((c - box.low[0]) * scale);
    ASSERT_EQ(quantized(box, {c, 0, 0})[0], std::min(level, 65534.0f));
  }
}

TEST(PshBoundingBox, HoldsAllInstances) {
  const test_support::host_problem two({}, {{1, 2, 3, -1, 5, 0}, {0, 7, 1}});
  const bounding_box box = bounding_box_of(two.p);
  EXPECT_EQ(box.low, (std::array<float, 3>{-1, 2, 0}));
  EXPECT_EQ(box.high, (std::array<float, 3>{1, 7, 3}));
  EXPECT_EQ(bounding_box_of(test_support::host_problem({}, {{}}).p).low, (std::array<float, 3>{0, 0, 0}));
}

}  // namespace
}  // namespace ablate::psh_bucket::hashing_test
