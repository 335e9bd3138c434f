// Every property can fail: a right answer with one thing changed is found out, and the message says what.
#include "oracles/psh_bucket/properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "harness/inputs/points/generators.h"
#include "kernels/common/poison.h"
#include "oracles/psh_bucket/probes.h"
#include "tests/kernels/psh_bucket/host_problem.h"

namespace ablate::psh_bucket::properties_test {
namespace {

using test_support::host_problem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

host_problem solved(mode m, phase last, layout l = layout::compact, hash by = hash::z_div) {
  problem p;
  p.hash = by;
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
      EXPECT_THAT(after(right, [&](auto& h) { h.bucket_id[i] = static_cast<std::uint16_t>(poison_word); }),
                  StartsWith("P1"));
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
    EXPECT_THAT(h.violation().value_or("none"), StartsWith("P8"));
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
    EXPECT_THAT(after(right, [](auto& h) { h.bucket_end[32 + 3] = poison_word; }),
                StartsWith("P4: instance 1, bucket 3: bucket_end"));
    EXPECT_THAT(after(right, [&](auto& h) { h.scattered[3 * real + 1] ^= 1; }),
                ::testing::AllOf(StartsWith("P5: row " + std::to_string(real)), HasSubstr("scattered")));
    EXPECT_THAT(after(right, [&](auto& h) { h.scattered_features[8 * real + 5] ^= 1; }),
                ::testing::AllOf(StartsWith("P5: row "), HasSubstr("scattered_features, channel 5")));
    EXPECT_THAT(
        after(right,
              [&](auto& h) { h.scattered[3 * padding + 2] = static_cast<std::uint16_t>(poison_word); }),
        ::testing::AllOf(StartsWith("P5: row " + std::to_string(padding) + " (padding)")));
    EXPECT_THAT(after(right,
                      [&](auto& h) {
                        h.scattered_features[8 * padding + 7] = static_cast<std::uint16_t>(poison_word);
                      }),
                ::testing::AllOf(StartsWith("P5: row "), HasSubstr("(padding)")));
    EXPECT_THAT(after(right, [&](auto& h) { h.source[padding] = poison_word; }), HasSubstr("unwritten"));
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
    const probed_buckets probes(h.p);
    const bounding_box box = bounding_box_of(h.p);
    for (std::size_t i = 0; i < 1900; ++i) {
      int b = h.homes[i];
      const bool bin = m != mode::strict;
      if (h.bucket_count[b] >= 64 && !(bin && b == 0)) {
        b = -1;
        for (int probe = 0; probe < max_probes && b < 0; ++probe) {
          const int other =
              probes.at(static_cast<std::int64_t>(i), voxel_of(h.p, box, &h.coordinates[3 * i]), probe);
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

/// Places of the points of one instance by rank, 64 to a bucket, whatever their hash.
void cut_into_chunks(host_problem& h, const std::vector<std::size_t>& by_rank, std::size_t instance) {
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    h.bucket_id[by_rank[rank]] = static_cast<std::uint16_t>(rank / 64);
    h.bucket_off[by_rank[rank]] = static_cast<std::uint32_t>(rank % 64);
    ++h.bucket_count[instance * 32 + rank / 64];
  }
}

/// The instances' points in buckets of 64, in the order of `key(point)`, and scattered; of a variant that
/// says that it sorts by so many bits.
template <class Key>
host_problem cut_by(mode m, Key key, hash by = hash::z_div, int key_bits = 16) {
  host_problem h = solved(m, phase::prepare, layout::compact, by);
  for (const std::size_t instance : {0, 1, 2}) {
    std::vector<std::size_t> points;
    for (std::size_t i = instance == 0 ? 0 : h.ends[instance - 1]; i < h.ends[instance]; ++i)
      points.push_back(i);
    std::stable_sort(points.begin(), points.end(),
                     [&](std::size_t a, std::size_t b) { return key(h, a) < key(h, b); });
    cut_into_chunks(h, points, instance);
  }
  h.p.first = h.p.last = phase::scatter;
  reference(h.p);
  h.key_bits = key_bits;
  return h;
}

std::uint16_t key_at(const host_problem& h, std::size_t i) {
  static const bounding_box box = bounding_box_of(h.p);  // all clouds are the same
  return key_of(h.p.hash, voxel_of(h.p, box, &h.coordinates[3 * i]));
}

TEST(PshProperties, AcceptChunksOfPointsByKeyInStrictModeOnly) {
  for (const mode m : test_support::all_modes)
    EXPECT_THAT(cut_by(m, key_at).violation().value_or("none"),
                StartsWith(m == mode::strict ? "none" : "P10: leading bits"));
  // A remainder is a bucket by the key's last bits: they come first.
  const auto by_remainder = [](const host_problem& h, std::size_t i) {
    return key_at(h, i) % 32 << 11 | key_at(h, i) / 32;
  };
  EXPECT_EQ(cut_by(mode::strict, by_remainder, hash::z_mod).violation(), std::nullopt);
  EXPECT_THAT(cut_by(mode::strict, key_at, hash::z_mod).violation().value_or("none"), StartsWith("P10"));
}

TEST(PshProperties, HoldChunksToTheLeadingBitsOfTheKey) {
  const auto by_bits = [](int bits) {
    return [bits](const host_problem& h, std::size_t i) { return key_at(h, i) >> (16 - bits); };
  };
  host_problem by_12 = cut_by(mode::strict, by_bits(12), hash::z_div, 12);
  EXPECT_EQ(by_12.violation(), std::nullopt);
  by_12.key_bits = 13;
  EXPECT_THAT(by_12.violation().value_or("none"),
              ::testing::AllOf(StartsWith("P10: instance 0, point "), HasSubstr("13 leading bits")));
  by_12.key_bits = 0;
  EXPECT_THAT(by_12.violation().value_or("none"), ::testing::AnyOf(StartsWith("P8"), StartsWith("P9")));
  for (const int unknown : {-1, 9, 17}) {
    by_12.key_bits = unknown;
    EXPECT_THAT(by_12.violation().value_or("none"), HasSubstr("expected 0 or 10 to 16, found"));
  }
  host_problem hashed = solved(mode::strict, phase::scatter);
  hashed.key_bits = 10;
  EXPECT_THAT(hashed.violation().value_or("none"), StartsWith("P10: instance 0: expected buckets"));
}

// Full buckets with one point each of every place, whose points were never hashed.
TEST(PshProperties, FindOutPointsCutByTheirNumber) {
  for (const mode m : test_support::all_modes) {
    const auto number = [](const host_problem&, std::size_t i) { return i; };
    const host_problem h = cut_by(m, number, hash::z_div, m == mode::strict ? 16 : 0);
    EXPECT_THAT(h.violation().value_or("none"),
                ::testing::AnyOf(StartsWith("P8: instance 0"), StartsWith("P9: instance 0"),
                                 StartsWith("P10: instance 0")));
  }
}

TEST(PshProperties, FindOutOneChunkOutOfOrder) {
  const host_problem right = cut_by(mode::strict, key_at);
  std::size_t one = 0;
  while (right.bucket_id[one] != 3 || right.bucket_off[one] != 63) ++one;
  std::size_t next = 0;
  while (key_at(right, next) >> 6 <= key_at(right, one) >> 6 || next >= right.ends[0]) ++next;
  host_problem wrong = right;
  std::swap(wrong.bucket_id[one], wrong.bucket_id[next]);
  std::swap(wrong.bucket_off[one], wrong.bucket_off[next]);
  reference(wrong.p);
  wrong.key_bits = 16;
  EXPECT_THAT(wrong.violation().value_or("none"),
              ::testing::AllOf(StartsWith("P10: instance 0, point "), HasSubstr("leading bits of its key")));
}

/// In a box, a quarter of them in a corner of it: some buckets overflow and others have room.
std::vector<float> crowded_cloud() {
  std::vector<float> all = uniform_points(1400, {{0, 0, 0}, {8, 8, 8}}, 3);
  const std::vector<float> corner = uniform_points(500, {{1, 1, 1}, {2, 2, 2}}, 4);
  all.insert(all.end(), corner.begin(), corner.end());
  return all;
}

/// Swaps the places of two points of instance 0.
void swap_places(host_problem& h, std::size_t a, std::size_t b) {
  std::swap(h.bucket_id[a], h.bucket_id[b]);
  std::swap(h.bucket_off[a], h.bucket_off[b]);
}

// Of two points in each other's places each bucket has as many as before, all full homes stay full, and every
// row can be right: only the hash tells. Two of one home may take each other's places, and so may two whose
// probes lead to both.
TEST(PshProperties, FindOutPointsInEachOthersPlaces) {
  for (const mode m : test_support::all_modes)
    for (const int probes : {0, 8})
      for (const phase last : {phase::rebalance, phase::drain, phase::scatter}) {
        problem p;
        p.hash = hash::z_div, p.mode = m, p.capacity = 64, p.buckets = 32, p.probes = probes;
        host_problem right(p, {crowded_cloud()});
        ASSERT_EQ(right.run_to(last), std::nullopt);
        int swapped = 0, found_out = 0;
        for (std::size_t a = 0, b = 950; b < 1900; a += 25, b += 25) {
          const bool is_leftover = ((right.bucket_off[a] | right.bucket_off[b]) & leftover_bit) != 0;
          const bool same = right.homes[a] == right.homes[b] || right.bucket_id[a] == right.bucket_id[b];
          const bool at_home = right.bucket_id[a] == right.homes[a] && right.bucket_id[b] == right.homes[b];
          if (is_leftover || same || !at_home) continue;
          host_problem wrong = right;
          swap_places(wrong, a, b);
          if (last == phase::scatter) wrong.p.first = phase::scatter, reference(wrong.p);
          ++swapped;
          const std::string what = wrong.violation().value_or("none");
          found_out += what != "none";
          EXPECT_THAT(what, ::testing::AnyOf("none", StartsWith("P8"), StartsWith("P9")));
        }
        ASSERT_GT(swapped, 0);
        EXPECT_GE(found_out, 9 * swapped / 10) << test_support::name_of(m) << ", " << probes << " probes";
      }
}

TEST(PshProperties, FindOutWhoWentWhereNoProbeLeads) {
  for (const mode m : test_support::all_modes) {
    problem p;
    p.hash = hash::z_div, p.mode = m, p.capacity = 64, p.buckets = 64, p.probes = 4;
    host_problem right(p, {crowded_cloud()});
    ASSERT_EQ(right.run_to(phase::rebalance), std::nullopt);
    const probed_buckets probes(right.p);
    const bounding_box box = bounding_box_of(right.p);
    const auto probe_leads_to = [&](std::size_t i, int bucket) {
      for (int probe = 0; probe < 4; ++probe)
        if (probes.at(static_cast<std::int64_t>(i), voxel_of(right.p, box, &right.coordinates[3 * i]),
                      probe) == bucket)
          return true;
      return false;
    };
    // The last of a bucket that it was sent to goes to the end of one with room where no probe leads.
    std::size_t i = 0;
    const auto is_last_guest = [&](std::size_t each) {
      const int b = right.bucket_id[each];
      return b != right.homes[each] && (m == mode::strict || b != 0) &&
             right.bucket_off[each] + 1 == right.bucket_count[b];
    };
    while (!is_last_guest(i)) ++i;
    int to = 63;
    while (right.bucket_count[to] >= 64 || probe_leads_to(i, to) || to == right.bucket_id[i]) --to;
    EXPECT_THAT(after(right,
                      [&](auto& h) {
                        --h.bucket_count[h.bucket_id[i]];
                        h.bucket_id[i] = static_cast<std::uint16_t>(to);
                        h.bucket_off[i] = h.bucket_count[to]++;
                      }),
                ::testing::AllOf(StartsWith("P9: instance 0, point " + std::to_string(i)),
                                 HasSubstr("found in bucket " + std::to_string(to))));
  }
}

// Leftovers, or points in the bin, though a probe leads to room.
TEST(PshProperties, FindOutASearchThatStoppedTooSoon) {
  for (const mode m : test_support::all_modes) {
    problem p;
    p.hash = hash::z_div, p.mode = m, p.capacity = 64, p.buckets = 64, p.probes = 0;
    host_problem h(p, {crowded_cloud()});
    h.run_to(phase::rebalance);
    ASSERT_EQ(h.violation(), std::nullopt);
    h.p.probes = max_probes;
    EXPECT_THAT(h.violation().value_or("none"),
                ::testing::AllOf(StartsWith("P9: instance 0, point "), HasSubstr("which has room")));
  }
}

TEST(PshProperties, FindOutADrainToTheWrongBucket) {
  problem p;
  p.hash = hash::z_div, p.mode = mode::published, p.capacity = 64, p.buckets = 64, p.probes = 4;
  host_problem right(p, {crowded_cloud()});
  ASSERT_EQ(right.run_to(phase::rebalance), std::nullopt);
  const auto before = right.bucket_id;
  ASSERT_EQ(right.run(phase::drain, phase::drain), std::nullopt);
  std::size_t i = 0;
  while (before[i] != 0 || right.bucket_id[i] == 0 ||
         right.bucket_off[i] + 1 != right.bucket_count[right.bucket_id[i]])
    ++i;
  int found_out = 0, tried = 0;
  for (std::uint16_t to = 1; to < 64; ++to) {
    if (to == right.bucket_id[i] || to == right.homes[i]) continue;
    ++tried;
    found_out += after(right, [&](auto& h) {
                   --h.bucket_count[h.bucket_id[i]];
                   h.bucket_id[i] = to;
                   h.bucket_off[i] = h.bucket_count[to]++;
                 }).starts_with("P9: instance 0, point " + std::to_string(i));
  }
  EXPECT_GE(found_out, tried - p.probes) << "its probes lead to the others";
}

}  // namespace
}  // namespace ablate::psh_bucket::properties_test
