// Every variant of psh_bucket against the properties of a correct answer: each hash, mode, region and
// layout, corner sizes, batches, many seeds; and the counts of the instrumented kernels against the expected
// ones.
#include <numeric>

#include "oracles/psh_bucket/properties.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/point_files.h"
#include "tests/support/variant_run.cuh"

namespace ablate::psh_bucket_gpu_test {
namespace {

using test_support::values_of, test_support::variant_run, test_support::with;

const operation& psh() { return *find_operation("psh_bucket"); }

const char* const hashes[] = {"z_div", "z_mod", "xor_div", "xor_mod", "z_top_div", "z_top_mod"};
const char* const modes[] = {"strict", "published", "described"};
const char* const regions[] = {"pipeline",  "kernels",          "insert", "search",
                               "rebalance", "insert_rebalance", "drain",  "scatter"};

class PshBucketOnGpu : public test_support::variants_test {
 protected:
  void expect_every_variant_right(const axis_values& at, const input_library& inputs) {
    if (psh().refuses(values_of(psh(), at))) return;
    expect_plain_and_instrumented_right(psh(), at, inputs);
  }

  void expect_every_mode_right(const axis_values& at, const input_library& inputs) {
    for (const char* mode : modes) expect_every_variant_right(with(at, {{"mode", mode}}), inputs);
  }

