// The oracle: duplicates, full tables, empty inputs, and against std::unordered_map.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

#include "kernels/hash_table/cost.h"
#include "tests/kernels/hash_table/host_table.h"

namespace ablate::hash_table::reference_test {
namespace {

using test_support::host_table;
using test_support::rows_by_turns;
using ::testing::Each;
using ::testing::ElementsAre;

TEST(HashTableReference, FindsTheSmallestOfEqualRows) {
  host_table t(rows_by_turns(10, 4), 16);
  t.insert();
  EXPECT_THAT(t.found, ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 0, 1));
  EXPECT_EQ(t.status, status_ok);
  EXPECT_EQ(t.summary[0], 4u);
  std::uint64_t sum = 0;
  for (int i = 0; i < 4; ++i) sum += mixed(packed_key(t.coordinates.data() + 4 * i));
  EXPECT_EQ(t.summary[1], sum);
}

TEST(HashTableReference, ClearsWhatItIsAskedToClearOnly) {
  host_table t(rows_by_turns(10, 4), 16);
  t.p.first = t.p.last = phase::clear;
  reference(t.p);
  EXPECT_THAT(t.found, Each(-1));
  EXPECT_EQ(t.status, status_ok);
  EXPECT_EQ(t.summary[0], 0u);
  EXPECT_EQ(t.summary[1], 0u);
}

TEST(HashTableReference, HoldsAsManyKeysAsSlots) {
  for (const int keys : {15, 16, 17, 32}) {
    host_table t(rows_by_turns(2 * keys, keys), 16);
    t.insert();
    EXPECT_EQ(t.status, keys > 16 ? status_full : status_ok) << keys;
    EXPECT_EQ(t.summary[0], static_cast<std::uint64_t>(std::min(keys, 16)));
    for (int i = 0; i < 2 * keys; ++i)
      EXPECT_EQ(t.found[static_cast<std::size_t>(i)], i % keys < 16 ? i % keys : -1) << keys << ", " << i;
  }
}

TEST(HashTableReference, TakesEmptyInputs) {
  host_table none({}, 16);
  none.insert();
  EXPECT_EQ(none.status, status_ok);
  EXPECT_EQ(none.summary[0], 0u);
  none.search({0, 0, 0, 0});
  EXPECT_THAT(none.found, ElementsAre(-1));
  host_table some(rows_by_turns(3, 3), 16);
  some.search({});
  EXPECT_TRUE(some.found.empty());
}

TEST(HashTableReference, GuardsTheRangeOrWraps) {
  host_table t({0, -131072, 0, 5, 511, 1, 2, 3}, 16);
  const std::vector<std::int32_t> queries = {0,  -131072, 0, 5, 0, 131072, 0, 5, 0,  -131072, 0,      262149,
                                             -1, 1,       2, 3, 0, 131071, 0, 5, -1, 1,       262146, 3};
  t.search(queries);
  EXPECT_THAT(t.found, ElementsAre(0, -1, -1, -1, -1, -1));
  t.p.guards = false;
  t.search(queries);
  EXPECT_THAT(t.found, ElementsAre(0, 0, 0, 1, -1, 1));
}

TEST(HashTableReference, AgreesWithAnOrdinaryMap) {
  std::mt19937_64 random(3);
  std::vector<std::int32_t> rows, queries;
  for (auto* list : {&rows, &queries})
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t bits = random();
      for (const int shift : {0, 8, 16, 24}) list->push_back(static_cast<std::int32_t>(bits >> shift & 7));
    }
  std::unordered_map<std::uint64_t, std::int32_t> map;
  for (std::size_t i = 0; i < rows.size(); i += 4)
    map.try_emplace(packed_key(&rows[i]), static_cast<std::int32_t>(i / 4));
  host_table t(rows, 1 << 16);
  EXPECT_EQ(t.classes().distinct, static_cast<std::int64_t>(map.size()));
  t.search(queries);
  for (std::size_t i = 0; i < t.found.size(); ++i) {
    const auto there = map.find(packed_key(&queries[4 * i]));
    EXPECT_EQ(t.found[i], there == map.end() ? -1 : there->second) << i;
  }
}

TEST(HashTableReference, TakesAMillionKeysThatShareASlotOfTheKernels) {
  std::vector<std::int32_t> rows;
  for (std::uint64_t t = 0; rows.size() < 4'000'000; ++t)
    if (const std::uint64_t key = unmixed(t << 32 | 12345); key >> 63) {
      const auto c = unpacked_key(key);
      rows.insert(rows.end(), c.begin(), c.end());
    }
  host_table t(std::move(rows), 1 << 21);
  t.insert();
  EXPECT_EQ(t.summary[0], 1'000'000u);
}

