// Every variant of hash_insert and hash_search against the oracle: sizes, loads, duplicates, full tables,
// hits and misses, the faces of the range, many repetitions; and the probe counts of the instrumented
// kernels against the expected ones.
#include <cmath>
#include <cstring>

#include "kernels/hash_table/cost.h"
#include "kernels/hash_table/hash_table.h"
#include "tests/support/by_turns.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/variant_run.cuh"

namespace ablate::hash_table_gpu_test {
namespace {

using test_support::by_turns, test_support::values_of, test_support::variant_run, test_support::with;

const operation& insertion() { return *find_operation("hash_insert"); }
const operation& search() { return *find_operation("hash_search"); }

bool has(const variant_facts& v, const char* name, const char* word) {
  return v.switches.has(name) && v.switches.word(name) == word;
}

class HashTableOnGpu : public test_support::variants_test {
 protected:
  void expect_right(const operation& op, const axis_values& at) {
    if (op.refuses(values_of(op, at))) return;
    expect_plain_and_instrumented_right(op, at, inputs_);
  }

  void expect_both_winners_right(const axis_values& at) {
    for (const char* winner : {"any", "smallest"}) expect_right(insertion(), with(at, {{"winner", winner}}));
  }

  /// In every region of an insertion; and searches for hits and both kinds of misses.
  void expect_all_right(const axis_values& at) {
    for (const char* region : {"insert", "clear_insert", "clear"})
      expect_both_winners_right(with(at, {{"region", region}}));
    for (const char* queries : {"1", "1000"})
      for (const char* miss : {"far", "near"})
        expect_right(search(), with(at, {{"queries", queries}, {"hit_percent", "50"}, {"miss", miss}}));
  }

