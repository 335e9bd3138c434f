// Every property can fail: a right answer with one thing changed is found out, and the message says what.
#include "kernels/psh_bucket/properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "harness/inputs/generators.h"
#include "tests/kernels/psh_bucket/host_problem.h"

namespace ablate::psh_bucket::properties_test {
namespace {

using test_support::host_problem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

host_problem solved(mode m, phase last, layout l = layout::compact) {
  problem p;
  p.hash = hash::z_div;
  p.mode = m;
  p.layout = l;
  p.capacity = 64;
  p.buckets = 32;
  p.channels = 8;
  const auto cloud = lidar_points(1500, 3, ray_order::ring_major);
  host_problem h(p, {cloud, {}, lidar_points(500, 4, ray_order::ring_major)});
  EXPECT_EQ(h.run_to(last), std::nullopt);
  return h;
}

/// What `violated` says of a right answer after `change`.
std::string after(const host_problem& right, const std::function<void(host_problem&)>& change) {
  host_problem wrong = right;
  change(wrong);
  return wrong.violation().value_or("none");
}

/// A point of instance 0 in a bucket that holds more than `least`, or not in bucket 0.
std::size_t point_of_large_bucket(const host_problem& h, std::uint32_t least) {
  for (std::size_t i = 0; i < h.ends[0]; ++i)
    if (h.bucket_count[h.bucket_id[i]] > least && h.bucket_id[i] != 0) return i;
  ADD_FAILURE() << "no such point";
  return 0;
}

TEST(PshProperties, FindOutWhatIsWrongWithAPlace) {
  for (const phase last : {phase::insert, phase::rebalance, phase::drain, phase::scatter})
    for (const mode m : test_support::all_modes) {
      const host_problem right = solved(m, last);
      const std::size_t i = point_of_large_bucket(right, 1);
      const int b = right.bucket_id[i];
      EXPECT_THAT(after(right, [&](auto& h) { h.bucket_id[i] = 32; }),
                  ::testing::AllOf(StartsWith("P1: instance 0, point " + std::to_string(i)),
                                   HasSubstr("expected below 32, found 32")));
      EXPECT_THAT(after(right, [&](auto& h) { h.bucket_id[i] = 0xa5a5; }), StartsWith("P1"));
      EXPECT_THAT(after(right, [&](auto& h) { h.bucket_count[b] += 1; }),
                  StartsWith("P4: instance 0, bucket " + std::to_string(b) + ": bucket_count"));
      EXPECT_THAT(after(right, [&](auto& h) { h.bucket_count[2 * 32 + 5] -= 1; }),
                  StartsWith("P4: instance 2, bucket 5"));
      EXPECT_THAT(after(right, [&](auto& h) { h.bucket_count[32 + 31] = 1; }),
                  StartsWith("P4: instance 1, bucket 31"));
      EXPECT_THAT(after(right, [&](auto& h) { h.bucket_off[i] = 2000; }), StartsWith("P1"));
      EXPECT_THAT(
          after(right, [&](auto& h) { h.bucket_off[i] = h.bucket_off[i] == 0 ? 1 : h.bucket_off[i] - 1; }),
          ::testing::AllOf(StartsWith("P3: instance 0, bucket " + std::to_string(b)),
                           HasSubstr("expected one point, found points")));
    }
}

TEST(PshProperties, FindOutAWrongHashAfterInsertion) {
  const auto swap_two = [](host_problem& h) {  // keeps all counts and places
    for (std::size_t i = 1; i < h.ends[0]; ++i)
      if (h.bucket_id[i] != h.bucket_id[0]) {
        std::swap(h.bucket_id[i], h.bucket_id[0]);
        std::swap(h.bucket_off[i], h.bucket_off[0]);
        return;
      }
  };
  for (const mode m : test_support::all_modes) {
    EXPECT_THAT(after(solved(m, phase::insert), swap_two), StartsWith("P8: instance 0, point 0"));
    host_problem searched = solved(m, phase::insert);
    searched.p.first = searched.p.last = phase::rebalance;
    searched.p.claims = false;
    EXPECT_EQ(searched.violation(), std::nullopt);
    EXPECT_THAT(after(searched, swap_two), StartsWith("P8: instance 0, point 0"));
  }
}

TEST(PshProperties, FindOutABucketThatHoldsTooMany) {
  // Insertion alone leaves too many in a bucket, and is no answer to rebalancing.
  for (const mode m : test_support::all_modes) {
    host_problem h = solved(m, phase::insert);
    h.p.last = phase::rebalance;
    EXPECT_THAT(h.violation().value_or("none"),
                ::testing::AllOf(StartsWith("P6: instance 0, bucket "), HasSubstr("at most 64 points")));
  }
  host_problem strict = solved(mode::strict, phase::insert);
  strict.p.last = phase::drain;
  EXPECT_THAT(strict.violation().value_or("none"), StartsWith("P6"));
  // Rebalancing leaves the bin too full, and is no answer to the drain.
  host_problem bin = solved(mode::published, phase::rebalance);
  bin.p.last = phase::drain;
  EXPECT_THAT(bin.violation().value_or("none"),
              ::testing::AllOf(StartsWith("P6: instance 0, bucket 0"), HasSubstr("at most 65 points")));
}

TEST(PshProperties, FindOutWhatIsWrongWithALeftover) {
  problem p;
  p.mode = mode::strict, p.capacity = 64, p.buckets = 32, p.probes = 2;
  host_problem right(p, {lidar_points(1500, 3, ray_order::ring_major)});
  ASSERT_EQ(right.run_to(phase::rebalance), std::nullopt);
  std::size_t i = 0;
  while (right.bucket_off[i] != (leftover_bit | 1u)) ++i;
  EXPECT_THAT(after(right, [&](auto& h) { h.bucket_off[i] = leftover_bit | 5000u; }),
              ::testing::AllOf(StartsWith("P1"), HasSubstr("rank among the leftovers")));
  EXPECT_THAT(after(right, [&](auto& h) { h.bucket_off[i] = leftover_bit; }),
              ::testing::AllOf(StartsWith("P3"), HasSubstr("rank among the leftovers 0")));
  EXPECT_THAT(after(right, [&](auto& h) { h.bucket_off[i] &= ~leftover_bit; }), StartsWith("P4"));
  EXPECT_THAT(after(right,
                    [&](auto& h) {  // the last leftover of one bucket becomes the last of another one
                      std::size_t last = i;
                      std::uint32_t of_other = 0;
                      const std::uint16_t other = h.bucket_id[i] == 7 ? 8 : 7;
                      for (std::size_t j = 0; j < h.bucket_id.size(); ++j) {
                        if ((h.bucket_off[j] & leftover_bit) == 0) continue;
                        if (h.bucket_id[j] == h.bucket_id[i]) last = j;
                        of_other += h.bucket_id[j] == other;
                      }
                      h.bucket_id[last] = other;
                      h.bucket_off[last] = leftover_bit | of_other;
                    }),
              StartsWith("P8"));
  right.p.last = phase::drain;  // a leftover without a place is no answer any more
  EXPECT_THAT(right.violation().value_or("none"), StartsWith("P4"));
}

TEST(PshProperties, FindOutAPointThatLeftForNoReason) {
  for (const mode m : test_support::all_modes) {
    host_problem h = solved(m, phase::scatter);
    ASSERT_EQ(displaced_without_need(h.p, h.homes), std::nullopt);
    // The last of a bucket with room goes to the end of another one.
    std::size_t i = 0;
    const auto leaves = [&](std::size_t each) {
      const std::uint32_t count = h.bucket_count[h.bucket_id[each]];
      return h.homes[each] == h.bucket_id[each] && count < 64 && h.bucket_off[each] + 1 == count;
    };
    while (!leaves(i)) ++i;
    h.p.last = phase::drain;
    int to = h.bucket_id[i] + 1;
    while (h.bucket_count[to] >= 64) ++to;
    h.bucket_count[h.bucket_id[i]] -= 1;
    h.bucket_id[i] = static_cast<std::uint16_t>(to);
    h.bucket_off[i] = h.bucket_count[to]++;
    EXPECT_THAT(displaced_without_need(h.p, h.homes).value_or("none"),
                ::testing::AllOf(StartsWith("P8: instance 0, point " + std::to_string(i)),
                                 HasSubstr("which has room")));
    // In strict mode a variant may have buckets of another making, of ranks, say.
    EXPECT_THAT(h.violation().value_or("none"), StartsWith(m == mode::strict ? "none" : "P8"));
  }
}

TEST(PshProperties, FindOutWhatIsWrongWithARow) {
  for (const layout l : {layout::compact, layout::strided}) {
    const host_problem right = solved(mode::strict, phase::scatter, l);
    std::size_t real = 0, padding = right.source.size() - 1;
    while (right.source[real] >= right.p.points) ++real;
    std::size_t next = real + 1;
    while (right.source[next] >= right.p.points) ++next;
    ASSERT_GE(right.source[padding], right.p.points);

    EXPECT_THAT(after(right, [](auto& h) { h.bucket_end[17] += 1; }),
                StartsWith("P4: instance 0, bucket 17: bucket_end"));
    EXPECT_THAT(after(right, [](auto& h) { h.bucket_end[32 + 3] = 0xa5a5a5a5; }),
                StartsWith("P4: instance 1, bucket 3: bucket_end"));
    EXPECT_THAT(after(right, [&](auto& h) { h.scattered[3 * real + 1] ^= 1; }),
                ::testing::AllOf(StartsWith("P5: row " + std::to_string(real)), HasSubstr("scattered")));
    EXPECT_THAT(after(right, [&](auto& h) { h.scattered_features[8 * real + 5] ^= 1; }),
                ::testing::AllOf(StartsWith("P5: row "), HasSubstr("scattered_features, channel 5")));
    EXPECT_THAT(after(right, [&](auto& h) { h.scattered[3 * padding + 2] = 0xa5a5; }),
                ::testing::AllOf(StartsWith("P5: row " + std::to_string(padding) + " (padding)")));
    EXPECT_THAT(after(right, [&](auto& h) { h.scattered_features[8 * padding + 7] = 0xa5a5; }),
                ::testing::AllOf(StartsWith("P5: row "), HasSubstr("(padding)")));
    EXPECT_THAT(after(right, [&](auto& h) { h.source[padding] = 0xa5a5a5a5; }), HasSubstr("unwritten"));
    EXPECT_THAT(after(right, [&](auto& h) { h.source[padding] = 0; }), HasSubstr("rows of padding"));
    EXPECT_THAT(after(right, [&](auto& h) { h.source[real] = static_cast<std::uint32_t>(h.p.points); }),
                StartsWith("P5"));
    EXPECT_THAT(after(right, [&](auto& h) { std::swap(h.source[real], h.source[next]); }),
                ::testing::AllOf(StartsWith("P5"), HasSubstr("source: expected point")));
    // Any value from the number of points on marks padding.
    EXPECT_EQ(after(right, [&](auto& h) { h.source[padding] = 0xffffffff; }), "none");
  }
}

TEST(PshProperties, FindOutASumThatLacksPoints) {
  // A point in none of the instance's buckets cannot be: the counters would have to be wrong as well.
  host_problem h = solved(mode::strict, phase::insert);
  h.ends[0] -= 1, h.ends[1] -= 1;
  EXPECT_NE(h.violation(), std::nullopt);
}

TEST(PshProperties, FindOutCountersThatWereNotZeroed) {
  host_problem h = solved(mode::strict, phase::prepare);
  EXPECT_THAT(after(h, [](auto& wrong) { wrong.bucket_count[3] = 1; }),
              StartsWith("P2: instance 0, bucket 3"));
}

// The order in which atomics arrive is free.
TEST(PshProperties, AcceptAnyOrderWithinABucket) {
  host_problem h = solved(mode::strict, phase::insert);
  std::vector<std::uint32_t> count(h.bucket_count.size(), 0);
  for (std::size_t i = h.bucket_id.size(); i-- > 0;) {
    const std::size_t instance = i < h.ends[0] ? 0 : 2;
    h.bucket_off[i] = count[instance * 32 + h.bucket_id[i]]++;
  }
  EXPECT_EQ(h.violation(), std::nullopt);
}

// Insert and rebalance in one launch: points that were turned away elsewhere come before the natural ones.
TEST(PshProperties, AcceptPointsThatOthersDisplaced) {
  for (const mode m : test_support::all_modes) {
    problem p;
    p.hash = hash::z_div, p.mode = m, p.capacity = 64, p.buckets = 32;
    const auto cloud = lidar_points(1900, 3, ray_order::ring_major);
    host_problem h(p, {cloud});
    h.run_to(phase::prepare);
    // Each point is inserted and rebalanced before the next one is inserted.
    std::vector<std::uint32_t> leftovers_of(32, 0);
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < 1900; ++i) {
      int b = h.homes[i];
      const bool bin = m != mode::strict;
      if (h.bucket_count[b] >= 64 && !(bin && b == 0)) {
        b = -1;
        for (int probe = 0; probe < 4 && b < 0; ++probe) {
          state = state * 6364136223846793005ull + 1442695040888963407ull;
          const int other = static_cast<int>(state >> 59);
          if (other != h.homes[i] && !(bin && other == 0) && h.bucket_count[other] < 64) b = other;
        }
        if (b < 0 && !bin) {
          h.bucket_id[i] = h.homes[i];
          h.bucket_off[i] = leftover_bit | leftovers_of[h.homes[i]]++;
          continue;
        }
        if (b < 0) b = 0;
      }
      h.bucket_id[i] = static_cast<std::uint16_t>(b);
      h.bucket_off[i] = h.bucket_count[b]++;
    }
    h.p.last = phase::rebalance;
    EXPECT_EQ(h.violation(), std::nullopt);
    EXPECT_EQ(displaced_without_need(h.p, h.homes), std::nullopt);
    EXPECT_EQ(h.run(phase::drain, phase::scatter), std::nullopt);
  }
}

// Points sorted by key and cut into chunks of the capacity: buckets that are no hashes.
TEST(PshProperties, AcceptBucketsOfRanksInStrictModeOnly) {
  for (const mode m : test_support::all_modes) {
    host_problem h = solved(m, phase::prepare);
    for (std::size_t i = 0; i < h.bucket_id.size(); ++i) {
      const auto rank = static_cast<std::uint32_t>(i < h.ends[0] ? i : i - h.ends[0]);
      h.bucket_id[i] = static_cast<std::uint16_t>(rank / 64);
      h.bucket_off[i] = rank % 64;
      ++h.bucket_count[(i < h.ends[0] ? 0 : 2 * 32) + rank / 64];
    }
    h.p.first = h.p.last = phase::scatter;
    reference(h.p);
    EXPECT_THAT(h.violation().value_or("none"), StartsWith(m == mode::strict ? "none" : "P8"));
  }
}

}  // namespace
}  // namespace ablate::psh_bucket::properties_test
