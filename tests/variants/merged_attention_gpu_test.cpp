// merged_attention on the GPU: every variant step by step, and whole against the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/axis_values.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::merged_attention_gpu_test {
namespace {

using window_attention::bf16_of;
using window_attention::float_of_bf16;

constexpr std::size_t width = 64;

class MergedAttentionOnGpu : public every_variant_test {
 protected:
  MergedAttentionOnGpu() : every_variant_test("merged_attention") {}

  static axis_values layer(const axis_values& more) { return with({{"heads", "2"}}, more); }
};

TEST_F(MergedAttentionOnGpu, ImagesOfEveryNumberInBothGeometries) {
  for (const char* images : {"2", "3", "5", "8", "17"})
    for (const char* geometry : {"s3r", "vggt"})
      for (const char* twice : {"twice", "once"}) {
        SCOPED_TRACE(std::string(images) + ", " + geometry + ", " + twice);
        expect_right(layer({{"images", images}, {"geometry", geometry}, {"protected", twice}}));
      }
  expect_right(layer({{"images", "3"}, {"heads", "5"}}));
}

TEST_F(MergedAttentionOnGpu, ScoresOfEveryKind) {
  for (const char* scores : {"scene", "unit", "integers", "equal"}) {
    SCOPED_TRACE(scores);
    expect_right(layer({{"images", "6"}, {"scores", scores}}));
  }
}

TEST_F(MergedAttentionOnGpu, MatchesByTheMeanOfHeads) {
  for (const char* scores : {"scene", "unit"})
    for (const char* geometry : {"s3r", "vggt"}) {
      SCOPED_TRACE(std::string(scores) + ", " + geometry);
      expect_right(
          layer({{"images", "5"}, {"scores", scores}, {"geometry", geometry}, {"metric", "mean_of_heads"}}));
    }
}

TEST_F(MergedAttentionOnGpu, WhatGoesAheadOfAttentionIsRightByItself) {
  for (const char* geometry : {"s3r", "vggt"}) {
    SCOPED_TRACE(geometry);
    expect_right(layer({{"images", "5"}, {"geometry", geometry}, {"region", "ahead"}}));
  }
}

TEST_F(MergedAttentionOnGpu, MatchesThatAreGiven) {
  variant_run run(tested(), layer({{"images", "4"}, {"lists", "given"}}), inputs_);
  for (const char* name : {"published", "chains", "hopper", "hopper_matches"}) {
    const variant_facts& v = test_support::named_variant(tested(), name);
    if (!run.applies(v)) continue;
    run.launch(v);
    const check_result result = run.check_outputs(v);
    EXPECT_TRUE(result.ok) << name << ": " << result.message;
  }
}

TEST_F(MergedAttentionOnGpu, SourcesTakeTheOutputsOfTheirDestinations) {
  expect_right(layer({{"images", "3"}}), [](const variant_facts& v, variant_run& run) {
    const auto best = run.contents<std::int32_t>("best"),
               sources = run.contents<std::int32_t>("source_tokens"),
               destinations = run.contents<std::int32_t>("destination_tokens"),
               appended = run.contents<std::int32_t>("appended_tokens");
    const auto out = run.contents<std::uint16_t>("out");
    const auto is_appended = [&](std::int32_t token) { return std::ranges::binary_search(appended, token); };
    std::size_t compared = 0;
    for (std::size_t i = 0; i < best.size(); ++i) {
      const auto token = static_cast<std::size_t>(sources[i]);
      const std::int32_t to = destinations[static_cast<std::size_t>(best[i])];
      if (is_appended(sources[i]) || is_appended(to)) continue;
      ++compared;
      for (std::size_t head = 0; head < 2; ++head)
        for (std::size_t d = 0; d < width; ++d)
          ASSERT_EQ(out[(head * 3024 + token) * width + d],
                    out[(head * 3024 + static_cast<std::size_t>(to)) * width + d])
              << v.name << ", token " << token;
    }
    EXPECT_GT(compared, 1000u);
  });
}

TEST_F(MergedAttentionOnGpu, ValuesThatAreConstantStayWhatTheyAre) {
  variant_run run(tested(), layer({{"images", "3"}}), inputs_);
  auto values = run.contents<std::uint16_t>("v");
  std::ranges::fill(values, bf16_of(1.25f));
  run.put("v", values);
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    run.launch(v);
    for (const std::uint16_t bits : run.contents<std::uint16_t>("out"))
      ASSERT_NEAR(float_of_bf16(bits), 1.25, 0.01) << v.name;
  }
}

TEST_F(MergedAttentionOnGpu, ASpoiledStepIsFoundOut) {
  variant_run run(tested(), layer({{"images", "3"}}), inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "chains");
  const element_spoiler spoiled{run, v};
  using ::std::string;
  constexpr std::uint16_t sign_and_more = 0xc000;
  // 1814 rows attend: 1512 destinations and 302 protected tokens.
  EXPECT_NE(spoiled("best", 700, std::int32_t{1}).find("sources are wrong; the first: 700"), string::npos);
  EXPECT_NE(
      spoiled("merged_v", (1814 + 1511) * width + 5, sign_and_more).find("rows are wrong; the first: 1511"),
      string::npos);
  EXPECT_NE(spoiled("attended", (1814 + 1700) * width + 5, sign_and_more).find("row 1700, head 1"),
            string::npos);
  EXPECT_NE(
      spoiled("out", (3024 + 3023) * width + 5, std::uint16_t{1}).find("tokens are wrong; the first: 3023"),
      string::npos);
}

}  // namespace
}  // namespace ablate::test_support::merged_attention_gpu_test
