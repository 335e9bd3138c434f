// Every variant of unique_rows against the oracle: sizes, copies, orders, full tables, both winners, both
// regions, many repetitions.
#include <cstring>

#include "kernels/hash_table/hash_table.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/variant_run.cuh"

namespace ablate::unique_rows_gpu_test {
namespace {

using test_support::text_of, test_support::values_of, test_support::variant_run;

const operation& unique() { return *find_operation("unique_rows"); }

// Among the operation's buffers.
constexpr std::size_t list = 1, events = 6;

class UniqueRowsOnGpu : public test_support::variants_test {
 protected:
  void expect_right(const axis_values& at) {
    ASSERT_EQ(unique().refuses(values_of(unique(), at)), std::nullopt) << text_of(at);
    expect_plain_and_instrumented_right(unique(), at, inputs_);
  }

  /// With both winners, in both regions.
  void expect_all_right(const axis_values& given) {
    for (const char* winner : {"any", "smallest"})
      for (const char* region : {"all", "unique"}) {
        axis_values at = given;
        at.set("winner", winner);
        at.set("region", region);
        expect_right(at);
      }
  }

  const input_library inputs_{3, {}, {}};
};

// Small enough for the race detector.
TEST_F(UniqueRowsOnGpu, EveryKernelOnFewRows) {
  for (const char* multiplicity : {"1", "8"})
    expect_all_right({{"rows", "600"}, {"slots", "1024"}, {"multiplicity", multiplicity}});
  expect_all_right({{"rows", "96"}, {"slots", "32"}, {"multiplicity", "3"}, {"order", "shuffled"}});
}

TEST_F(UniqueRowsOnGpu, EverySizeAndNumberOfCopies) {
  for (const char* rows : {"1", "31", "32", "33", "255", "256", "257", "1000", "100000"})
    for (const std::string multiplicity : {"1", "2", "3", "32", "33", rows})
      for (const char* order : {"scan", "shuffled", "morton"})
        expect_all_right(
            {{"rows", rows}, {"slots", "262144"}, {"multiplicity", multiplicity}, {"order", order}});
}

TEST_F(UniqueRowsOnGpu, NoRows) {
  for (const char* slots : {"16", "4096"}) expect_all_right({{"load", "0"}, {"slots", slots}});
}

TEST_F(UniqueRowsOnGpu, FullTables) {
  for (const char* slots : {"16", "32", "4096"})
    for (const long multiplicity : {1, 2, 32})
      for (const char* order : {"scan", "shuffled"})
        expect_all_right({{"slots", slots},
                          {"load", std::to_string(100 * multiplicity)},
                          {"multiplicity", std::to_string(multiplicity)},
                          {"order", order}});
}

TEST_F(UniqueRowsOnGpu, EveryKey) {
  for (const char* keys : {"random", "uniform_1", "room", "lidar_10cm", "solid", "lattice_256", "faces"})
    expect_all_right({{"keys", keys}, {"rows", "20000"}, {"slots", "16384"}, {"multiplicity", "4"}});
  expect_all_right({{"keys", "adversarial"}, {"rows", "3000"}, {"slots", "4096"}, {"multiplicity", "3"}});
}

// More than one tile of every CUB algorithm.
TEST_F(UniqueRowsOnGpu, AFullSize) {
  for (const char* multiplicity : {"1", "8", "33"})
    expect_all_right({{"slots", "4194304"}, {"multiplicity", multiplicity}, {"order", "shuffled"}});
}

TEST_F(UniqueRowsOnGpu, AreTheSameInEveryRunWhereTheSmallestAreAskedFor) {
  constexpr std::size_t rows = 100000;
  const axis_values at = {
      {"rows", "100000"}, {"slots", "131072"}, {"order", "shuffled"}, {"winner", "smallest"}};
  variant_run run(unique(), at, inputs_);
  std::vector<std::int32_t> first;
  for (const variant_facts& v : unique().variants) {
    if (!run.applies(v)) continue;
    for (int repetition = 0; repetition < 20; ++repetition) {
      const check_result result = run.check(v);
      ASSERT_TRUE(result.ok) << v.name << ", " << repetition << ": " << result.message;
      std::vector<std::int32_t> found(rows / 8);
      std::memcpy(found.data(), run.download()[list], found.size() * sizeof(std::int32_t));
      if (first.empty()) first = found;
      ASSERT_EQ(found, first) << v.name << ", " << repetition;
    }
  }
}

TEST_F(UniqueRowsOnGpu, AreRightInEveryRunWhereAnyWillDo) {
  variant_run run(unique(), {{"rows", "100000"}, {"slots", "131072"}, {"multiplicity", "32"}}, inputs_);
  for (const variant_facts& v : unique().variants) {
    if (!run.applies(v)) continue;
    for (int repetition = 0; repetition < 20; ++repetition) {
      const check_result result = run.check(v);
      ASSERT_TRUE(result.ok) << v.name << ", " << repetition << ": " << result.message;
    }
  }
}

// Hot timing relies on this: the table built ahead is only read.
TEST_F(UniqueRowsOnGpu, AreListedAgainOfTheSameTable) {
  const axis_values at = values_of(
      unique(), {{"rows", "20000"}, {"slots", "16384"}, {"multiplicity", "4"}, {"region", "unique"}});
  variant_run run(unique(), at, inputs_);
  const cudaDeviceProp p = properties();
  launcher to(nullptr, {p.multiProcessorCount, p.sharedMemPerBlockOptin});
  std::vector<void*> addresses;
  for (std::size_t i = 0; i < events; ++i) addresses.push_back(run.address(i));
  addresses.push_back(nullptr);
  for (const variant_facts& v : unique().variants) {
    if (!run.applies(v)) continue;
    ASSERT_TRUE(run.check(v).ok) << v.name;
    const auto again = unique().bind(v, at, inputs_, addresses);
    for (int i = 0; i < 3; ++i) again(to);
    ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
    const check_result result = run.work().check(run.download());
    EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
  }
}

// Each row is inserted once, searched for once, or both.
TEST_F(UniqueRowsOnGpu, CountsInsertionsAndSearches) {
  for (const char* region : {"all", "unique"}) {
    variant_run run(unique(), {{"rows", "40000"}, {"slots", "16384"}, {"region", region}}, inputs_);
    for (const variant_facts& v : unique().variants) {
      if (!run.applies(v)) continue;
      const bool inserts = region[0] == 'a' && v.switches.word("insert") != "none";
      const bool searches = v.switches.word("mark") == "search";
      const auto counted = run.instrumented(v);
      ASSERT_EQ(counted.is_null(), !inserts && !searches) << v.name << ", " << region;
      if (counted.is_null()) continue;
      EXPECT_EQ(counted.at("operations"), 40000 * (inserts + searches)) << v.name << ", " << region;
      EXPECT_EQ(counted.at("hits"), 35000 * inserts + 40000 * searches) << v.name << ", " << region;
    }
  }
}

}  // namespace
}  // namespace ablate::unique_rows_gpu_test
