// window_attention on the GPU: every variant against plain fp32 attention and the fp64 oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "oracles/window_attention/reference.h"
#include "tests/support/axis_values.h"
#include "tests/support/capability.h"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_rows.cuh"
#include "tests/variants/window_attention_on_gpu.cuh"
#include "variants/attention_inputs.h"

namespace ablate::test_support::window_attention_gpu_test {
namespace {

class WindowAttentionOnGpu : public window_attention_on_gpu {
 protected:
  WindowAttentionOnGpu() : window_attention_on_gpu("window_attention") {}

  bool runs(const char* variant) const {
    return tested().find_variant(variant)->minimum_compute_capability <= compute_capability();
  }

  /// The bits of the outputs, then of the log-sum-exp, of the variant on the run's inputs.
  std::vector<std::uint32_t> bits_of(variant_run& run, const char* variant) const {
    run.check(test_support::named_variant(tested(), variant));
    std::vector<std::uint32_t> bits = run.contents<std::uint32_t>("out");
    const std::vector<std::uint32_t> lse = run.contents<std::uint32_t>("lse");
    bits.insert(bits.end(), lse.begin(), lse.end());
    return bits;
  }
};

TEST_F(WindowAttentionOnGpu, EveryWidthOnFewTokens) { expect_right_on_few_tokens(); }

TEST_F(WindowAttentionOnGpu, MoreQueryTilesThanBlocksThatPersist) {
  expect_right_in_many_windows({"64", "128"});
}

TEST_F(WindowAttentionOnGpu, OneWindowOfOneHead) {
  for (const char* width : {"16", "32", "64", "128"}) {
    SCOPED_TRACE(width);
    expect_right({{"tokens", "128"}, {"window", "128"}, {"bucket", "128"}, {"heads", "1"}, {"width", width}});
  }
}

TEST_F(WindowAttentionOnGpu, EveryOrderOfBuckets) { expect_right_in_every_order_of_buckets(); }

TEST_F(WindowAttentionOnGpu, LargeScoresThoseThatFallAndNone) {
  for (const char* scores : {"zero", "large", "descending"})
    for (const char* width : {"16", "32", "64", "128"}) {
      SCOPED_TRACE(std::string(scores) + ", width " + width);
      expect_right({{"tokens", "2048"},
                    {"window", "1024"},
                    {"bucket", "512"},
                    {"heads", "2"},
                    {"width", width},
                    {"scores", scores}});
    }
}

TEST_F(WindowAttentionOnGpu, RowsWhereverTheyStandAndQkvPackedOrSplit) {
  for (const char* width : {"16", "32", "64", "128"})
    for (const char* rows : {"buckets", "contiguous", "random", "scan", "z"})
      for (const char* qkv : {"split", "packed"}) {
        SCOPED_TRACE(std::string(width) + ", " + rows + ", " + qkv);
        axis_values at = {{"tokens", "6144"}, {"window", "1536"}, {"bucket", "256"}, {"heads", "3"},
                          {"width", width},   {"batches", "2"},   {"rows", rows},    {"qkv", qkv}};
        expect_right(at);
        if (std::string(rows) != "random") continue;
        at.set("region", "order_and_attend");
        expect_right(at);
      }
}

TEST_F(WindowAttentionOnGpu, OneWindowOfAllTokens) {
  for (const char* width : {"16", "64", "128"})
    for (const char* order : {"scanned", "shuffled"}) {
      SCOPED_TRACE(std::string(width) + ", " + order);
      expect_right({{"tokens", "1536"},
                    {"window", "1536"},
                    {"bucket", "128"},
                    {"heads", "2"},
                    {"width", width},
                    {"order", order},
                    {"batches", "2"}});
    }
  expect_right(
      {{"tokens", "65536"}, {"window", "65536"}, {"bucket", "65536"}, {"heads", "1"}, {"width", "16"}});
}

TEST_F(WindowAttentionOnGpu, WhereWorkStandsOnTheGridAndHowRowsAreFoundLeavesTheBits) {
  for (const char* width : {"16", "32", "64", "128"}) {
    SCOPED_TRACE(width);
    const axis_values given = {{"tokens", "3072"}, {"window", "1024"}, {"bucket", "256"},     {"heads", "3"},
                               {"width", width},   {"batches", "2"},   {"rows", "contiguous"}};
    variant_run run(tested(), given, inputs_);
    const auto bits = [&](const char* variant) { return bits_of(run, variant); };
    EXPECT_EQ(bits("mma_contiguous"), bits("mma_online"));
    const auto by_windows = bits("mma_published_exp2");
    EXPECT_EQ(bits("mma_published_exp2+smem_request=needed"), by_windows);
    EXPECT_EQ(bits("mma_published_exp2+smem_request=needed+grid=query_blocks"), by_windows);
  }
}

TEST_F(WindowAttentionOnGpu, StepsOfTheHopperCoreThatOnlyMoveWorkLeaveTheBits) {
  if (!runs("hopper_online")) ABLATE_LACKS("hopper", "needs compute capability 9.0");
  const std::vector<std::vector<const char*>> the_same = {
      {"hopper_online", "hopper_contiguous", "hopper_step_one_group", "hopper_step_ring",
       "hopper_step_two_groups", "hopper_step_all_groups", "hopper_step_overlapped",
       "hopper_step_one_tile_a_block", "hopper_step_pingpong", "hopper_step_pingpong+persistent"},
      {"hopper_fixed_max", "hopper_fixed_max_contiguous", "hopper_inline_retry", "hopper_wave_fit"},
      {"hopper_exp2_bf16x2", "hopper_exp2_bf16x2_wave_fit",
       "hopper_exp2_bf16x2_wave_fit+tiles=wave_fit_overlapped"}};
  for (const char* width : {"16", "32", "64", "128"})
    for (const char* window : {"1024", "2048"}) {
      const axis_values given = {{"tokens", "4096"},    {"window", window}, {"bucket", "256"},
                                 {"heads", "3"},        {"width", width},   {"batches", "2"},
                                 {"rows", "contiguous"}};
      variant_run run(tested(), given, inputs_);
      for (const std::vector<const char*>& variants : the_same) {
        if (!run.applies(test_support::named_variant(tested(), variants.front()))) continue;
        const auto expected = bits_of(run, variants.front());
        for (const char* variant : variants)
          if (run.applies(test_support::named_variant(tested(), variant))) {
            EXPECT_TRUE(bits_of(run, variant) == expected)
                << variant << ", width " << width << ", window " << window;
          }
      }
    }
}

TEST_F(WindowAttentionOnGpu, QueryTilesThatOverflowTheMaximumOfTheFirstKeysAreDoneAgain) {
  constexpr std::size_t tokens = 1024, window = 512, heads = 2;
  for (const char* width : {"16", "32", "64", "128"}) {
    SCOPED_TRACE(width);
    const axis_values given = {{"tokens", "1024"}, {"window", "512"}, {"bucket", "128"},
                               {"heads", "2"},     {"width", width},  {"rows", "contiguous"}};
    variant_run run(tested(), given, inputs_);
    // The first keys of a window are zeros, the others fours: queries of eights, in every other tile of 128,
    // exceed the fp32 exponent range.
    const std::size_t row_elements = heads * static_cast<std::size_t>(std::stoi(width));
    auto q = run.contents<std::uint16_t>("q");
    auto k = q;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const std::size_t row = i / row_elements;
      if (row / 128 % 2 == 1) q[i] = window_attention::bf16_of(8);
      k[i] = window_attention::bf16_of(row % window < 128 ? 0.0f : 4.0f);
    }
    run.put("q", q);
    run.put("k", k);
    const auto expect_same_bits_of_overflowing_rows = [&](const char* online, const char* fixed_max) {
      const auto expected = bits_of(run, online), found = bits_of(run, fixed_max);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::size_t of_lse = i - std::min(i, q.size() / 2);
        const std::size_t row = i < q.size() / 2 ? 2 * i / row_elements : of_lse % tokens;
        if (row / 128 % 2 == 1) {
          ASSERT_EQ(found[i], expected[i]) << fixed_max << ", row " << row;
        }
      }
    };
    for (const char* fixed_max : {"mma_fixed_max", "mma_exp2_bf16x2+exp2=bf16x2_4of16", "mma_exp2_bf16x2"})
      if (run.applies(test_support::named_variant(tested(), fixed_max)))
        expect_same_bits_of_overflowing_rows("mma_online", fixed_max);
    if (!runs("hopper_online")) continue;
    for (const char* fixed_max :
         {"hopper_fixed_max", "hopper_fixed_max_contiguous", "hopper_exp2_bf16x2+exp2=bf16x2_4of16",
          "hopper_exp2_bf16x2", "hopper_exp2_bf16x2_wave_fit",
          "hopper_exp2_bf16x2_wave_fit+tiles=wave_fit_overlapped", "hopper_inline_retry", "hopper_wave_fit"})
      if (run.applies(test_support::named_variant(tested(), fixed_max)))
        expect_same_bits_of_overflowing_rows("hopper_online", fixed_max);
  }
}

