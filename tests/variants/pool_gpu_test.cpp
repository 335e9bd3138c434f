// pool on the GPU: every variant against the oracle and its properties, in every region, at sizes that end
// within a block, a tile or a cluster, and again and again where results depend on the order of arrival.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/axis_values.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"

namespace ablate::test_support::pool_gpu_test {
namespace {

constexpr const char* regions[] = {"all",    "index",           "reduce",         "finish",
                                   "unpool", "reduce_backward", "unpool_backward"};
constexpr const char* clusterings[] = {"in_bucket", "three_steps", "grid"};

class PoolOnGpu : public every_variant_test {
 protected:
  PoolOnGpu() : every_variant_test("pool") {}

  void expect_all_right(const axis_values& given) const {
    SCOPED_TRACE(text_of(given));
    ASSERT_EQ(refusal_of(tested(), given), "");
    expect_right(given);
  }
};

// Small enough for a debugger.
TEST_F(PoolOnGpu, EveryKernelOnFewPoints) {
  for (const char* clusters : clusterings)
    for (const char* curves : {"1", "4"})
      expect_all_right({{"clusters", clusters}, {"points", "700"}, {"channels", "8"}, {"curves", curves}});
}

TEST_F(PoolOnGpu, EveryRegionAndReduction) {
  for (const char* clusters : clusterings)
    for (const char* region : regions)
      for (const char* reduce : {"mean", "sum", "min", "max"})
        for (const char* channels : {"8", "24", "64", "512"})
          expect_all_right({{"clusters", clusters},
                            {"region", region},
                            {"reduce", reduce},
                            {"channels", channels},
                            {"points", "5003"},
                            {"curves", "1"},
                            {"points_as", "raw"}});
}

TEST_F(PoolOnGpu, EverySizeRatioAndBatch) {
  for (const char* clusters : clusterings)
    for (const char* points : {"1", "2", "7", "1023", "1024", "1025", "3073", "40000"})
      for (const char* ratio : {"2", "3", "4", "8"})
        for (const char* sizes : {"equal", "ragged"})
          for (const char* batch : {"1", "4"})
            expect_all_right({{"clusters", clusters},
                              {"points", points},
                              {"ratio", ratio},
                              {"sizes", sizes},
                              {"batch", batch},
                              {"equal", std::string(clusters) == "grid" ? "ratio" : "cells"},
                              {"channels", "16"},
                              {"points_as", "raw"}});
}

TEST_F(PoolOnGpu, EveryDistributionOrderAndTurn) {
  for (const char* distribution : {"uniform", "surface", "lidar", "clustered"}) {
    for (const char* order_by : {"cut", "psh", "hilbert"})
      for (const char* rotate : {"off", "on"})
        for (const char* clusters : {"in_bucket", "three_steps"})
          expect_all_right({{"clusters", clusters},
                            {"distribution", distribution},
                            {"order_by", order_by},
                            {"rotate", rotate},
                            {"points", "20000"},
                            {"region", "index"}});
    for (const char* ratio : {"2", "4", "8"})
      for (const char* points_as : {"raw", "voxels"})
        expect_all_right({{"clusters", "grid"},
                          {"distribution", distribution},
                          {"ratio", ratio},
                          {"points_as", points_as},
                          {"points", "20000"},
                          {"region", "index"}});
  }
}

TEST_F(PoolOnGpu, WinnersAndPadding) {
  for (const char* reduce : {"min", "max"})
    for (const char* region : {"reduce", "all"})
      for (const char* clusters : {"in_bucket", "three_steps"})
        expect_all_right({{"clusters", clusters},
                          {"reduce", reduce},
                          {"region", region},
                          {"pass", "training"},
                          {"pad", "4096"},
                          {"points", "5003"},
                          {"points_as", "raw"}});
  // Cells of hundreds of points: winners in late slots are searched again.
  for (const char* region : {"reduce", "reduce_backward"})
    expect_all_right({{"clusters", "grid"},
                      {"distribution", "surface"},
                      {"reduce", "max"},
                      {"region", region},
                      {"pass", std::string(region) == "reduce" ? "training" : "inference"},
                      {"ratio", "8"},
                      {"points", "1500000"},
                      {"points_as", "raw"},
                      {"channels", "8"},
                      {"curves", "1"}});
}

TEST_F(PoolOnGpu, TheHostMayWait) {
  for (const char* host : {"published", "graph"})
    for (const char* clusters : clusterings)
      for (const char* region : {"index", "all"})
        expect_all_right({{"clusters", clusters}, {"host", host}, {"region", region}, {"points", "5003"}});
}

TEST_F(PoolOnGpu, TheBucketOrderIsPshBuckets) {
  for (const char* order_by : {"cut", "psh"})
    for (const char* clusters : {"in_bucket", "three_steps"})
      expect_all_right({{"clusters", clusters},
                        {"region", "order"},
                        {"order_by", order_by},
                        {"points", "20000"},
                        {"points_as", "raw"}});
}

TEST_F(PoolOnGpu, FullSizesAgainAndAgain) {
  for (const char* clusters : clusterings) {
    variant_run run(tested(),
                    {{"clusters", clusters}, {"points", "124087"}, {"points_as", "raw"}, {"region", "index"}},
                    inputs_);
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v)) continue;
      std::vector<std::uint32_t> first;
      const bool repeats = v.switches.word("index") != "three_steps" &&
                           v.switches.word("index") != "hash_table" &&
                           v.switches.word("index") != "counting_sort";
      for (int repetition = 0; repetition < 20; ++repetition) {
        const check_result result = run.check(v, false, 3);
        ASSERT_TRUE(result.ok) << v.name << ", " << repetition << ": " << result.message;
        const auto member = run.contents<std::uint32_t>("member");
        if (first.empty()) first = member;
        if (repeats) {
          ASSERT_EQ(member, first) << v.name << ", " << repetition;
        }
      }
    }
  }
}

/// A constant comes back.
TEST_F(PoolOnGpu, AConstantStaysWhatItIs) {
  for (const char* clusters : clusterings) {
    variant_run run(tested(),
                    {{"clusters", clusters}, {"points", "5003"}, {"region", "reduce"}, {"points_as", "raw"}},
                    inputs_);
    auto features = run.contents<std::uint16_t>("features");
    for (std::uint16_t& each : features) each = 0x3fab;
    run.put("features", features);
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v)) continue;
      run.check(v);
      const auto pooled = run.contents<std::uint16_t>("pooled");
      const auto rows = static_cast<std::size_t>(run.contents<std::int32_t>("count").back());
      for (std::size_t i = 0; i < rows * 64; ++i) ASSERT_EQ(pooled[i], 0x3fab) << v.name << " " << i;
    }
  }
}

TEST_F(PoolOnGpu, ReductionsOfEitherKindAgree) {
  variant_run run(tested(),
                  {{"clusters", "grid"}, {"points", "20000"}, {"region", "reduce"}, {"points_as", "raw"}},
                  inputs_);
  ASSERT_TRUE(run.check(test_support::named_variant(tested(), "flags_of_orders")).ok);
  const auto vectors = run.contents<std::uint16_t>("pooled");
  ASSERT_TRUE(run.check(test_support::named_variant(tested(), "flags_of_orders+reduction=warp_row")).ok);
  EXPECT_EQ(run.contents<std::uint16_t>("pooled"), vectors);
}

}  // namespace
}  // namespace ablate::test_support::pool_gpu_test