  input_library inputs_{3, {}, {}};
};

TEST_F(HashTableOnGpu, EverySize) {
  for (const char* rows : {"1", "31", "32", "33", "255", "256", "257", "1000"})
    for (const char* slots : {"1024", "4096"}) expect_all_right({{"rows", rows}, {"slots", slots}});
  expect_all_right({{"rows", "100003"}, {"slots", "131072"}});
  for (const char* slots : {"16", "32", "4096"}) expect_all_right({{"load", "0"}, {"slots", slots}});
}

TEST_F(HashTableOnGpu, EveryLoad) {
  for (const char* load : {"5", "25", "50", "70", "90", "95", "100"})
    for (const char* slots : {"16", "64", "4096"}) expect_all_right({{"load", load}, {"slots", slots}});
  for (const char* load : {"5", "50", "90"}) {
    const axis_values at = {{"load", load}, {"slots", "262144"}};
    expect_both_winners_right(at);
    expect_right(search(), with(at, {{"queries", "1000"}, {"hit_percent", "50"}}));
  }
}

TEST_F(HashTableOnGpu, EveryNumberOfQueries) {
  for (const char* queries : {"1", "31", "32", "33", "255", "256", "257", "1000", "100003"})
    for (const char* hit_percent : {"0", "50", "100"})
      for (const char* load : {"0", "50"})
        expect_right(
            search(),
            {{"slots", "16384"}, {"load", load}, {"queries", queries}, {"hit_percent", hit_percent}});
}

TEST_F(HashTableOnGpu, EveryKeyAndOrder) {
  const char* const winners[] = {"any", "smallest"};
  const char* const misses[] = {"far", "near"};
  std::size_t turn = 0;
  for (const char* keys : {"random", "uniform_1", "room", "lidar_10cm", "solid", "lattice_4", "lattice_256"})
    for (const char* order : {"scan", "shuffled", "morton"}) {
      const axis_values at = {{"keys", keys}, {"order", order}, {"slots", "16384"}};
      expect_right(insertion(), with(at, {{"winner", by_turns(winners, turn)}}));
      expect_right(search(),
                   with(at, {{"queries", "20000"}, {"hit_percent", "40"}, {"miss", by_turns(misses, turn)}}));
      ++turn;
    }
}

// Regions of the table that are finished one by one: many of them, and one that every row goes to.
TEST_F(HashTableOnGpu, ManyRegions) {
  expect_both_winners_right({{"slots", "524288"}, {"load", "80"}, {"region", "clear_insert"}});
  expect_right(insertion(), {{"slots", "524288"}, {"rows", "100001"}, {"multiplicity", "100001"}});
}

TEST_F(HashTableOnGpu, KeysThatShareTheirFirstSlot) {
  expect_all_right({{"keys", "adversarial"}, {"rows", "1024"}, {"slots", "4096"}});
}

TEST_F(HashTableOnGpu, Duplicates) {
  const char* const regions[] = {"insert", "clear_insert"};
  std::size_t turn = 0;
  for (const char* order : {"scan", "shuffled"})
    for (const char* multiplicity : {"1", "2", "3", "32", "33", "1000", "100000"})
      expect_both_winners_right({{"rows", "100000"},
                                 {"slots", "262144"},
                                 {"multiplicity", multiplicity},
                                 {"order", order},
                                 {"region", by_turns(regions, turn++)}});
}

// Few slots: a key that finds no room visits all of them.
TEST_F(HashTableOnGpu, FullTables) {
  for (const char* slots : {"16", "32", "1024"}) {
    const long capacity = std::stol(slots);
    for (const long keys : {capacity, capacity + 1, 2 * capacity})
      for (const long multiplicity : {1, 3})
        for (const char* order : {"scan", "shuffled"})
          expect_both_winners_right({{"slots", slots},
                                     {"rows", std::to_string(keys * multiplicity)},
                                     {"multiplicity", std::to_string(multiplicity)},
                                     {"order", order}});
    for (const char* hit_percent : {"0", "50", "100"})
      expect_right(search(),
                   {{"slots", slots}, {"load", "100"}, {"queries", "3000"}, {"hit_percent", hit_percent}});
  }
  expect_both_winners_right({{"slots", "4096"}, {"rows", "4097"}});
}

// Coordinate 0, 0, 0 of batch 0 has the only key with a single bit; in tables whose buckets are full.
TEST_F(HashTableOnGpu, TheOriginInNearlyFullTables) {
  constexpr std::pair<const char*, const char*> rows_and_slots[] = {
      {"16", "16"}, {"27", "32"}, {"50", "64"}, {"60", "64"}, {"64", "64"}, {"900", "1024"}};
  for (const auto& [rows, slots] : rows_and_slots)
    for (const char* order : {"scan", "shuffled", "morton"})
      for (const char* multiplicity : {"1", "5"}) {
        const std::string all = std::to_string(std::stol(rows) * std::stol(multiplicity));
        expect_both_winners_right({{"keys", "solid"},
                                   {"rows", all},
                                   {"slots", slots},
                                   {"order", order},
                                   {"multiplicity", multiplicity}});
      }
  for (const auto& [rows, slots] : rows_and_slots)
    for (const char* hit_percent : {"0", "50", "100"})
      for (const char* miss : {"far", "near"})
        expect_right(search(), {{"keys", "solid"},
                                {"rows", rows},
                                {"slots", slots},
                                {"queries", "3000"},
                                {"miss", miss},
                                {"hit_percent", hit_percent}});
}

// The corners of the range in batches 0, 1, 510 and 511: equal places of different batches never mix, and
// beyond the range is a miss or, wrapped, the voxel at the opposite face.
TEST_F(HashTableOnGpu, FacesOfTheRangeAndOuterBatches) {
  for (const char* rows : {"256", "5000"}) {
    const axis_values at = {{"keys", "faces"}, {"rows", rows}, {"slots", "16384"}};
    expect_both_winners_right(at);
    for (const char* range : {"guard", "wrap"})
      for (const char* miss : {"far", "near", "beyond"})
        for (const char* hit_percent : {"0", "50"})
          expect_right(
              search(),
              with(at,
                   {{"range", range}, {"miss", miss}, {"hit_percent", hit_percent}, {"queries", "20000"}}));
  }
}

TEST_F(HashTableOnGpu, TheSmallestWinnerIsTheSameInEveryRun) {
  variant_run run(insertion(),
                  {{"rows", "100000"},
                   {"slots", "131072"},
                   {"multiplicity", "8"},
                   {"order", "shuffled"},
                   {"winner", "smallest"}},
                  inputs_);
  std::vector<std::int32_t> first_found;
  std::vector<std::uint64_t> first_summary;
  for (const variant_facts& v : insertion().variants) {
    if (!run.applies(v)) continue;
    for (int repetition = 0; repetition < 20; ++repetition) {
      ASSERT_TRUE(run.check(v).ok) << v.name;
      const auto found = run.contents<std::int32_t>("found");
      const auto sums = run.contents<std::uint64_t>("summary");
      if (first_found.empty()) {
        first_found = found;
        first_summary = sums;
      }
      ASSERT_EQ(found, first_found) << v.name << ", " << repetition;
      ASSERT_EQ(sums, first_summary) << v.name << ", " << repetition;
    }
  }
}

TEST_F(HashTableOnGpu, AnyWinnerIsRightInEveryRun) {
  variant_run run(
      insertion(),
      {{"rows", "100000"}, {"slots", "131072"}, {"multiplicity", "32"}, {"region", "clear_insert"}}, inputs_);
  for (const variant_facts& v : insertion().variants) {
    if (!run.applies(v)) continue;
    for (int repetition = 0; repetition < 20; ++repetition) {
      const check_result result = run.check(v);
      ASSERT_TRUE(result.ok) << v.name << ", " << repetition << ": " << result.message;
    }
  }
}

// Small enough for the race detector.
TEST_F(HashTableOnGpu, EveryKernelOnFewRows) {
  for (const char* multiplicity : {"1", "8"})
    for (const char* region : {"clear_insert", "insert"})
      expect_both_winners_right(
          {{"rows", "600"}, {"slots", "1024"}, {"multiplicity", multiplicity}, {"region", region}});
  expect_both_winners_right({{"rows", "40"}, {"slots", "32"}});
  expect_right(search(), {{"rows", "600"}, {"slots", "1024"}, {"queries", "700"}, {"hit_percent", "50"}});
}

/// Whether a variant probes one slot at a time, with a hash as good as random.
bool follows_the_formulas(const variant_facts& v) {
  const bool one_by_one = has(v, "probe", "linear") || has(v, "probe", "double_hash");
  const bool at_random = has(v, "hash", "splitmix") || has(v, "hash", "murmur") || has(v, "hash", "city");
  return one_by_one && at_random;
}

hash_table::expected_probes expected_of(const variant_facts& v, double load) {
  return has(v, "probe", "linear") ? hash_table::expected_linear(load)
                                   : hash_table::expected_double_hash(load);
}

// At least a million keys: within 3 %.
TEST_F(HashTableOnGpu, SearchesAsManySlotsAsTheFormulasSay) {
  int compared = 0;
  for (const char* load : {"50", "70", "80"})
    for (const char* hit_percent : {"0", "100"}) {
      variant_run run(search(),
                      {{"slots", "2097152"},
                       {"load", load},
                       {"hit_percent", hit_percent},
                       {"miss", "far"},
                       // Each row once: rows inserted earlier have shorter probe sequences.
                       {"queries", std::to_string(2097152 * std::stol(load) / 100)}},
                      inputs_);
      for (const variant_facts& v : search().variants) {
        if (!run.applies(v) || !follows_the_formulas(v)) continue;
        const auto counted = run.instrumented(v);
        if (counted.is_null()) continue;
        const bool hits = hit_percent[0] != '0';
        const hash_table::expected_probes expected = expected_of(v, std::stod(load) / 100);
        const double probes = counted.at(hits ? "probes_per_hit" : "probes_per_miss");
        EXPECT_NEAR(probes / (hits ? expected.hit : expected.miss), 1, 0.03)
            << v.name << ", load " << load << ", hits " << hit_percent;
        if (load == std::string("50")) {
          const int p99 = has(v, "probe", "linear") ? (hits ? 7 : 13) : (hits ? 5 : 7);
          // Rows inserted concurrently come in another order, whose longest probe sequences may grow by one.
          const int longer = v.switches.has("in_flight") ? 1 : 0;
          const int found = counted.at(hits ? "probes_p99_hit" : "probes_p99_miss");
          EXPECT_GE(found, p99) << v.name;
          EXPECT_LE(found, p99 + longer) << v.name;
          EXPECT_TRUE(counted.at(hits ? "probes_p99_miss" : "probes_p99_hit").is_null()) << v.name;
        }
        ++compared;
      }
    }
  EXPECT_GT(compared, 0) << "no variant has an instrumented form to compare";
}

/// Buckets per search.
hash_table::expected_probes expected_buckets_of(const variant_facts& v, const std::string& load) {
  const auto expected = hash_table::expected_double_hash_buckets(std::stod(load) / 100,
                                                                 std::stoi(v.switches.word("bucket_slots")));
  const bool marked = has(v, "probe", "marked_buckets_double_hash");
  return {expected.hit, marked ? expected.marked_miss : expected.miss};
}

TEST_F(HashTableOnGpu, SearchesAsManyBucketsAsTheFormulasSay) {
  int compared = 0;
  for (const char* load : {"50", "70", "80"})
    for (const char* hit_percent : {"0", "100"}) {
      variant_run run(search(),
                      {{"slots", "2097152"},
                       {"load", load},
                       {"hit_percent", hit_percent},
                       {"miss", "far"},
                       {"queries", std::to_string(2097152 * std::stol(load) / 100)}},
                      inputs_);
      for (const variant_facts& v : search().variants) {
        if (!run.applies(v) || !v.switches.has("bucket_slots")) continue;
        const auto counted = run.instrumented(v);
        const bool hits = hit_percent[0] != '0';
        const hash_table::expected_probes expected = expected_buckets_of(v, load);
        const double buckets = counted.at(hits ? "probes_per_hit" : "probes_per_miss");
        EXPECT_NEAR(buckets / (hits ? expected.hit : expected.miss), 1, 0.03)
            << v.name << ", load " << load << ", hits " << hit_percent;
        const int bucket_bytes =
            std::stoi(v.switches.word("bucket_slots")) * (has(v, "layout", "packed") ? 8 : 16);
        EXPECT_NEAR(counted.at("sectors_per_operation").get<double>(), buckets * bucket_bytes / 32, 1e-9)
            << v.name;
        ++compared;
      }
    }
  EXPECT_GE(compared, 6 * 4);
}

TEST_F(HashTableOnGpu, InsertsWithAsManyBucketsAsTheFormulasSay) {
  for (const char* load : {"50", "80"}) {
    variant_run run(insertion(), {{"slots", "2097152"}, {"load", load}}, inputs_);
    for (const variant_facts& v : insertion().variants) {
      if (!run.applies(v) || !v.switches.has("bucket_slots")) continue;
      const auto counted = run.instrumented(v);
      const double buckets = counted.at("probes_per_miss");
      EXPECT_NEAR(buckets / expected_buckets_of(v, load).hit, 1, 0.03) << v.name << ", load " << load;
      EXPECT_EQ(counted.at("hits"), 0) << v.name;
      EXPECT_GE(counted.at("atomics_per_operation").get<double>(), 1) << v.name;
      EXPECT_LE(counted.at("atomics_per_operation").get<double>(), 2)
          << v.name << ": one, unless another row was faster";
    }
  }
}

// At load 50 % a search nearly always ends within a window of 32 slots.
TEST_F(HashTableOnGpu, AWindowThatBeginsWithASectorTouchesFewerOfThem) {
  for (const char* hit_percent : {"0", "100"}) {
    variant_run run(search(), {{"slots", "2097152"}, {"hit_percent", hit_percent}, {"queries", "1000000"}},
                    inputs_);
    int compared = 0;
    for (const variant_facts& v : search().variants) {
      if (!has(v, "probe", "warp32")) continue;
      const double sectors = run.instrumented(v).at("sectors_per_operation");
      EXPECT_NEAR(sectors, v.switches.has("window") ? 8 : 8.75, 0.05) << v.name;
      ++compared;
    }
    EXPECT_EQ(compared, 3);
  }
}

// Building a table takes as many probes per key as finding all of its keys.
TEST_F(HashTableOnGpu, InsertsWithAsManyProbesAsTheFormulasSay) {
  for (const char* load : {"50", "80"}) {
    variant_run run(insertion(), {{"slots", "2097152"}, {"load", load}}, inputs_);
    const double keys = std::floor(2097152 * std::stod(load) / 100);
    for (const variant_facts& v : insertion().variants) {
      if (!run.applies(v) || !follows_the_formulas(v)) continue;
      const auto counted = run.instrumented(v);
      if (counted.is_null()) continue;
      const hash_table::expected_probes expected = expected_of(v, std::stod(load) / 100);
      EXPECT_NEAR(counted.at("probes_per_miss").get<double>() / expected.hit, 1, 0.03) << v.name;
      EXPECT_EQ(counted.at("operations"), keys) << v.name;
      EXPECT_EQ(counted.at("hits"), 0) << v.name;
      if (has(v, "insert", "cas_first")) {
        EXPECT_EQ(counted.at("atomics"), std::round(keys * counted.at("probes_per_miss").get<double>()))
            << v.name << ": one for each slot on the way";
      }
      if (has(v, "insert", "shared_memory")) {
        EXPECT_LT(counted.at("atomics"), keys / 500) << v.name << ": only past the ends of regions";
        EXPECT_GT(counted.at("atomics"), 0) << v.name << ": some keys do go past the ends of regions";
      }
    }
  }
}

}  // namespace
}  // namespace ablate::hash_table_gpu_test