constexpr const char* special_values[] = {"nan_key",   "inf_key",   "nan_query",  "inf_query",
                                          "nan_value", "inf_value", "huge_values"};
constexpr const char* overflows[] = {"overflow_0.1pct", "overflow_10pct", "overflow_all"};

TEST_F(WindowAttentionOnGpu, SpecialValuesReachTheOutputs) {
  for (const char* scores : special_values)
    for (const char* width : {"16", "32", "64", "128"})
      for (const char* rows : {"buckets", "contiguous", "scan"}) {
        SCOPED_TRACE(std::string(scores) + ", width " + width + ", " + rows);
        expect_right({{"tokens", "2048"},
                      {"window", "512"},
                      {"bucket", "256"},
                      {"heads", "2"},
                      {"width", width},
                      {"rows", rows},
                      {"scores", scores}});
      }
}

TEST_F(WindowAttentionOnGpu, QueryTilesThatOverflowAreRight) {
  for (const char* scores : overflows)
    for (const char* width : {"16", "32", "64", "128"})
      for (const char* rows : {"buckets", "contiguous", "scan"}) {
        SCOPED_TRACE(std::string(scores) + ", width " + width + ", " + rows);
        expect_right({{"tokens", "6144"},
                      {"window", "2048"},
                      {"bucket", "256"},
                      {"heads", "3"},
                      {"batches", "2"},
                      {"width", width},
                      {"rows", rows},
                      {"scores", scores}});
      }
}

