// The operation merged_attention on the host: what it refuses, the check, the work and the figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "oracles/merged_attention/checked_problem.h"
#include "tests/support/axis_values.h"
#include "tests/support/differing_switches.h"
#include "tests/support/solved_workload.h"
#include "tests/support/spoiled_workload.h"

namespace ablate::merged_attention {
namespace {

using test_support::differing_switches;
using test_support::message_once_spoiled;
using test_support::refusal_of;
using test_support::solved_workload;
using test_support::with;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const operation& layer() { return *find_operation("merged_attention"); }

std::string refused(const axis_values& given) { return refusal_of(layer(), given); }

std::vector<std::string> differences(const char* one, const char* other) {
  return differing_switches(layer(), one, other);
}

const axis_values small = {{"images", "3"}, {"heads", "2"}};

TEST(MergedLayer, RefusesWhatIsNoCase) {
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({{"protected", "once"}, {"lists", "given"}, {"geometry", "vggt"}}), "");
  EXPECT_EQ(refused({{"region", "ahead"}}), "");
  EXPECT_THAT(refused({{"images", "1"}}), HasSubstr("all tokens of the first image"));
  EXPECT_THAT(refused({{"scores", "ascending"}}), HasSubstr("has no such order"));
  EXPECT_THAT(refused({{"scores", "plane"}}), HasSubstr("shows a scene alone"));
  EXPECT_THAT(refused({{"region", "ahead"}, {"lists", "given"}}), HasSubstr("is given"));
}

TEST(MergedLayer, ItsReferencePassesItsCheck) {
  for (const char* scores : {"scene", "unit", "integers", "equal"})
    for (const char* geometry : {"s3r", "vggt"})
      for (const char* twice : {"twice", "once"}) {
        const solved_workload solved(
            layer(), with(small, {{"scores", scores}, {"geometry", geometry}, {"protected", twice}}));
        EXPECT_TRUE(solved.check().ok)
            << scores << " " << geometry << " " << twice << ": " << solved.check().message;
      }
}

TEST(MergedLayer, TellsWhatIsLeftAndItsWork) {
  const solved_workload solved(layer(), small);
  // Of 3 images: the first, and of the others a patch of each of 14 x 18 cells; one token in ten, 302 of
  // them.
  EXPECT_EQ(solved.work.input.at("destinations"), 1008 + 2 * 252);
  EXPECT_EQ(solved.work.input.at("sources"), 2 * 756);
  EXPECT_EQ(solved.work.input.at("merged_rows"), 2 * (1512 + 302));
  EXPECT_EQ(solved.work.input.at("attending_rows"), 2 * 3024);
  EXPECT_DOUBLE_EQ(solved.quality().at("attending_share"), 1814.0 / 3024);
  EXPECT_DOUBLE_EQ(solved.quality().at("sparsity_flops"), 1 - 1814.0 * 1814 / (3024.0 * 3024) - 0.125);
  EXPECT_DOUBLE_EQ(solved.work.work.flops, 64 * 2 * (2 * 1512.0 * 1512 + 4 * 1814.0 * 1814));
  const solved_workload given(layer(), with(small, {{"lists", "given"}}));
  EXPECT_DOUBLE_EQ(given.work.work.flops, 64 * 2 * 4 * 1814.0 * 1814);
  EXPECT_DOUBLE_EQ(solved.work.work.bytes - given.work.work.bytes, 2 * 3024 * 128);
}

TEST(MergedLayer, TheCheckFindsAFaultInEachStep) {
  const auto message = [](auto spoil) { return message_once_spoiled(layer(), small, spoil); };
  const auto with_findings = [&](auto spoil) {
    return message([&](solved_workload& of) { spoil(of.output<findings>("found")[0]); });
  };
  EXPECT_THAT(with_findings([](findings& f) { f.merging[0].judged -= 1; }),
              HasSubstr("1511 of 1512 sources"));
  EXPECT_THAT(with_findings([](findings& f) {
                f.merging[1].wrong = 1;
                f.merging[1].first_wrong = 1600;
              }),
              HasSubstr("1 of 1814 merged rows are wrong; the first: 1600"));
  EXPECT_THAT(with_findings([](findings& f) { f.merging[2].wrong = 3; }), HasSubstr("3 of 3024 tokens"));
  EXPECT_THAT(with_findings([](findings& f) { f.attention.of.out.worst.error = NAN; }),
              HasSubstr("O of merged rows: "));
  EXPECT_THAT(with_findings([](findings& f) { f.attention.of.lse.rows = 0; }), HasSubstr("were compared"));
  EXPECT_THAT(message([](solved_workload& of) { of.output<float>("sampled_out")[15 * 64 + 63] += 0.5f; }),
              HasSubstr("O, batch 0, row 1813"));
  EXPECT_THAT(message([](solved_workload& of) { of.output<float>("sampled_lse")[1] += 0.5f; }),
              HasSubstr("log-sum-exp, batch 0, row 1511"));
  EXPECT_THAT(message([](solved_workload& of) { of.output<float>("sampled_similarity")[1] += 5; }),
              HasSubstr("source 1511 is wrong"));
  EXPECT_THAT(message([](solved_workload& of) { of.output<std::int32_t>("best")[77] = 1512; }),
              HasSubstr("source 77: its destination is 1512 of 1512"));
}

TEST(MergedLayer, MayMatchByTheMeanOfHeads) {
  const axis_values by_mean = with(small, {{"metric", "mean_of_heads"}});
  EXPECT_EQ(refused(by_mean), "");
  for (const char* scores : {"scene", "unit", "integers", "equal"}) {
    const solved_workload solved(layer(), with(by_mean, {{"scores", scores}}));
    EXPECT_TRUE(solved.check().ok) << scores << ": " << solved.check().message;
  }
  solved_workload solved(layer(), by_mean);
  // A row of one head instead of two.
  EXPECT_DOUBLE_EQ(solved.work.work.flops, 64 * (2 * 1512.0 * 1512 + 2 * 4 * 1814.0 * 1814));
  solved.output<findings>("found")[0].merging[0].wrong_metric_rows = 1;
  EXPECT_THAT(solved.check().message, HasSubstr("1 of 3024 rows that tokens are matched by are wrong"));
}

TEST(MergedLayer, OutputsHaveToFollowTheMatches) {
  // Sources of the first sampled row, which is destination 0, go elsewhere.
  solved_workload solved(layer(), small);
  const auto best = solved.output<std::int32_t>("best");
  for (std::size_t source = 8; source + 8 < best.size(); ++source)
    if (best[source] == 0) best[source] = 1;
  EXPECT_THAT(solved.check().message, HasSubstr("O, batch 0, row 0"));
}

TEST(MergedLayer, WhatGoesAheadOfAttentionIsJudgedByItself) {
  const axis_values merging = with(small, {{"region", "ahead"}});
  solved_workload solved(layer(), merging);
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  // What attention would have left is of no account.
  solved.output<float>("sampled_out")[5] += 0.5f;
  solved.output<findings>("found")[0].attention.of.out.rows = 0;
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  EXPECT_FALSE(solved.quality().contains("out_error_worst"));
  solved.output<findings>("found")[0].merging[1].judged = 0;
  EXPECT_THAT(solved.check().message, HasSubstr("merged rows"));
}

TEST(MergedLayer, CountsWhatGoesAhead) {
  const solved_workload merging(layer(), with(small, {{"region", "ahead"}}));
  EXPECT_EQ(merging.work.work.bytes, 2 * 128 * (4 * 3024.0 + 3 * 1814));
  EXPECT_EQ(merging.work.work.flops, 2 * 64 * 2 * 1512.0 * 1512);
}

TEST(MergedLayer, EachStepTurnsOneSwitch) {
  EXPECT_THAT(differences("published", "chains"), ElementsAre("sums", "passes"));
  EXPECT_THAT(differences("chains", "hopper"), ElementsAre("core"));
  EXPECT_THAT(differences("hopper_matches", "hopper"), ElementsAre("matches"));
}

}  // namespace
}  // namespace ablate::merged_attention
