#include "oracles/psh_bucket/picture.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "harness/inputs/points/generators.h"
#include "tests/kernels/psh_bucket/host_problem.h"

namespace ablate::psh_bucket::picture_test {
namespace {

using test_support::host_problem;

TEST(PshScopes, OfConsecutiveBucketsBeginAtTheOffset) {
  EXPECT_EQ(swin_scope_of(0, 0, 32), 0);
  EXPECT_EQ(swin_scope_of(7, 0, 32), 0);
  EXPECT_EQ(swin_scope_of(8, 0, 32), 1);
  EXPECT_EQ(swin_scope_of(4, 4, 32), 0);
  EXPECT_EQ(swin_scope_of(11, 4, 32), 0);
  EXPECT_EQ(swin_scope_of(12, 4, 32), 1);
  EXPECT_EQ(swin_scope_of(3, 4, 32), 3);  // the last one goes round
  EXPECT_EQ(swin_scope_of(28, 4, 32), 3);
}

TEST(PshScopes, OfAStrideTakeEverySecondBucketOfSixteen) {
  std::map<int, std::set<int>> scopes;
  for (int b = 0; b < 32; ++b) scopes[strided_scope_of(b, 2)].insert(b);
  ASSERT_EQ(scopes.size(), 4u);
  EXPECT_EQ(scopes[0], (std::set<int>{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(scopes[1], (std::set<int>{1, 3, 5, 7, 9, 11, 13, 15}));
  EXPECT_EQ(scopes[3], (std::set<int>{17, 19, 21, 23, 25, 27, 29, 31}));
  for (int b = 0; b < 32; ++b) EXPECT_EQ(strided_scope_of(b, 1), swin_scope_of(b, 0, 32));
}

TEST(PshPicture, ShowsEveryNthPointWithEightBucketsAScope) {
  problem p;
  p.hash = hash::z_top_div, p.capacity = 256, p.buckets = 64;
  host_problem h(p, {{}, lidar_points(10000, 1, ray_order::ring_major), {1, 2, 3}});
  ASSERT_EQ(h.run_to(phase::scatter), std::nullopt);
  const auto drawn = picture_of(h.p, 4096);
  EXPECT_EQ(drawn.size(), 3334u);  // every third
  std::set<int> scope, shifted, strided;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const drawn_point& d = drawn[i];
    EXPECT_EQ(d.bucket, h.bucket_id[3 * i]);
    EXPECT_NEAR(d.x, float_of_half(h.coordinates[9 * i]), 0.005001);
    EXPECT_NEAR(d.y, float_of_half(h.coordinates[9 * i + 1]), 0.005001);
    if (d.in_scope) scope.insert(d.bucket);
    if (d.in_shifted) shifted.insert(d.bucket);
    if (d.in_strided) strided.insert(d.bucket);
  }
  for (const auto& members : {scope, shifted, strided}) {
    EXPECT_GT(members.size(), 0u);
    EXPECT_LE(members.size(), 8u);
  }
  EXPECT_NE(scope, shifted);
  EXPECT_NE(scope, strided);
}

TEST(PshPicture, TakesTheScopeAroundTheMiddle) {
  // Nine points on a diagonal: the middle one has the middle bucket.
  std::vector<float> xyz;
  for (int i = -4; i <= 4; ++i) xyz.insert(xyz.end(), 3, static_cast<float>(i));
  problem p;
  p.hash = hash::z_div, p.capacity = 16, p.buckets = 32;
  host_problem h(p, {xyz});
  h.run_to(phase::insert);
  const auto drawn = picture_of(h.p);
  ASSERT_EQ(drawn.size(), 9u);
  EXPECT_TRUE(drawn[4].in_scope && drawn[4].in_shifted && drawn[4].in_strided);
}

TEST(PshPicture, OfNothingIsEmpty) {
  host_problem h({}, {{}, {}});
  h.run_to(phase::scatter);
  EXPECT_TRUE(picture_of(h.p).empty());
}

}  // namespace
}  // namespace ablate::psh_bucket::picture_test