/// On up to 150 multiprocessors blocks have more than 64 tiles, so that some share a bit of what is noted;
/// with windows of 2176 rows (on 132) tiles of 192 queries are used, and a window does not fill its last
/// one.
TEST_F(WindowAttentionOnGpu, BlocksDoAgainWhatOverflowedInManyTilesAndInSmallOnes) {
  for (const axis_values& given :
       {axis_values{{"tokens", "131072"}, {"window", "256"}, {"bucket", "256"}, {"heads", "20"}},
        axis_values{{"tokens", "13056"}, {"window", "2176"}, {"bucket", "128"}, {"heads", "3"}}})
    for (const char* scores : {"unit", "overflow_10pct", "overflow_all", "nan_query", "huge_values"}) {
      axis_values at = given;
      at.set("width", "16");
      at.set("scores", scores);
      variant_run run(tested(), at, inputs_);
      for (const char* name : {"hopper_inline_retry", "hopper_wave_fit", "hopper_exp2_bf16x2_wave_fit",
                               "hopper_exp2_bf16x2_wave_fit+tiles=wave_fit_overlapped"}) {
        if (!runs(name)) continue;
        const check_result result = run.check(test_support::named_variant(tested(), name));
        EXPECT_TRUE(result.ok) << name << ", " << scores << ": " << result.message;
      }
    }
}