TEST(HashTableCost, IsThatOfKnuthsFormulas) {
  constexpr double loads[] = {.25, .5, .7, .8, .9, .95};
  constexpr double table[][4] = {{1.17, 1.39, 1.15, 1.33}, {1.50, 2.50, 1.39, 2.00},
                                 {2.17, 6.06, 1.72, 3.33}, {3.00, 13.0, 2.01, 5.00},
                                 {5.50, 50.5, 2.56, 10.0}, {10.5, 200.5, 3.15, 20.0}};
  for (std::size_t i = 0; i < std::size(loads); ++i) {
    EXPECT_NEAR(expected_linear(loads[i]).hit, table[i][0], 0.006);
    EXPECT_NEAR(expected_linear(loads[i]).miss, table[i][1], 0.006);
    EXPECT_NEAR(expected_double_hash(loads[i]).hit, table[i][2], 0.006);
    EXPECT_NEAR(expected_double_hash(loads[i]).miss, table[i][3], 0.006);
  }
  EXPECT_EQ(expected_linear(0).hit, 1);
  EXPECT_EQ(expected_double_hash(0).hit, 1);
}

TEST(HashTableCost, OfBucketsOfOneSlotIsThatOfDoubleHashing) {
  for (const double load : {0.0, .25, .5, .8, .95, .99}) {
    EXPECT_NEAR(expected_double_hash_buckets(load, 1).hit, expected_double_hash(load).hit, 1e-9) << load;
    EXPECT_NEAR(expected_double_hash_buckets(load, 1).miss, expected_double_hash(load).miss, 1e-6) << load;
  }
}

TEST(HashTableCost, OfBucketsIsWhatASimulationShows) {
  constexpr std::uint64_t slots = 1 << 20;
  for (const int of_bucket : {2, 4, 8})
    for (const double load : {.5, .8, .9}) {
      const std::uint64_t buckets = slots / static_cast<std::uint64_t>(of_bucket);
      std::mt19937_64 random(4);
      std::vector<int> held(buckets, 0);
      std::vector<bool> is_passed(buckets);
      const auto start_and_step = [&](std::uint64_t key) {
        return std::pair(key % buckets, (key >> 32 | 1) % buckets);
      };
      double inserting = 0, missing = 0, marked = 0;
      const int keys = static_cast<int>(load * slots);
      for (int i = 0; i < keys; ++i) {
        auto [at, step] = start_and_step(random());
        for (++inserting; held[at] == of_bucket; at = (at + step) % buckets, ++inserting)
          is_passed[at] = true;
        ++held[at];
      }
      for (int i = 0; i < keys; ++i) {
        const auto [start, step] = start_and_step(random());
        std::uint64_t at = start;
        for (++missing; held[at] == of_bucket; ++missing) at = (at + step) % buckets;
        at = start;
        for (++marked; is_passed[at]; ++marked) at = (at + step) % buckets;
      }
      const expected_buckets expected = expected_double_hash_buckets(load, of_bucket);
      EXPECT_NEAR(inserting / keys / expected.hit, 1, 0.02) << of_bucket << ", " << load;
      EXPECT_NEAR(missing / keys / expected.miss, 1, 0.02) << of_bucket << ", " << load;
      EXPECT_NEAR(marked / keys / expected.marked_miss, 1, 0.02) << of_bucket << ", " << load;
    }
}

// The formulas describe the table that the kernels build, here simulated one key after the other.
TEST(HashTableCost, IsWhatASimulationShows) {
  constexpr std::uint64_t slots = 1 << 20;
  constexpr double load = 0.5;
  for (const bool doubled : {false, true}) {
    std::mt19937_64 random(4);
    std::vector<std::uint64_t> table(slots, 0);
    const auto probes_until_empty = [&](std::uint64_t key, std::uint64_t& slot) {
      std::uint64_t x = (key ^ key >> 33) * 0xff51afd7ed558ccd;
      const std::uint64_t step = doubled ? ((x ^ x >> 33) % slots) | 1 : 1;
      int probes = 1;
      for (slot = mixed(key) % slots; table[slot] != 0; slot = (slot + step) % slots) ++probes;
      return probes;
    };
    double inserting = 0, missing = 0;
    std::uint64_t slot = 0;
    const int keys = static_cast<int>(load * slots);
    for (int i = 0; i < keys; ++i) {
      const std::uint64_t key = random() | std::uint64_t{1} << 63;
      inserting += probes_until_empty(key, slot);
      table[slot] = key;
    }
    for (int i = 0; i < keys; ++i) missing += probes_until_empty(random() | std::uint64_t{1} << 63, slot);
    const expected_probes expected = doubled ? expected_double_hash(load) : expected_linear(load);
    EXPECT_NEAR(inserting / keys / expected.hit, 1, 0.03) << doubled;
    EXPECT_NEAR(missing / keys / expected.miss, 1, 0.03) << doubled;
  }
}

}  // namespace
}  // namespace ablate::hash_table::reference_test
