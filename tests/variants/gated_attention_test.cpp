// The operation gated_attention on the host: what it refuses, the check, the work and the figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/checked_problem.h"
#include "oracles/gated_attention/findings.h"
#include "tests/support/axis_values.h"
#include "tests/support/differing_switches.h"
#include "tests/support/solved_workload.h"
#include "tests/support/spoiled_workload.h"

namespace ablate::gated_attention {
namespace {

using test_support::differing_switches;
using test_support::message_once_spoiled;
using test_support::refusal_of;
using test_support::solved_workload;
using test_support::with;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const operation& layer() { return *find_operation("gated_attention"); }

std::string refused(const axis_values& given) { return refusal_of(layer(), given); }

std::vector<std::string> differences(const char* one, const char* other) {
  return differing_switches(layer(), one, other);
}

const axis_values small = {{"images", "2"}, {"heads", "2"}};

TEST(GatedAttentionLayer, RefusesWhatIsNoCase) {
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({{"selected", "8"}, {"block", "128"}}), "");
  EXPECT_EQ(refused({{"selected", "64"}}), "");
  EXPECT_EQ(refused({{"first_frame", "masked"}, {"lists", "given"}}), "");
  EXPECT_EQ(refused({{"region", "ahead"}}), "");
  EXPECT_THAT(refused({{"images", "3"}, {"block", "32"}}), HasSubstr("not whole blocks of 32"));
  EXPECT_THAT(refused({{"region", "ahead"}, {"lists", "given"}}), HasSubstr("is given"));
}

TEST(GatedAttentionLayer, ItsReferencePassesItsCheck) {
  for (const char* scores : {"scene", "unit", "integers", "ascending", "equal"})
    for (const char* block : {"16", "32"}) {
      const solved_workload solved(layer(),
                                   {{"images", "2"}, {"heads", "2"}, {"block", block}, {"scores", scores}});
      EXPECT_TRUE(solved.check().ok) << scores << " " << block << ": " << solved.check().message;
    }
}

TEST(GatedAttentionLayer, SearchedWhileMultiplyingListsAreOf32) {
  for (const variant_facts& v : layer().variants)
    EXPECT_EQ(std::ranges::count_if(v.only_where,
                                    [](const auto& condition) {
                                      return condition.first == "selected" && condition.second.back() == "32";
                                    }),
              v.name == "hopper_skipping" ? 1 : 0)
        << v.name;
}

TEST(GatedAttentionLayer, ItsReferencePassesItsCheckByEveryRuleForTheFirstFrame) {
  for (const char* rule : {"competes", "forced", "masked", "dense"})
    for (const char* block : {"16", "32"})
      for (const char* scores : {"scene", "integers"}) {
        const solved_workload solved(
            layer(),
            {{"images", "2"}, {"heads", "2"}, {"block", block}, {"scores", scores}, {"first_frame", rule}});
        EXPECT_TRUE(solved.check().ok) << rule << " " << block << ": " << solved.check().message;
      }
}

TEST(GatedAttentionLayer, ItsReferencePassesItsCheckWithSpecialTokens) {
  for (const char* rule : {"competes", "forced", "masked", "dense"})
    for (const char* images : {"1", "3"})
      for (const char* scores : {"scene", "integers", "ascending"}) {
        const solved_workload solved(layer(), {{"images", images},
                                               {"heads", "2"},
                                               {"scores", scores},
                                               {"first_frame", rule},
                                               {"geometry", "vggt"}});
        EXPECT_TRUE(solved.check().ok)
            << rule << " " << images << " " << scores << ": " << solved.check().message;
      }
  EXPECT_THAT(refused({{"geometry", "vggt"}, {"block", "32"}}), HasSubstr("whole or cut"));
  EXPECT_EQ(refused({{"geometry", "vggt"}, {"images", "5"}}), "");
}

TEST(GatedAttentionLayer, CountsSpecialTokensForEveryQuery) {
  // All that there is: every block, whole or cut, and all special tokens.
  const solved_workload all(
      layer(),
      {{"images", "1"}, {"heads", "3"}, {"selected", "32"}, {"first_frame", "forced"}, {"geometry", "vggt"}});
  EXPECT_DOUBLE_EQ(all.work.work.flops, 4 * 64 * 3 * (70.0 * 70 + 1041.0 * 1041));
  EXPECT_NEAR(all.quality().at("attention_mass_kept").get<double>(), 1, 1e-5);
  EXPECT_NEAR(all.quality().at("sparsity_selection").get<double>(), 0, 1e-12);
}

TEST(GatedAttentionLayer, TheSpecialTokenAmongTheSamplesIsHeldAgainstDenseAttention) {
  solved_workload solved(layer(), {{"images", "2"}, {"heads", "2"}, {"geometry", "vggt"}});
  solved.output<float>("sampled_out")[1 * 64 + 9] += 0.5f;
  EXPECT_THAT(solved.check().message, HasSubstr("row 2081"));
}

TEST(GatedAttentionLayer, CountsTheFirstFrameByItsRule) {
  const auto solved = [](const char* rule) {
    return solved_workload(layer(),
                           {{"images", "4"}, {"heads", "3"}, {"selected", "8"}, {"first_frame", rule}});
  };
  const double tokens = 4032, blocks = 252;
  const auto flops = [&](double attended) {
    return 4 * 64 * 3 * (blocks * blocks + blocks * attended * 16 * 16);
  };
  EXPECT_EQ(solved("forced").work.work.flops, flops(63 + 8));
  EXPECT_DOUBLE_EQ(solved("dense").work.work.flops, flops(8 * 0.75) + 4 * 64 * 3 * 1008 * tokens);
  EXPECT_LE(solved("masked").work.work.flops, flops(8));
  EXPECT_DOUBLE_EQ(solved("forced").quality().at("sparsity_selection"), 1 - 71 / blocks);
  // More is attended to, and none of it twice.
  const double forced = solved("forced").quality().at("attention_mass_kept");
  EXPECT_GT(forced, solved("competes").quality().at("attention_mass_kept"));
  EXPECT_LT(forced, 1);
  EXPECT_LT(solved("masked").quality().at("attention_mass_kept"),
            solved("competes").quality().at("attention_mass_kept"));
}

TEST(GatedAttentionLayer, TheCheckFindsAFaultInEachPart) {
  const auto message = [](const axis_values& at, auto spoil) {
    return message_once_spoiled(layer(), at, spoil);
  };
  const auto with_findings = [&](auto spoil) {
    return message(small, [&](solved_workload& of) { spoil(of.output<findings>("found")[0]); });
  };
  EXPECT_THAT(with_findings([](findings& f) { f.pooled[1].rows -= 1; }), HasSubstr("pooled k: 251 of 252"));
  EXPECT_THAT(with_findings([](findings& f) { f.pooled[2].worst.error = 1.5f; }), HasSubstr("pooled v"));
  EXPECT_THAT(with_findings([](findings& f) { f.compression.of.out.worst.error = 0.1f; }), HasSubstr("C: "));
  EXPECT_THAT(with_findings([](findings& f) { f.compression.of.lse.worst.error = 0.1f; }),
              HasSubstr("log-sum-exp of C"));
  EXPECT_THAT(with_findings([](findings& f) {
                f.compression.wrong_lists = 1;
                f.compression.first_wrong =
                    (126 + 5) << 3 | static_cast<unsigned>(compression_attention::list_fault::worse);
              }),
              HasSubstr("row 5, head 1"));
  EXPECT_THAT(with_findings([](findings& f) { f.selection.out.worst.error = NAN; }), HasSubstr("O: "));
  EXPECT_THAT(with_findings([](findings& f) { f.selection.lse.rows = 0; }), HasSubstr("were compared"));
  const auto with_number = [&](const char* output, std::size_t at) {
    return message(small, [&](solved_workload& of) { of.output<float>(output)[at] += 0.5f; });
  };
  EXPECT_THAT(with_number("sampled_compressed", 37 * 64 + 3), HasSubstr("C, batch 0, row"));
  EXPECT_THAT(with_number("sampled_compressed_lse", 100), HasSubstr("log-sum-exp of C"));
  EXPECT_THAT(with_number("sampled_out", 15 * 64 + 63), HasSubstr("O, batch 0, row 2015"));
  EXPECT_THAT(with_number("sampled_lse", 0), HasSubstr("log-sum-exp, batch 0, row 0"));
}

TEST(GatedAttentionLayer, AListThatDiffersIsWrongWhereScoresAreExactAndElsewhereItsTokenMustFollow) {
  const auto swapped = [](const char* scores) {
    solved_workload solved(layer(), {{"images", "2"}, {"heads", "2"}, {"scores", scores}});
    // Of the first sampled token's block, which is block 0: a block that is not in the list for its last one.
    const auto list = solved.output<std::int32_t>("sampled_table").first(32);
    std::int32_t other = 0;
    while (std::find(list.begin(), list.end(), other) != list.end()) ++other;
    list[31] = other;
    return solved.check().message;
  };
  EXPECT_THAT(swapped("integers"), HasSubstr("list of row 0"));
  EXPECT_THAT(swapped("scene"), HasSubstr("row 0"));
}

TEST(GatedAttentionLayer, AForcedFirstFrameIsAttendedToByAllRowsAsWholeBlocks) {
  problem p;
  p.heads = 2;
  p.tokens = 8 * 1008;
  for (const auto& [block, keys] : {std::pair{16, 1008}, {32, 1024}, {64, 1024}, {128, 1024}}) {
    p.block = block;
    const compression_attention::problem forced = forced_of(p);
    EXPECT_EQ(forced.attended_rows(), keys) << block;
    EXPECT_EQ(forced.attending_rows(), p.tokens) << block;
    EXPECT_EQ(forced.padded_rows() % compression_attention::tile_keys, 0) << block;
    EXPECT_LT(forced.padded_rows() - keys, compression_attention::tile_keys) << block;
    EXPECT_FALSE(forced.lists);
  }
}

TEST(GatedAttentionLayer, CountsItsWork) {
  const solved_workload sparse(layer(),
                               {{"images", "4"}, {"heads", "3"}, {"block", "32"}, {"selected", "8"}});
  const double tokens = 4032, blocks = 126;
  EXPECT_EQ(sparse.work.work.flops, 4 * 64 * 3 * (blocks * blocks + blocks * 8 * 32 * 32));
  EXPECT_EQ(sparse.work.work.bytes, 3 * tokens * (4 * 2 * 64 + 4 + 8));
}

TEST(GatedAttentionLayer, TellsHowSparseItIs) {
  const solved_workload solved(layer(), {{"images", "4"}, {"heads", "2"}, {"selected", "8"}});
  const nlohmann::ordered_json quality = solved.quality();
  EXPECT_DOUBLE_EQ(quality.at("sparsity_selection"), 1 - 8.0 / 252);
  EXPECT_DOUBLE_EQ(quality.at("sparsity_flops"), 1 - 8.0 / 252 - 1.0 / 256);
  EXPECT_GT(quality.at("attention_mass_kept"), 8.0 / 252);
  EXPECT_LT(quality.at("attention_mass_kept"), 1);
  EXPECT_GE(quality.at("list_sharing_16"), quality.at("list_sharing_8"));
  EXPECT_GT(quality.at("list_sharing_8"), 1);
}

TEST(GatedAttentionLayer, WhatGoesAheadOfAttentionIsJudgedByItself) {
  solved_workload solved(layer(), with(small, {{"region", "ahead"}}));
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  // What attention would have left is of no account.
  solved.output<float>("sampled_out")[5] += 0.5f;
  findings& found = solved.output<findings>("found")[0];
  found.compression.of.out.rows = 0;
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  EXPECT_FALSE(solved.quality().contains("out_error_worst"));
  EXPECT_EQ(solved.work.work.bytes, 2 * 3 * 128 * (2016 + 126.0));
  EXPECT_EQ(solved.work.work.flops, 0);
  found.pooled[2].worst.error = 1.5f;
  EXPECT_THAT(solved.check().message, HasSubstr("pooled v"));
}

TEST(GatedAttentionLayer, EachStepTurnsOneSwitch) {
  EXPECT_THAT(differences("published", "threshold_staged"), ElementsAre("choice"));
  EXPECT_THAT(differences("threshold", "threshold_gate_apart"), ElementsAre("gate"));
  EXPECT_THAT(differences("threshold", "two_pass"), ElementsAre("choice"));
  EXPECT_THAT(differences("threshold", "given_lists"), ElementsAre("choice"));
  EXPECT_THAT(differences("hopper_pdl", "hopper"), ElementsAre("pdl"));
  EXPECT_THAT(differences("hopper_by_heads", "hopper"), ElementsAre("branches", "heads_per_stream"));
  EXPECT_THAT(differences("hopper_two_streams", "hopper_by_heads"), ElementsAre("branches"));
  EXPECT_THAT(differences("hopper_skipping", "hopper"), ElementsAre("search"));
  EXPECT_THAT(differences("hopper", "hopper_union"), ElementsAre("selection", "warps"));
  EXPECT_THAT(differences("threshold", "threshold_separate_pooling"),
              ElementsAre("pooling", "loads_in_flight"));
}

}  // namespace
}  // namespace ablate::gated_attention
