// The operations hash_insert and hash_search on the host: axes, regions, inputs, check and figures, whatever
// the variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <unordered_map>

#include "base/text/bad_input.h"
#include "harness/inputs/voxels/key.h"
#include "harness/registry/registry.h"
#include "harness/suite/suite.h"
#include "kernels/hash_table/hash_table.h"
#include "tests/support/axis_values.h"
#include "tests/support/filled_inputs.h"
#include "tests/support/point_files.h"
#include "tests/support/solved_workload.h"
#include "tests/support/temporary_directory.h"

namespace ablate::hash_table_test {
namespace {

using test_support::expect_inputs_filled;
using test_support::refusal_of;
using test_support::solved_workload;
using test_support::values_of;
using test_support::with;
using ::testing::HasSubstr;

const operation& insertion() { return *find_operation("hash_insert"); }
const operation& search() { return *find_operation("hash_search"); }

solved_workload inserted(const axis_values& given) { return {insertion(), with({{"slots", "4096"}}, given)}; }

solved_workload searched(const axis_values& given) {
  return {search(), with({{"slots", "4096"}, {"queries", "5000"}}, given)};
}

constexpr const char* regions[] = {"insert", "clear_insert", "clear"};

TEST(HashInsert, IsRightInEveryRegionOrderAndKey) {
  for (const char* region : regions)
    for (const char* order : {"scan", "shuffled", "morton"})
      for (const std::string& keys : insertion().axes[3].words)
        for (const char* multiplicity : {"1", "8"}) {
          if (keys == "lidar_5cm" || keys == "lidar_5cm_moved") continue;  // as lidar_10cm, but slower
          const solved_workload c = inserted({{"keys", keys},
                                              {"region", region},
                                              {"order", order},
                                              {"multiplicity", multiplicity},
                                              {"rows", "1000"}});
          const check_result result = c.check();
          EXPECT_TRUE(result.ok) << keys << ", " << region << ", " << order << ": " << result.message;
          EXPECT_EQ(c.fact("distinct"), multiplicity[0] == '1' ? 1000 : 125) << keys;
        }
}

TEST(HashInsert, TakesItsRowsFromTheLoadUnlessTheyAreGiven) {
  EXPECT_EQ(inserted({{"load", "50"}}).fact("rows"), 2048);
  EXPECT_EQ(inserted({{"load", "95"}}).fact("rows"), 3891);
  EXPECT_EQ(inserted({{"load", "200"}}).fact("rows"), 8192);
  EXPECT_EQ(inserted({{"load", "95"}, {"rows", "7"}}).fact("rows"), 7);
  const solved_workload none = inserted({{"load", "0"}});
  EXPECT_EQ(none.fact("rows"), 0);
  EXPECT_TRUE(none.check().ok) << none.check().message;
  EXPECT_EQ(none.work.input.at("expected_probes_hit_linear"), 1.0);
}

TEST(HashInsert, IsFullOfMoreKeysThanSlotsOnly) {
  for (const char* rows : {"4095", "4096", "4097", "8192"})
    for (const char* multiplicity : {"1", "2"}) {
      solved_workload c = inserted({{"rows", rows}, {"multiplicity", multiplicity}});
      EXPECT_TRUE(c.check().ok) << c.check().message;
      const bool full = c.fact("distinct") > 4096;
      EXPECT_EQ(c.output<std::int32_t>("status")[0], full ? hash_table::status_full : hash_table::status_ok);
      EXPECT_EQ(c.work.input.at("load").get<double>() == 1, c.fact("distinct") >= 4096);
      EXPECT_EQ(c.work.input.at("expected_probes_miss_linear").is_null(), c.fact("distinct") >= 4096);
    }
}

TEST(HashInsert, FindsOutAWrongOutput) {
  const auto message_after = [](axis_values given, const auto& change) {
    solved_workload c = inserted(given);
    EXPECT_TRUE(c.check().ok);
    change(c);
    const check_result result = c.check();
    return result.ok ? std::string() : result.message;
  };
  const axis_values any = {{"multiplicity", "2"}}, smallest = {{"multiplicity", "2"}, {"winner", "smallest"}};
  const auto other_copy = [](solved_workload& c) {
    c.output<std::int32_t>("found")[6] = c.output<std::int32_t>("found")[7] = 7;
  };
  EXPECT_EQ(message_after(any, other_copy), "");
  EXPECT_THAT(message_after(smallest, other_copy), HasSubstr("expected 6, the smallest row"));
  for (const axis_values& given : {any, smallest}) {
    EXPECT_THAT(message_after(given, [](solved_workload& c) { c.output<std::int32_t>("found")[6] = 8; }),
                HasSubstr("row 6"));
    EXPECT_THAT(message_after(given, [](solved_workload& c) { c.output<std::int32_t>("found")[1] = -1; }),
                HasSubstr("row 1"));
    EXPECT_THAT(message_after(given, [](solved_workload& c) { ++c.output<std::uint64_t>("summary")[0]; }),
                HasSubstr("occupied slots"));
    EXPECT_THAT(message_after(given, [](solved_workload& c) { ++c.output<std::uint64_t>("summary")[1]; }),
                HasSubstr("mixed keys"));
    EXPECT_THAT(message_after(given, [](solved_workload& c) { c.output<std::int32_t>("status")[0] = 1; }),
                HasSubstr("expected ok, found full"));
  }
  EXPECT_THAT(message_after({{"region", "clear"}},
                            [](solved_workload& c) { c.output<std::int32_t>("found")[0] = 0; }),
              HasSubstr("empty table"));
}

TEST(HashInsert, ClearsAheadOfAnInsertionAlone) {
  const input_library inputs(1, {}, {});
  for (const char* region : regions)
    EXPECT_EQ(insertion().has_ahead(values_of(insertion(), {{"region", region}}), inputs),
              std::string(region) == "insert");
  EXPECT_TRUE(search().has_ahead(values_of(search(), {}), inputs));
}

TEST(HashInsert, FacesAreAtEveryCornerInTheOuterBatches) {
  const solved_workload c = inserted({{"keys", "faces"}, {"rows", "3000"}});
  std::set<std::array<bool, 3>> corners;
  std::set<int> batches;
  const auto rows = c.input<voxel>(0);
  ASSERT_EQ(rows.size(), 3000u);
  for (const voxel& v : rows) {
    batches.insert(v.batch);
    corners.insert({v.x > 0, v.y > 0, v.z > 0});
    for (const int coordinate : {v.x, v.y, v.z}) EXPECT_GE(std::abs(coordinate), 131071 - 5);
    EXPECT_TRUE(fits_a_key(v));
  }
  EXPECT_EQ(corners.size(), 8u);
  EXPECT_EQ(batches, (std::set<int>{0, 1, 510, 511}));
  EXPECT_EQ(c.fact("distinct"), 3000);
}

TEST(HashInsert, CopiesAreNeighborsUnlessShuffled) {
  const auto neighbors = [](const char* order) {
    const auto rows = inserted({{"multiplicity", "8"}, {"order", order}}).input<voxel>(0);
    int equal = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) equal += rows[i] == rows[i - 1];
    return equal;
  };
  EXPECT_EQ(neighbors("scan"), 2048 / 8 * 7);
  EXPECT_EQ(neighbors("morton"), 2048 / 8 * 7);
  EXPECT_LT(neighbors("shuffled"), 50);
}

TEST(HashInsert, DeclaresCompulsoryWork) {
  const auto work = [](axis_values given) { return inserted(given).work.work; };
  const auto swaps = [&](axis_values given) {
    const std::vector<random_access> random = work(given).random;
    if (random.empty()) return 0.0;
    EXPECT_EQ(random.size(), 1u);
    EXPECT_EQ(random[0].resource, "random_cas");
    return random[0].count;
  };
  EXPECT_EQ(work({}).bytes, 2048.0 * (16 + 8));
  EXPECT_EQ(work({}).atomics, 0);  // they count as random
  EXPECT_EQ(swaps({}), 2048);
  EXPECT_EQ(work({}).random[0].footprint_bytes, 4096 * 8);
  EXPECT_EQ(work({{"multiplicity", "8"}}).bytes, 2048.0 * 16 + 256 * 8);
  EXPECT_EQ(swaps({{"multiplicity", "8"}}), 256);
  EXPECT_EQ(work({{"multiplicity", "8"}}).random[0].footprint_bytes, 256 * 32);
  EXPECT_EQ(work({{"region", "clear_insert"}}).bytes, 2048.0 * 16 + 4096 * 8);
  EXPECT_EQ(swaps({{"region", "clear_insert"}}), 2048);
  EXPECT_EQ(work({{"region", "clear"}}).bytes, 4096.0 * 8);
  EXPECT_EQ(swaps({{"region", "clear"}}), 0);
  EXPECT_EQ(swaps({{"load", "200"}}), 4096);
}

TEST(HashInsert, NamesWhatTheInstrumentedFormCounted) {
  const workload w = inserted({}).work;
  std::vector<std::uint64_t> counts(hash_table::event_words);
  EXPECT_TRUE(w.read_instruments(counts).is_null());
  counts[hash_table::operations] = 1000;
  counts[hash_table::hits] = 250;
  counts[hash_table::probes_of_hits] = 500;
  counts[hash_table::probes_of_misses] = 3000;
  counts[hash_table::sectors] = 1500;
  counts[hash_table::longest] = 17;
  counts[hash_table::atomics] = 3500;
  const auto figures = w.read_instruments(counts);
  EXPECT_EQ(figures.at("hit_share"), 0.25);
  EXPECT_EQ(figures.at("probes_per_hit"), 2.0);
  EXPECT_EQ(figures.at("probes_per_miss"), 4.0);
  EXPECT_EQ(figures.at("sectors_per_operation"), 1.5);
  EXPECT_EQ(figures.at("longest"), 17);
  EXPECT_EQ(figures.at("atomics_per_operation"), 3.5);
  counts[hash_table::hits] = 1000;
  EXPECT_TRUE(w.read_instruments(counts).at("probes_per_miss").is_null());
}

TEST(HashSearch, TellsTheProbesThat99OfAHundredDoNotExceed) {
  const workload w = searched({}).work;
  constexpr int bins = hash_table::probe_bins;
  const auto figures = [&](const std::vector<std::pair<int, std::uint64_t>>& histogram, const int first,
                           std::uint64_t longest) {
    std::vector<std::uint64_t> counts(hash_table::event_words);
    for (const auto& [bin, count] : histogram) {
      counts[static_cast<std::size_t>(first + bin)] = count;
      counts[hash_table::operations] += count;
    }
    counts[hash_table::longest] = longest;
    return w.read_instruments(counts);
  };
  const auto of_hits = [&](const std::vector<std::pair<int, std::uint64_t>>& histogram,
                           std::uint64_t longest) {
    return figures(histogram, hash_table::hit_histogram, longest).at("probes_p99_hit");
  };
  EXPECT_EQ(of_hits({{1, 98}, {2, 1}, {9, 1}}, 9), 2);
  EXPECT_EQ(of_hits({{1, 98}, {3, 2}}, 3), 3);
  EXPECT_EQ(of_hits({{1, 99}, {3, 1}}, 3), 1);
  EXPECT_EQ(of_hits({{0, 1}}, 0), 0);
  EXPECT_EQ(of_hits({{63, 1}}, 63), 63);
  // Bins of powers of two: 64 … 127, 128 … 255, 2^31.
  EXPECT_EQ(of_hits({{1, 50}, {64, 50}}, 1000), 127);
  EXPECT_EQ(of_hits({{1, 50}, {64, 50}}, 100), 100);
  EXPECT_EQ(of_hits({{65, 1}}, 1000), 255);
  EXPECT_EQ(of_hits({{bins - 1, 1}}, std::uint64_t{1} << 31), std::uint64_t{1} << 31);
  const auto misses = figures({{7, 100}}, hash_table::miss_histogram, 7);
  EXPECT_EQ(misses.at("probes_p99_miss"), 7);
  EXPECT_TRUE(misses.at("probes_p99_hit").is_null());
}

TEST(HashInsert, RefusesWhatMakesNoCase) {
  const auto reason = [](const axis_values& given) { return refusal_of(insertion(), given); };
  EXPECT_EQ(reason({}), "");
  EXPECT_EQ(reason({{"slots", "33554432"}, {"load", "95"}}), "");
  EXPECT_THAT(reason({{"slots", "5000"}}), HasSubstr("power of two"));
  EXPECT_THAT(reason({{"load", "100"}}), HasSubstr("fill all slots"));
  EXPECT_EQ(reason({{"load", "100"}, {"multiplicity", "2"}}), "");
  EXPECT_EQ(reason({{"slots", "65536"}, {"load", "200"}}), "");
  EXPECT_THAT(reason({{"slots", "33554432"}, {"load", "150"}, {"multiplicity", "8"}}), HasSubstr("at most"));
  EXPECT_THAT(reason({{"keys", "adversarial"}}), HasSubstr("at most 16384"));
  EXPECT_EQ(reason({{"keys", "adversarial"}, {"rows", "16384"}}), "");
}

TEST(HashSearch, IsRightForEveryKindOfQuery) {
  for (const char* keys : {"random", "faces", "solid", "uniform_1", "lattice_16", "adversarial"})
    for (const char* miss : {"far", "near", "beyond"})
      for (const char* range : {"guard", "wrap"})
        for (const char* hit_percent : {"0", "30", "100"})
          for (const char* order : {"scan", "shuffled", "morton"}) {
            const solved_workload c = searched({{"keys", keys},
                                                {"miss", miss},
                                                {"range", range},
                                                {"hit_percent", hit_percent},
                                                {"order", order}});
            const check_result result = c.check();
            EXPECT_TRUE(result.ok) << keys << ", " << miss << ", " << range << ": " << result.message;
            const bool aliases = std::string(miss) == "beyond" && std::string(range) == "wrap";
            const auto hits = static_cast<double>(c.fact("hits")) / 50;
            const double expected = aliases ? 100 : std::stoi(hit_percent);
            EXPECT_NEAR(hits, expected, expected == 30 ? 3 : 0) << miss;
          }
}

TEST(HashSearch, AsksForTheSameVoxelsWhetherItGuardsOrWraps) {
  for (const char* miss : {"far", "near", "beyond"}) {
    const auto wanted = [&](const char* range) {
      return searched({{"keys", "faces"}, {"miss", miss}, {"hit_percent", "20"}, {"range", range}})
          .input<voxel>(1);
    };
    EXPECT_EQ(wanted("guard"), wanted("wrap"));
  }
}

TEST(HashSearch, MissesWhereTheAxisSays) {
  const auto of = [](const char* keys, const char* miss) {
    return searched({{"keys", keys}, {"miss", miss}, {"hit_percent", "0"}});
  };
  for (const voxel& v : of("uniform_1", "far").input<voxel>(1)) ASSERT_EQ(v.batch, 511);
  for (const voxel& v : of("faces", "far").input<voxel>(1)) ASSERT_EQ(v.batch, 509);
  const solved_workload near = of("lattice_4", "near");
  const auto rows = near.input<voxel>(0), queries = near.input<voxel>(1);
  // After the last whole pass over the rows, queries are random.
  for (std::size_t i = 0; i < queries.size() / rows.size() * rows.size(); ++i) {
    const voxel &row = rows[i % rows.size()], &query = queries[i];
    EXPECT_EQ(query.batch, row.batch);
    for (const int step : {query.x - row.x, query.y - row.y, query.z - row.z}) ASSERT_LE(std::abs(step), 2);
  }
  for (const voxel& v : of("faces", "beyond").input<voxel>(1)) ASSERT_FALSE(fits_a_key(v));
}

TEST(HashSearch, AsksInTheOrderThatTheAxisSays) {
  const auto wanted = [](const char* order) {
    return searched({{"keys", "uniform_1"}, {"order", order}}).input<voxel>(1);
  };
  const auto rows = searched({{"keys", "uniform_1"}}).input<voxel>(0);
  const auto scan = wanted("scan"), shuffled = wanted("shuffled"), morton = wanted("morton");
  EXPECT_TRUE(std::equal(rows.begin(), rows.end(), scan.begin()));
  EXPECT_NE(scan, shuffled);
  EXPECT_TRUE(std::is_permutation(scan.begin(), scan.begin() + 100, scan.begin()));
  for (std::size_t i = 1; i < rows.size(); ++i) ASSERT_LT(morton_code(morton[i - 1]), morton_code(morton[i]));
}

TEST(HashSearch, TakesTablesWithoutRowsAndFullOnes) {
  const solved_workload none = searched({{"load", "0"}, {"hit_percent", "50"}});
  EXPECT_TRUE(none.check().ok) << none.check().message;
  EXPECT_EQ(none.fact("hits"), 0);
  const solved_workload full = searched({{"load", "100"}, {"hit_percent", "50"}});
  EXPECT_TRUE(full.check().ok) << full.check().message;
  EXPECT_EQ(full.fact("rows"), 4096);
}

TEST(HashSearch, FindsOutAWrongOutput) {
  solved_workload c = searched({{"hit_percent", "50"}});
  const std::int32_t right = c.output<std::int32_t>("found")[9];
  for (const std::int32_t wrong : {-2, right + 1, 5000}) {
    c.output<std::int32_t>("found")[9] = wrong;
    EXPECT_THAT(c.check().message, HasSubstr("query 9"));
  }
  c.output<std::int32_t>("found")[9] = right;
  EXPECT_TRUE(c.check().ok);
  c.output<std::int32_t>("status")[0] = hash_table::status_full;
  EXPECT_FALSE(c.check().ok);
}

TEST(HashSearch, LeavesItsQueriesToTheRows) {
  const input_library inputs(1, {}, {});
  const auto bytes = [&](const axis_values& given) {
    return search().buffers(values_of(search(), given), inputs)[1].bytes;
  };
  EXPECT_EQ(bytes({}), 16u << 22);
  EXPECT_EQ(bytes({{"slots", "33554432"}}), 16u << 24);
  EXPECT_EQ(bytes({{"queries", "1"}}), 16u);
}

TEST(HashSearch, DeclaresCompulsoryWork) {
  const auto bytes = [](axis_values given) { return searched(given).work.work.bytes; };
  EXPECT_EQ(bytes({}), 5000.0 * 20 + 2048 * 12);
  EXPECT_EQ(bytes({{"queries", "7"}}), 7.0 * 20 + 7 * 12);
  EXPECT_EQ(bytes({{"hit_percent", "0"}}), 5000.0 * 20);
  const auto sectors = [](axis_values given) { return searched(given).work.work.random.at(0); };
  EXPECT_EQ(sectors({}).resource, "random_read_sectors");
  EXPECT_EQ(sectors({}).count, 5000);
  EXPECT_EQ(sectors({}).footprint_bytes, 4096 * 8);
  EXPECT_EQ(sectors({{"queries", "7"}}).footprint_bytes, 7 * 32);
  EXPECT_EQ(sectors({{"hit_percent", "0"}}).count, 5000);
  EXPECT_EQ(sectors({{"hit_percent", "0"}, {"rows", "3"}}).footprint_bytes, 3 * 32);
  EXPECT_EQ(sectors({{"hit_percent", "0"}, {"miss", "beyond"}}).count, 0);  // no query is in range
  EXPECT_EQ(sectors({{"hit_percent", "0"}, {"miss", "beyond"}, {"range", "wrap"}}).count, 5000);
}

TEST(HashSearch, RefusesWhatMakesNoCase) {
  const auto reason = [](const axis_values& given) { return refusal_of(search(), given); };
  EXPECT_EQ(reason({}), "");
  EXPECT_THAT(reason({{"rows", "5000000"}}), HasSubstr("a slot for each row"));
  EXPECT_THAT(reason({{"load", "100"}}), HasSubstr("fill all slots"));
  EXPECT_EQ(reason({{"load", "100"}, {"slots", "4096"}}), "");
}

TEST(HashOperations, FillEveryInputToItsSizeAndFingerprintIt) {
  for (const solved_workload& c : {inserted({{"multiplicity", "3"}}), searched({{"hit_percent", "50"}})})
    expect_inputs_filled(c.work, c.buffers);
  const auto hash = [](const solved_workload& c) { return c.work.input.at("hash").get<std::string>(); };
  EXPECT_EQ(hash(inserted({})), hash(inserted({{"winner", "smallest"}, {"region", "clear"}})));
  EXPECT_NE(hash(inserted({})), hash(inserted({{"order", "shuffled"}})));
  EXPECT_NE(hash(searched({})), hash(searched({{"order", "shuffled"}})));
  EXPECT_NE(hash(searched({})), hash(searched({{"hit_percent", "99"}})));
  EXPECT_EQ(hash(searched({})).size(), 16u);
}

TEST(HashOperations, TakeThePointsOfAFile) {
  std::vector<float> xyz;
  for (int i = 0; i < 300; ++i) xyz.insert(xyz.end(), {0.2f * static_cast<float>(i), 1, -1});
  test_support::point_files files;
  const input_library inputs = files.library_of("street", xyz);
  const axis_values given = {{"keys", "street"}, {"slots", "1024"}, {"rows", "250"}};
  const solved_workload c(insertion(), given, inputs);
  EXPECT_TRUE(c.check().ok) << c.check().message;
  EXPECT_EQ(c.input<voxel>(0)[4].x, 8);
  axis_values coarse = given;
  coarse.set("cell_cm", "100");
  EXPECT_THROW(insertion().prepare(values_of(insertion(), coarse), inputs), bad_input);
}

TEST(HashOperations, StandInSuites) {
  const test_support::temporary_directory files;
  const auto path = files.write("hash.json", R"({
    "name": "hash",
    "description": "both operations on hash tables",
    "cases": [
      {
        "operation": "hash_insert",
        "variants": ["packed"],
        "cache": ["cold-clean", "hot"],
        "axes": {
          "load": [25, 50, 100],
          "region": ["insert", "clear_insert"],
          "winner": ["any", "smallest"]
        }
      },
      {
        "operation": "hash_search",
        "variants": ["packed"],
        "axes": {
          "slots": [65536, 4194304],
          "hit_percent": [0, 100],
          "miss": ["far", "near"],
          "range": ["guard", "wrap"]
        }
      }
    ]})");
  const suite s = read_suite(path);
  int cases = 0, applicable = 0;
  for (const suite_case& c : expand(s, {false, 90}, input_library(s.seed, s.point_files, {}))) {
    if (!c.operation->name.starts_with("hash_")) continue;  // a calibration
    ++cases;
    applicable += !c.not_applicable;
  }
  EXPECT_EQ(cases, 2 * 3 * 2 * 2 + 16);
  // Loads of 100 fill 2^22 slots, and the hot state has no place for what clears ahead.
  EXPECT_EQ(applicable, 2 * 2 * 2 + 2 * 2 + 16);
}

}  // namespace
}  // namespace ablate::hash_table_test
