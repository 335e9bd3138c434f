#include "oracles/psh_bucket/quality.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/psh_bucket/host_problem.h"

namespace ablate::psh_bucket::quality_test {
namespace {

using test_support::host_problem;

/// Points that were put into buckets by hand, 16 a bucket, and scattered by the reference.
host_problem placed(const std::vector<std::vector<float>>& instances, const std::vector<int>& bucket_of_point,
                    mode m = mode::strict) {
  problem p;
  p.mode = m;
  p.capacity = 16;
  p.buckets = 32;
  host_problem h(p, instances);
  std::fill(h.bucket_count.begin(), h.bucket_count.end(), 0u);
  std::size_t instance = 0;
  for (std::size_t i = 0; i < bucket_of_point.size(); ++i) {
    while (i >= h.ends[instance]) ++instance;
    h.bucket_id[i] = static_cast<std::uint16_t>(bucket_of_point[i]);
    h.bucket_off[i] = h.bucket_count[32 * instance + bucket_of_point[i]]++;
  }
  h.p.first = h.p.last = phase::scatter;
  reference(h.p);
  return h;
}

quality_figures figures(const host_problem& h) { return quality_of(h.p, h.homes); }

std::vector<float> line(std::initializer_list<float> xs) {
  std::vector<float> xyz;
  for (const float x : xs) xyz.insert(xyz.end(), {x, 0, 0});
  return xyz;
}

std::vector<float> repeated(int times, std::initializer_list<float> xs) {
  std::vector<float> xyz;
  for (int i = 0; i < times; ++i)
    for (const float x : xs) xyz.insert(xyz.end(), {x, 0, 0});
  return xyz;
}

TEST(PshQuality, MeasuresSlicesOfRows) {
  // 16 points at ±3 m fill bucket 5; eight points at ±1 m in bucket 9 are a slice of eight.
  std::vector<float> xyz = repeated(8, {-3, 3});
  const auto rest = repeated(4, {9, 11});
  xyz.insert(xyz.end(), rest.begin(), rest.end());
  std::vector<int> buckets(16, 5);
  buckets.resize(24, 9);
  const quality_figures q = figures(placed({xyz}, buckets));
  EXPECT_DOUBLE_EQ(*q.locality_rms, (3 + 1) / 2.0);
  EXPECT_DOUBLE_EQ(*q.purity, 1);
  EXPECT_EQ(q.largest_bucket, 16);
  EXPECT_EQ(q.buckets_over_capacity, 0);
  EXPECT_EQ(q.bin_share, std::nullopt);
}

TEST(PshQuality, IsTheDistanceInThreeDimensions) {
  const quality_figures q = figures(placed({{1, 2, 2, -1, -2, -2}}, {0, 0}));
  EXPECT_DOUBLE_EQ(*q.locality_rms, 3);
}

TEST(PshQuality, TakesTheShareOfTheLargestBucketOfASlice) {
  // 12 and 8 points: the first slice holds 12 and 4, the second 4.
  std::vector<int> buckets(12, 1);
  buckets.resize(20, 2);
  const quality_figures q = figures(placed({repeated(20, {7})}, buckets));
  EXPECT_DOUBLE_EQ(*q.purity, (12 / 16.0 + 1) / 2);
  EXPECT_DOUBLE_EQ(*q.locality_rms, 0);
}

TEST(PshQuality, LeavesSlicesOfTwoInstancesOutOfLocality) {
  // Eight points of each of two instances in one slice, 16 more of the second in the next one.
  std::vector<float> second = repeated(8, {100});
  const auto rest = repeated(8, {-2, 2});
  second.insert(second.end(), rest.begin(), rest.end());
  std::vector<int> buckets(16, 0);
  buckets.resize(32, 1);
  const quality_figures q = figures(placed({repeated(8, {0}), second}, buckets));
  EXPECT_DOUBLE_EQ(*q.locality_rms, 2);
  EXPECT_DOUBLE_EQ(*q.purity, (0.5 + 1) / 2);  // bucket 0 of another instance is another bucket
  EXPECT_EQ(q.largest_bucket, 16);
}

TEST(PshQuality, CountsBucketsOverCapacityAndTheBin) {
  std::vector<int> buckets(18, 3);
  buckets.resize(20, 0);
  const quality_figures q = figures(placed({repeated(20, {0})}, buckets, mode::published));
  EXPECT_EQ(q.largest_bucket, 18);
  EXPECT_EQ(q.buckets_over_capacity, 1);
  EXPECT_DOUBLE_EQ(*q.bin_share, 2 / 20.0);
}

TEST(PshQuality, CountsWhoIsAtHome) {
  problem p;
  p.hash = hash::z_div, p.mode = mode::strict, p.capacity = 16, p.buckets = 32, p.probes = 0;
  host_problem h(p, {repeated(20, {1.0f})});
  h.run_to(phase::insert);
  EXPECT_DOUBLE_EQ(*figures(h).at_home_share, 1);
  h.run(phase::rebalance, phase::rebalance);
  EXPECT_DOUBLE_EQ(*figures(h).at_home_share, 16 / 20.0);  // leftovers have no place yet
  h.run(phase::drain, phase::drain);
  EXPECT_DOUBLE_EQ(*figures(h).at_home_share, 16 / 20.0);
}

TEST(PshQuality, OfRowsIsUnknownBeforeTheScatter) {
  problem p;
  p.mode = mode::published;
  host_problem h(p, {line({1, 2, 3})});
  h.run_to(phase::drain);
  EXPECT_EQ(figures(h).locality_rms, std::nullopt);
  EXPECT_EQ(figures(h).purity, std::nullopt);
  EXPECT_TRUE(figures(h).at_home_share && figures(h).largest_bucket && figures(h).bin_share);
}

TEST(PshQuality, OfNothingIsUnknown) {
  host_problem h({}, {{}});
  h.run_to(phase::scatter);
  const quality_figures q = figures(h);
  EXPECT_FALSE(q.locality_rms || q.purity || q.at_home_share || q.largest_bucket || q.bin_share);
}

TEST(PshQuality, OfStridedRowsIsThatOfBuckets) {
  problem p;
  p.mode = mode::strict, p.layout = layout::strided, p.capacity = 16, p.buckets = 32;
  std::vector<float> xyz = repeated(6, {-1, 1});
  host_problem h(p, {xyz});
  h.run_to(phase::scatter);
  EXPECT_DOUBLE_EQ(*figures(h).purity, 1);
  EXPECT_NEAR(*figures(h).locality_rms, 0, 1e-9);  // the two places are two buckets
}

}  // namespace
}  // namespace ablate::psh_bucket::quality_test
