// token_merging on the GPU: every variant of every step by fp64 and by the oracle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/token_merging/checked_problem.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::token_merging_gpu_test {
namespace {

class TokenMergingOnGpu : public every_variant_test {
 protected:
  TokenMergingOnGpu() : every_variant_test("token_merging") {}
};

TEST_F(TokenMergingOnGpu, MatchesOfAllLengthsAndScores) {
  for (const char* images : {"2", "3", "5"})
    for (const char* heads : {"1", "3", "16"})
      for (const char* scores : {"scene", "unit", "integers", "equal"}) {
        SCOPED_TRACE(std::string(images) + ", " + heads + ", " + scores);
        expect_right({{"images", images}, {"heads", heads}, {"scores", scores}});
      }
}

TEST_F(TokenMergingOnGpu, MatchesByTheMeanOfHeads) {
  for (const char* images : {"2", "5"})
    for (const char* heads : {"1", "3", "16"})
      for (const char* scores : {"scene", "unit", "equal"}) {
        SCOPED_TRACE(std::string(images) + ", " + heads + ", " + scores);
        expect_right({{"images", images}, {"heads", heads}, {"scores", scores}, {"metric", "mean_of_heads"}});
      }
}

TEST_F(TokenMergingOnGpu, TheJudgeFindsOneRowThatTokensAreMatchedBy) {
  variant_run run(tested(), {{"images", "3"}, {"heads", "4"}, {"metric", "mean_of_heads"}}, inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "match_mma");
  element_spoiler{run, v}.expect_found("metric_rows", 3023 * 64 + 63, std::uint16_t{1},
                                       "1 of 3024 rows that tokens are matched by");
}

TEST_F(TokenMergingOnGpu, MatchesOfWholeNumbersAreAlike) {
  std::vector<std::int32_t> best;
  expect_right({{"images", "4"}, {"heads", "1"}, {"scores", "integers"}, {"geometry", "vggt"}},
               [&](const variant_facts& v, variant_run& run) {
                 if (best.empty()) best = run.contents<std::int32_t>("best");
                 EXPECT_EQ(run.contents<std::int32_t>("best"), best) << v.name;
               });
}

// What a tile has past the last destination must not be found where no product is above zero.
TEST_F(TokenMergingOnGpu, MatchesOfNegativeProductsAlone) {
  constexpr std::uint16_t one = 0x3f80, minus = 0x8000;
  variant_run run(tested(), {{"images", "3"}, {"heads", "1"}, {"scores", "equal"}}, inputs_);
  auto x = run.contents<std::uint16_t>("x");
  std::ranges::fill(x, one);
  const auto sources = run.contents<std::int32_t>("source_tokens");
  for (const std::int32_t token : sources)
    for (std::size_t channel = 0; channel < 64; ++channel)
      x[static_cast<std::size_t>(token) * 64 + channel] = one | minus;
  run.put("x", x);
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    run.put("best", std::vector<std::int32_t>(sources.size(), -1));
    run.launch(v);
    EXPECT_THAT(run.contents<std::int32_t>("best"), ::testing::Each(0)) << v.name;
    EXPECT_THAT(run.contents<float>("similarity"), ::testing::Each(-64.0f)) << v.name;
  }
}

TEST_F(TokenMergingOnGpu, MergesAndUnmergesInBothGeometries) {
  for (const char* step : {"merge", "unmerge"})
    for (const char* images : {"2", "3", "8"})
      for (const char* geometry : {"s3r", "vggt"})
        for (const char* twice : {"twice", "once"}) {
          SCOPED_TRACE(std::string(step) + ", " + images + ", " + geometry + ", " + twice);
          expect_right({{"images", images},
                        {"heads", "3"},
                        {"step", step},
                        {"geometry", geometry},
                        {"protected", twice}});
        }
}

TEST_F(TokenMergingOnGpu, AllSourcesOfOneDestination) {
  variant_run run(tested(), {{"images", "3"}, {"heads", "1"}, {"step", "merge"}}, inputs_);
  std::vector<std::int32_t> best = run.contents<std::int32_t>("best");
  for (std::int32_t& destination : best) destination = 7;
  run.put("best", best);
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    run.check(v);
    // The oracle's samples have other sources; the device judges by what is given.
    EXPECT_EQ(
        reinterpret_cast<const token_merging::findings*>(run.contents<std::byte>("found").data())->wrong, 0u)
        << v.name;
  }
}

TEST_F(TokenMergingOnGpu, TheJudgeFindsOneRow) {
  for (const char* step : {"merge", "unmerge"}) {
    variant_run run(tested(), {{"images", "3"}, {"heads", "2"}, {"step", step}}, inputs_);
    const char* const written = std::string(step) == "merge" ? "merged_v" : "out";
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v)) continue;
      element_spoiler{run, v}.expect_found(written, 333 * 64 + 5, std::uint16_t{0x10}, "the first: 333");
    }
  }
}

TEST_F(TokenMergingOnGpu, ManyImages) {
  for (const char* step : {"match", "merge", "unmerge"})
    expect_right({{"images", "256"}, {"heads", "1"}, {"step", step}});
}

}  // namespace
}  // namespace ablate::test_support::token_merging_gpu_test