TEST_F(WindowAttentionOnGpu, InputsAreMadeTheSameOnHostAndDevice) {
  for (const char* scores : {"unit", "overflow_10pct", "descending", "nan_key", "inf_query", "huge_values"}) {
    const axis_values given = {{"tokens", "2048"},    {"window", "512"}, {"bucket", "128"},
                               {"heads", "3"},        {"width", "32"},   {"batches", "2"},
                               {"order", "shuffled"}, {"scores", scores}};
    SCOPED_TRACE(scores);
    const axis_values at = values_of(tested(), given);
    const variant_run run(tested(), given, inputs_);
    const std::vector<std::uint32_t> scope = window_attention::scope_of(at, 1);
    window_attention::checked_problem p = window_attention::windows_at(at, 1);
    p.scope = scope.data();
    for (const auto& [name, of] :
         {std::pair{"q", window_attention::tensor::q}, std::pair{"k", window_attention::tensor::k},
          std::pair{"v", window_attention::tensor::v}}) {
      const auto made = run.contents<std::uint16_t>(name);
      for (std::size_t i = 0; i < made.size(); ++i) {
        const auto place = static_cast<std::int64_t>(i) / p.width;
        const std::int64_t head = place % p.heads, row = place / p.heads % p.tokens,
                           batch = place / p.heads / p.tokens;
        const auto [window, token] = window_attention::place_of_row(p, row);
        ASSERT_EQ(made[i], p.inputs.element(of, {batch, window, token, head}, i))
            << name << ", element " << i;
      }
    }
  }
}

TEST_F(WindowAttentionOnGpu, TheCheckFindsOneWrongRowWhereverItStands) {
  const variant_facts& variant = test_support::named_variant(tested(), "mma_online");
  for (const char* width : {"16", "128"}) {
    SCOPED_TRACE(width);
    variant_run run(tested(),
                    {{"tokens", "1024"},
                     {"window", "256"},
                     {"bucket", "128"},
                     {"heads", "3"},
                     {"width", width},
                     {"batches", "2"},
                     {"order", "shuffled"}},
                    inputs_);
    const check_result right = run.check(variant);
    ASSERT_TRUE(right.ok) << right.message;
    std::cout << "width " << width << ": " << run.quality().dump() << '\n';
    expect_spoiled_rows_found(run, variant, "out", {1024, 3, static_cast<std::size_t>(std::stoi(width))});

    const auto lse = run.contents<float>("lse");
    for (const std::size_t at : {std::size_t{0}, lse.size() / 2, lse.size() - 1})
      for (const float wrong : {lse[at] + 0.005f, std::nanf(""), INFINITY}) {
        auto spoiled = lse;
        spoiled[at] = wrong;
        run.put("lse", spoiled);
        const row_place place = {at / 1024 / 3, at % 1024, at / 1024 % 3};
        EXPECT_NE(run.check_outputs(variant).message.find(place.text()), std::string::npos) << wrong;
      }
    run.put("lse", lse);
    EXPECT_TRUE(run.check_outputs(variant).ok);
  }
}

/// The host's time, which needs the GPU to itself.
class TimesOfWindowAttentionChecks : public WindowAttentionOnGpu {};

TEST_F(TimesOfWindowAttentionChecks, OfALargeCaseAreNoLongerThanItsSamples) {
  expect_checks_of_a_large_case_within(1.0, "mma_online",
                                       {{"16", "32"}, {"32", "16"}, {"64", "8"}, {"128", "4"}});
}

TEST_F(WindowAttentionOnGpu, FullSizes) { expect_right_at_full_sizes(); }

}  // namespace
}  // namespace ablate::test_support::window_attention_gpu_test