  test_support::point_files files_;
};

TEST_F(PshBucketOnGpu, EveryHashModeAndRegion) {
  const input_library inputs(5, {}, {});
  for (const char* hash : hashes)
    for (const char* region : regions)
      expect_every_mode_right({{"points", "5000"}, {"capacity", "32"}, {"hash", hash}, {"region", region}},
                              inputs);
}

// Small enough for the race detector.
TEST_F(PshBucketOnGpu, EveryKernelOnFewPoints) {
  const input_library inputs(4, {}, {});
  expect_every_mode_right({{"points", "1500"}, {"capacity", "32"}, {"probes", "8"}, {"hash", "z_mod"}},
                          inputs);
}

TEST_F(PshBucketOnGpu, EveryDistribution) {
  const input_library inputs(6, {}, {});
  for (const char* cloud : {"uniform", "surface", "clustered"})
    for (const char* hash : {"z_div", "z_mod", "xor_mod"})
      expect_every_mode_right({{"points", "30000"}, {"distribution", cloud}, {"hash", hash}}, inputs);
}

TEST_F(PshBucketOnGpu, SegmentsAndProbes) {
  const input_library inputs(7, {}, {});
  for (const char* segments : {"1", "2", "4", "8", "128"})
    for (const char* probes : {"0", "8", "128"})
      for (const char* region : {"pipeline", "rebalance"})
        expect_every_mode_right({{"points", "3087"},
                                 {"capacity", "16"},
                                 {"segments", segments},
                                 {"probes", probes},
                                 {"region", region}},
                                inputs);
}

TEST_F(PshBucketOnGpu, CornerSizes) {
  const input_library inputs(8, {}, {});
  for (const char* points : {"1", "31", "1023", "1024", "1025", "4096", "16384"})
    for (const char* layout : {"compact", "strided"})
      expect_every_mode_right({{"points", points}, {"capacity", "16"}, {"layout", layout}}, inputs);
  // A capacity that is no power of two, in a batch of three.
  for (const char* capacity : {"48", "208"})
    expect_every_mode_right({{"points", "5003"}, {"capacity", capacity}, {"batch", "3"}, {"sizes", "ragged"}},
                            inputs);
  // As many points as places.
  expect_every_mode_right({{"points", "16384"}, {"capacity", "512"}, {"buckets", "32"}}, inputs);
}

TEST_F(PshBucketOnGpu, AllPointsTheSame) {
  const input_library inputs = files_.library_of("same", std::vector<float>(3 * 3000, 7.5f));
  for (const char* region : {"pipeline", "insert", "rebalance"})
    expect_every_mode_right(
        {{"distribution", "same"}, {"points", "0"}, {"capacity", "128"}, {"region", region}}, inputs);
}

// Long tests are split by batch, seed or hash, so that test shards are balanced.
class PshBatchOnGpu : public PshBucketOnGpu,
                      public testing::WithParamInterface<std::tuple<const char*, const char*, const char*>> {
};
class PshSeedsOnGpu : public PshBucketOnGpu, public testing::WithParamInterface<std::uint64_t> {};
class PshHashOnGpu : public PshBucketOnGpu, public testing::WithParamInterface<const char*> {};

TEST_P(PshBatchOnGpu, OfEqualAndRaggedInstances) {
  const auto& [sizes, batch, region] = GetParam();
  const input_library inputs(9, {}, {});
  for (const char* layout : {"compact", "strided"})
    expect_every_mode_right({{"points", "3000"},
                             {"capacity", "64"},
                             {"batch", batch},
                             {"sizes", sizes},
                             {"layout", layout},
                             {"region", region}},
                            inputs);
}

INSTANTIATE_TEST_SUITE_P(Batches, PshBatchOnGpu,
                         testing::Combine(testing::Values("equal", "ragged"),
                                          testing::Values("2", "3", "7", "200"),
                                          testing::Values("pipeline", "insert", "drain")));

TEST_F(PshBucketOnGpu, FeaturesQuantizationAndManyBuckets) {
  const input_library inputs(10, {}, {});
  expect_every_mode_right({{"points", "10000"}, {"channels", "8"}}, inputs);
  expect_every_mode_right({{"points", "10000"}, {"channels", "96"}, {"region", "scatter"}}, inputs);
  expect_every_variant_right({{"points", "10000"}, {"channels", "64"}, {"layout", "strided"}}, inputs);
  expect_every_mode_right({{"points", "10000"}, {"quantization", "isotropic"}}, inputs);
  expect_every_mode_right({{"points", "100000"}, {"capacity", "16"}, {"buckets", "8192"}}, inputs);
  expect_every_mode_right({{"points", "100000"}, {"capacity", "2048"}}, inputs);
}

TEST_P(PshSeedsOnGpu, RanksAreContiguousAndUnique) {
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 5; ++seed) {
    const input_library inputs(seed, {}, {});
    expect_every_mode_right({{"points", "16000"}, {"capacity", "64"}, {"hash", hashes[seed % 6]}}, inputs);
  }
}

INSTANTIATE_TEST_SUITE_P(FiveFrom, PshSeedsOnGpu, testing::Range(std::uint64_t{1}, std::uint64_t{41}, 5));

TEST_P(PshHashOnGpu, IsRightOfAFullSweep) {
  expect_every_mode_right({{"hash", GetParam()}}, input_library(1, {}, {}));
}

INSTANTIATE_TEST_SUITE_P(Hashes, PshHashOnGpu, testing::ValuesIn(hashes));

TEST_F(PshBucketOnGpu, FullSweepsInABatchAndMoved) {
  const input_library inputs(1, {}, {});
  expect_every_mode_right({{"batch", "5"}}, inputs);
  expect_every_variant_right({{"points", "620435"}, {"hash", "xor_div"}}, inputs);
}

// More points than a block has room for with their rows; an A100 has none for all their coordinates either.
TEST_F(PshBucketOnGpu, PartsOfWhichCoordinatesAloneFit) {
  const input_library inputs(14, {}, {});
  const axis_values at = {{"probes", "0"}, {"hash", "z_div"}, {"mode", "strict"}};
  for (const char* size : {"3000001", "4194304"})
    for (const char* layout : {"compact", "strided"}) {
      variant_run run(psh(), with(at, {{"points", size}, {"capacity", "1024"}, {"layout", layout}}), inputs);
      const check_result result = run.check(test_support::named_variant(psh(), "sort_and_chunk_coordinates"));
      EXPECT_TRUE(result.ok) << size << " points, " << layout << ": " << result.message;
    }
}

// P8: a point outside its home bucket found the home full, and it stays full.
TEST_F(PshBucketOnGpu, OnlyAFullHomeIsLeft) {
  const input_library inputs(11, {}, {});
  constexpr std::size_t points = 40000;
  const axis_values at = {{"points", "40000"}, {"capacity", "256"}, {"buckets", "256"}, {"hash", "z_mod"}};
  variant_run insertion(psh(), with(at, {{"region", "insert"}}), inputs);
  ASSERT_TRUE(insertion.check(test_support::named_variant(psh(), "global_atomic+launch=split")).ok);
  const auto homes = insertion.contents<std::uint16_t>("bucket_id");

  variant_run run(psh(), at, inputs);
  for (const variant_facts& v : psh().variants) {
    if (!run.applies(v) || v.switches.word("counter") == "sort_and_chunk") continue;
    ASSERT_TRUE(run.check(v).ok) << v.name;
    const auto ids = run.contents<std::uint16_t>("bucket_id");
    const auto counts = run.contents<std::uint32_t>("bucket_count");
    std::size_t without_need = 0;
    for (std::size_t i = 0; i < points; ++i) without_need += ids[i] != homes[i] && counts[homes[i]] < 256;
    EXPECT_EQ(without_need, 0u) << v.name;
  }
}

// P10 requires the key bits that the variant declares: those of its switch, or all; none if it hashes.
TEST_F(PshBucketOnGpu, ChunksAreCutByAsManyBitsAsTheVariantSays) {
  const input_library inputs(13, {}, {});
  for (const char* hash : hashes) {
    variant_run run(psh(), {{"points", "40000"}, {"capacity", "256"}, {"buckets", "256"}, {"hash", hash}},
                    inputs);
    for (const variant_facts& v : psh().variants) {
      if (!run.applies(v)) continue;
      ASSERT_TRUE(run.check(v).ok) << v.name;
      const bool sorts = v.switches.word("counter") == "sort_and_chunk";
      const long bits = v.switches.has("key_bits") ? v.switches.integer("key_bits") : sorts ? 16 : 0;
      EXPECT_EQ(run.contents<std::int32_t>("key_bits"), std::vector{static_cast<std::int32_t>(bits)})
          << v.name << ", " << hash;
    }
  }
}

// The counts must add up: V exactly, successful claims plus leftovers = V, and the atomics of the cost model.
TEST_F(PshBucketOnGpu, CountsWhatTheCostModelSays) {
  const input_library inputs(12, {}, {});
  constexpr int points = 124087, buckets = 256, capacity = 512, blocks = 122;
  for (const char* hash : hashes) {
    const axis_values at = {{"hash", hash}, {"mode", "published"}};
    variant_run insertion(psh(), with(at, {{"region", "insert"}}), inputs);
    const auto direct =
        insertion.instrumented(test_support::named_variant(psh(), "global_atomic+launch=split"));
    EXPECT_EQ(direct.at("points"), points);
    EXPECT_EQ(direct.at("global_atomics"), points);
    const auto counts = insertion.contents<std::uint32_t>("bucket_count");
    std::int64_t overflow = 0;
    for (int b = 1; b < buckets; ++b)
      overflow += std::max<std::int64_t>(0, std::int64_t{counts[b]} - capacity);
    const auto staged = insertion.instrumented(test_support::named_variant(psh(), "two_stage+launch=split"));
    EXPECT_EQ(staged.at("global_atomics"), blocks * buckets);
    EXPECT_EQ(staged.at("shared_atomics"), points);
    EXPECT_EQ(insertion.instrumented(test_support::named_variant(psh(), "cumsum")).at("global_atomics"), 0);

    for (const char* segments : {"1", "8"}) {
      variant_run rebalancing(psh(), with(at, {{"region", "rebalance"}, {"segments", segments}}), inputs);
      for (const char* variant :
           {"global_atomic+launch=split", "two_stage+launch=split", "warp_aggregated+launch=split"}) {
        const auto counted = rebalancing.instrumented(test_support::named_variant(psh(), variant));
        EXPECT_EQ(counted.at("points"), points);
        EXPECT_EQ(counted.at("overflows"), overflow) << hash << ", " << variant;
        EXPECT_EQ(counted.at("attempts").get<std::int64_t>() - counted.at("failures").get<std::int64_t>() +
                      counted.at("leftovers").get<std::int64_t>(),
                  overflow)
            << hash << ", " << variant;
      }
    }
  }
}

}  // namespace
}  // namespace ablate::psh_bucket_gpu_test
