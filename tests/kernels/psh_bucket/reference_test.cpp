// The oracle has every property that the check requires (properties.h), in every mode, for every hash and
// size.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/inputs/points/generators.h"
#include "harness/inputs/points/order.h"
#include "harness/inputs/points/turned_copies.h"
#include "tests/kernels/psh_bucket/host_problem.h"

namespace ablate::psh_bucket::reference_test {
namespace {

using test_support::all_hashes;
using test_support::all_modes;
using test_support::host_problem;
using test_support::name_of;

constexpr phase all_phases[] = {phase::insert, phase::rebalance, phase::drain, phase::scatter};

problem shape(hash h, mode m, int capacity, int buckets = 0) {
  problem p;
  p.hash = h;
  p.mode = m;
  p.capacity = capacity;
  p.buckets = buckets;
  return p;
}

std::vector<float> cloud(std::int64_t points) { return lidar_points(points, 3, ray_order::ring_major); }

/// One phase after the other, each on what the one before has left, and the properties after each.
void expect_all_properties(const problem& of, const std::vector<std::vector<float>>& instances) {
  host_problem h(of, instances);
  SCOPED_TRACE(::testing::Message() << name_of(of.hash) << ", " << name_of(of.mode) << ", " << h.p.points
                                    << " points");
  EXPECT_EQ(h.run(phase::prepare, phase::prepare), std::nullopt);
  for (const phase each : all_phases) {
    EXPECT_EQ(h.run(each, each), std::nullopt) << "phase " << static_cast<int>(each);
    if (each != phase::insert) {
      EXPECT_EQ(displaced_without_need(h.p, h.homes), std::nullopt);
    }
  }
  // All at once is the same.
  host_problem at_once(of, instances);
  EXPECT_EQ(at_once.run_to(phase::scatter), std::nullopt);
  EXPECT_EQ(at_once.source, h.source);
  EXPECT_EQ(at_once.bucket_off, h.bucket_off);
}

TEST(PshReference, HasTheProperties) {
  for (const hash h : all_hashes)
    for (const mode m : all_modes)
      for (const std::int64_t points : {0, 1, 1023, 1024, 1025, 2047})
        expect_all_properties(shape(h, m, 64), {cloud(points)});
}

TEST(PshReference, HasThemForEveryNumberOfProbesAndSegments) {
  for (const mode m : all_modes)
    for (const int probes : {0, 1, 8, 128})
      for (const int segments : {1, 2, 8, 128}) {
        problem p = shape(hash::z_mod, m, 48);
        p.probes = probes;
        p.segments = segments;
        expect_all_properties(p, {cloud(1500)});
      }
}

TEST(PshReference, HasThemWhenAllPointsAreTheSame) {
  std::vector<float> same;
  for (int i = 0; i < 1000; ++i) same.insert(same.end(), {1.5f, -2, 0.25f});
  for (const hash h : all_hashes)
    for (const mode m : all_modes) {
      expect_all_properties(shape(h, m, 32), {same});
      host_problem counted(shape(h, m, 32), {same});
      counted.run_to(phase::rebalance);
      // The voxel is 0, and so is the bucket: a recycle bin, where there is one, refuses nobody.
      EXPECT_EQ(counted.events[overflows], m == mode::strict ? 1000u - 32 : 0u);
    }
}

TEST(PshReference, HasThemWhenEveryPlaceIsTaken) {
  for (const hash h : all_hashes) {
    host_problem full(shape(h, mode::strict, 64, 32), {cloud(64 * 32)});
    EXPECT_EQ(full.run_to(phase::scatter), std::nullopt);
    EXPECT_EQ(full.bucket_count, std::vector<std::uint32_t>(32, 64));
    expect_all_properties(shape(h, mode::published, 64, 32), {cloud(64 * 32)});
    expect_all_properties(shape(h, mode::described, 64, 32), {cloud(64 * 32 + 1)});
  }
}

TEST(PshReference, HasThemForBatchesWithEmptyInstances) {
  for (const mode m : all_modes)
    expect_all_properties(shape(hash::xor_div, m, 64), {{}, cloud(700), cloud(1400), {}, cloud(1), {}});
}

TEST(PshReference, HasThemWithStridedRowsAndFeatures) {
  for (const layout l : {layout::compact, layout::strided})
    for (const int channels : {0, 8, 24}) {
      problem p = shape(hash::z_div, mode::strict, 32);
      p.layout = l;
      p.channels = channels;
      expect_all_properties(p, {cloud(500), {}, cloud(900)});
    }
}

TEST(PshReference, HasThemForIsotropicVoxels) {
  for (const hash h : all_hashes) {
    problem p = shape(h, mode::strict, 64);
    p.quantization = quantization::isotropic;
    expect_all_properties(p, {cloud(3000)});
  }
}

TEST(PshReference, ChangesNothingWhereItOnlySearches) {
  for (const mode m : all_modes) {
    host_problem h(shape(hash::z_div, m, 64), {cloud(2000)});
    h.run_to(phase::insert);
    const host_problem before = h;
    EXPECT_EQ(h.run(phase::rebalance, phase::rebalance, false), std::nullopt);
    EXPECT_EQ(h.bucket_id, before.bucket_id);
    EXPECT_EQ(h.bucket_off, before.bucket_off);
    EXPECT_EQ(h.bucket_count, before.bucket_count);
  }
}

TEST(PshReference, FillsFreePlacesByHomeBucketAndRank) {
  // 40 points in one corner and 20 in the other, 16 places in a bucket, and no probes.
  std::vector<float> xyz;
  for (int i = 0; i < 40; ++i) xyz.insert(xyz.end(), {0, 0, 0});
  for (int i = 0; i < 20; ++i) xyz.insert(xyz.end(), {1, 1, 1});
  problem p = shape(hash::z_div, mode::strict, 16, 32);
  p.probes = 0;
  host_problem h(p, {xyz});
  h.run_to(phase::rebalance);
  EXPECT_EQ(h.bucket_off[16], leftover_bit);
  EXPECT_EQ(h.bucket_off[39], leftover_bit | 23u);
  EXPECT_EQ(h.bucket_id[59], 31);
  EXPECT_EQ(h.bucket_off[59], leftover_bit | 3u);
  ASSERT_EQ(h.run(phase::drain, phase::drain), std::nullopt);
  // Leftovers of bucket 0 come first: 16 to bucket 1, 8 to bucket 2, where those of bucket 31 follow.
  for (int i = 16; i < 40; ++i) EXPECT_EQ(h.bucket_id[i], i < 32 ? 1 : 2);
  for (int i = 56; i < 60; ++i) EXPECT_EQ(h.bucket_id[i], 2);
  EXPECT_EQ(h.bucket_off[39], 7u);
  EXPECT_EQ(h.bucket_off[56], 8u);
}

TEST(PshReference, LeavesOneMoreThanTheCapacityInADrainedBin) {
  problem p = shape(hash::z_div, mode::published, 16, 32);
  p.probes = 0;
  host_problem h(p, {cloud(2000)});
  h.run_to(phase::rebalance);
  EXPECT_GT(h.bucket_count[0], 1000u);
  ASSERT_EQ(h.run(phase::drain, phase::drain), std::nullopt);
  EXPECT_EQ(h.bucket_count[0], 17u);
}

TEST(PshReference, CountsTheSameForEveryOrderOfTheInput) {
  for (const hash h : all_hashes) {
    host_problem natural(shape(h, mode::strict, 128), {cloud(10000)});
    natural.run_to(phase::insert);
    for (const std::uint64_t seed : {1, 2, 3}) {
      auto xyz = cloud(10000);
      shuffle_points(xyz, seed);
      host_problem shuffled(shape(h, mode::strict, 128), {xyz});
      shuffled.run_to(phase::insert);
      EXPECT_EQ(shuffled.bucket_count, natural.bucket_count);
      EXPECT_NE(shuffled.bucket_id, natural.bucket_id);
    }
  }
}

TEST(PshReference, CountsABatchAsItsInstancesAlone) {  // P9
  // Each instance holds two corners of the box of all, so alone it has the same box.
  std::vector<std::vector<float>> instances;
  for (const std::int64_t points : {1000, 1, 3000}) {
    auto xyz = uniform_points(points, {{-40, -40, -2}, {80, 80, 6}}, static_cast<std::uint64_t>(points));
    xyz.insert(xyz.end(), {-64, -64, -4, 64, 64, 8});
    instances.push_back(xyz);
  }
  for (const hash h : all_hashes) {
    host_problem batch(shape(h, mode::strict, 64, 64), instances);
    batch.run_to(phase::insert);
    for (std::size_t k = 0; k < instances.size(); ++k) {
      host_problem alone(shape(h, mode::strict, 64, 64), {instances[k]});
      alone.run_to(phase::insert);
      EXPECT_TRUE(std::equal(alone.bucket_count.begin(), alone.bucket_count.end(),
                             batch.bucket_count.begin() + static_cast<std::ptrdiff_t>(64 * k)));
    }
  }
}

TEST(PshReference, DependsOnTheSeedOnlyInWhereOverflowsGo) {
  problem p = shape(hash::xor_div, mode::strict, 64);
  host_problem one(p, {cloud(3000)});
  p.seed = 2;
  host_problem other(p, {cloud(3000)});
  one.run_to(phase::insert), other.run_to(phase::insert);
  EXPECT_EQ(one.bucket_off, other.bucket_off);
  one.run_to(phase::scatter), other.run_to(phase::scatter);
  EXPECT_NE(one.bucket_id, other.bucket_id);
}

}  // namespace
}  // namespace ablate::psh_bucket::reference_test
