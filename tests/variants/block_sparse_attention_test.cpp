// The operation block_sparse_attention on the host: what it refuses, the check, the work and the figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "oracles/block_sparse_attention/checked_problem.h"
#include "tests/support/axis_values.h"
#include "tests/support/differing_switches.h"
#include "tests/support/solved_workload.h"
#include "tests/support/spoiled_workload.h"

namespace ablate::block_sparse_attention {
namespace {

using test_support::differing_switches;
using test_support::message_once_spoiled;
using test_support::refusal_of;
using test_support::solved_workload;
using test_support::with;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const operation& layer() { return *find_operation("block_sparse_attention"); }

std::string refused(const axis_values& given) { return refusal_of(layer(), given); }

std::vector<std::string> differences(const char* one, const char* other) {
  return differing_switches(layer(), one, other);
}

const axis_values small = {{"images", "3"}, {"heads", "2"}};

TEST(BlockSparseLayer, RefusesWhatIsNoCase) {
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({{"mass", "50"}, {"kept", "20"}, {"lists", "given"}}), "");
  EXPECT_EQ(refused({{"geometry", "vggt"}, {"images", "1024"}}), "");
  EXPECT_EQ(refused({{"order", "hilbert"}, {"products", "int8"}, {"scores", "plane"}}), "");
  EXPECT_EQ(refused({{"order", "rows"}, {"geometry", "vggt"}, {"lists", "given"}}), "");
  EXPECT_EQ(refused({{"region", "ahead"}}), "");
  EXPECT_THAT(refused({{"images", "1500"}}), HasSubstr("23625 key blocks, expected at most"));
  EXPECT_THAT(refused({{"region", "ahead"}, {"lists", "given"}}), HasSubstr("is given"));
}

TEST(BlockSparseLayer, ItsReferencePassesItsCheck) {
  for (const char* scores : {"scene", "unit", "integers", "ascending", "equal"})
    for (const char* geometry : {"s3r", "vggt"})
      for (const char* kept : {"0", "50", "100"}) {
        const solved_workload solved(
            layer(), with(small, {{"scores", scores}, {"geometry", geometry}, {"kept", kept}}));
        EXPECT_TRUE(solved.check().ok)
            << scores << " " << geometry << " " << kept << ": " << solved.check().message;
      }
}

TEST(BlockSparseLayer, OfAllBlocksItIsDenseAttention) {
  for (const char* geometry : {"s3r", "vggt"}) {
    const solved_workload all(layer(), with(small, {{"kept", "100"}, {"geometry", geometry}}));
    const nlohmann::ordered_json quality = all.quality();
    EXPECT_NEAR(quality.at("attention_mass_kept").get<double>(), 1, 1e-5);
    EXPECT_DOUBLE_EQ(quality.at("sparsity_blocks"), 0);
    EXPECT_NEAR(quality.at("sparsity_selection").get<double>(), 0, 1e-12);
    const double tokens = all.work.input.at("tokens"), query_blocks = all.work.input.at("query_blocks"),
                 key_blocks = all.work.input.at("key_blocks");
    EXPECT_DOUBLE_EQ(all.work.work.flops, 2 * 64 * 2 * (query_blocks * key_blocks + 2 * tokens * tokens));
  }
}

TEST(BlockSparseLayer, TellsHowSparseItIs) {
  // 24 query blocks and 48 key blocks, the last of each shorter; by number alone, half of them.
  const solved_workload half(layer(), with(small, {{"mass", "0"}, {"kept", "50"}}));
  EXPECT_EQ(half.work.input.at("query_blocks"), 24);
  EXPECT_EQ(half.work.input.at("key_blocks"), 48);
  EXPECT_DOUBLE_EQ(half.quality().at("sparsity_blocks"), 0.5);
  EXPECT_DOUBLE_EQ(half.quality().at("sparsity_flops"), 0.5 - 24.0 * 48 / (2 * 3024.0 * 3024));
  EXPECT_DOUBLE_EQ(half.work.work.flops, 2 * 64 * 2 * (24.0 * 48 + 3024.0 * 3024));
  const solved_workload given(layer(), with(small, {{"mass", "0"}, {"kept", "50"}, {"lists", "given"}}));
  EXPECT_DOUBLE_EQ(given.work.work.flops, 2 * 64 * 2 * 3024.0 * 3024);
  const solved_workload few(layer(), with(small, {{"mass", "0"}, {"kept", "10"}}));
  EXPECT_LT(few.quality().at("attention_mass_kept"), half.quality().at("attention_mass_kept"));
  EXPECT_LT(half.quality().at("attention_mass_kept"), 1);
  // What special tokens attend to, and what all attend to of them, is kept whatever the bits.
  const solved_workload special(layer(), with(small, {{"mass", "0"}, {"kept", "50"}, {"geometry", "vggt"}}));
  const double kept = 1 - special.quality().at("sparsity_blocks").get<double>(), all = 3123, patches = 3108;
  EXPECT_DOUBLE_EQ(special.quality().at("sparsity_selection"),
                   1 - (patches * (patches * kept + 15) + 15 * all) / (all * all));
}

TEST(BlockSparseLayer, TheCheckFindsAFaultInEachPart) {
  const auto message = [](const axis_values& at, auto spoil) {
    return message_once_spoiled(layer(), at, spoil);
  };
  const auto with_findings = [&](auto spoil) {
    return message(small, [&](solved_workload& of) { spoil(of.output<findings>("found")[0]); });
  };
  EXPECT_THAT(with_findings([](findings& f) { f.means[0].judged -= 1; }), HasSubstr("means of q: 47 of 48"));
  EXPECT_THAT(with_findings([](findings& f) {
                f.means[1].wrong = 1;
                f.means[1].first_wrong = 48 + 7;
              }),
              HasSubstr("means of k: 1 of 96 are wrong; the first, block 7, head 1"));
  EXPECT_THAT(with_findings([](findings& f) {
                f.kept.wrong_rows = 1;
                f.kept.first_wrong =
                    (24 + 5) << 3 | static_cast<unsigned>(block_sparse_selection::row_fault::worse);
              }),
              HasSubstr("query block 5, head 1: a key block that it leaves scores more"));
  EXPECT_THAT(with_findings([](findings& f) { f.kept.rows = 0; }), HasSubstr("0 of 48 were judged"));
  EXPECT_THAT(with_findings([](findings& f) { f.attention.of.out.worst.error = NAN; }), HasSubstr("O: "));
  EXPECT_THAT(with_findings([](findings& f) { f.attention.of.lse.rows -= 1; }), HasSubstr("were compared"));
  const auto with_number = [&](const axis_values& at, const char* output, std::size_t place) {
    return message(at, [&](solved_workload& of) { of.output<float>(output)[place] += 0.5f; });
  };
  EXPECT_THAT(with_number(small, "sampled_out", 15 * 64 + 63), HasSubstr("O, batch 0, row 3023"));
  EXPECT_THAT(with_number(small, "sampled_lse", 0), HasSubstr("log-sum-exp, batch 0, row 0"));
  EXPECT_THAT(with_number(with(small, {{"geometry", "vggt"}}), "sampled_out", 64 + 9),
              HasSubstr("O, batch 0, row 3122"));
}

TEST(BlockSparseLayer, BitsThatDifferAreWrongWhereScoresAreExactAndElsewhereTheirTokenMustFollow) {
  const auto swapped = [](const char* scores) {
    solved_workload solved(layer(), with(small, {{"scores", scores}}));
    // Of the first sampled token's query block, all key blocks the other way around.
    solved.output<std::uint32_t>("sampled_kept")[0] ^= 0xffffffffu;
    return solved.check().message;
  };
  EXPECT_THAT(swapped("integers"), HasSubstr("query block 0, head"));
  EXPECT_THAT(swapped("scene"), HasSubstr("O, batch 0, row 0"));
}

TEST(BlockSparseLayer, ItsReferencePassesItsCheckInEveryOrderAndByInt8) {
  for (const char* order : {"natural", "rows", "hilbert"})
    for (const char* products : {"bf16", "int8"})
      for (const char* geometry : {"s3r", "vggt"}) {
        const solved_workload solved(
            layer(),
            with(small,
                 {{"scores", "plane"}, {"order", order}, {"products", products}, {"geometry", geometry}}));
        EXPECT_TRUE(solved.check().ok)
            << order << " " << products << " " << geometry << ": " << solved.check().message;
      }
  for (const char* scores : {"scene", "unit", "integers", "ascending", "equal"}) {
    const solved_workload solved(layer(), with(small, {{"scores", scores}, {"products", "int8"}}));
    EXPECT_TRUE(solved.check().ok) << scores << ": " << solved.check().message;
  }
}

TEST(BlockSparseLayer, BlocksOfNeighborsKeepMoreOfAPlane) {
  const auto mass_in = [](const char* order) {
    const solved_workload solved(
        layer(),
        with(small,
             {{"images", "16"}, {"scores", "plane"}, {"mass", "0"}, {"kept", "10"}, {"order", order}}));
    return solved.quality().at("attention_mass_kept").get<double>();
  };
  const double along_the_curve = mass_in("hilbert");
  EXPECT_GT(along_the_curve, mass_in("rows"));
  EXPECT_GT(along_the_curve, mass_in("natural"));
}

TEST(BlockSparseLayer, ProductsOfInt8CountAsHalfOfThoseOfBf16) {
  const auto flops = [](const axis_values& at) {
    return solved_workload(layer(), with(small, at)).work.work.flops;
  };
  // Of two products of equal size, one is of int8.
  EXPECT_DOUBLE_EQ(flops({{"lists", "given"}, {"products", "int8"}}), 0.75 * flops({{"lists", "given"}}));
  EXPECT_EQ(flops({{"region", "ahead"}, {"products", "int8"}}), flops({{"region", "ahead"}}));
}

TEST(BlockSparseLayer, Int8IsNearToBf16) {
  const solved_workload solved(layer(), with(small, {{"products", "int8"}}));
  const double distance = solved.quality().at("distance_from_bf16");
  EXPECT_GT(distance, 1e-5);
  EXPECT_LT(distance, 0.03);
  EXPECT_FALSE(solved_workload(layer(), small).quality().contains("distance_from_bf16"));
}

TEST(BlockSparseLayer, TheCheckFindsAFaultInMovesAndInNumbers) {
  const axis_values at = with(small, {{"order", "hilbert"}, {"products", "int8"}});
  const auto message = [&](auto spoil) {
    return message_once_spoiled(layer(), at,
                                [&](solved_workload& of) { spoil(of.output<findings>("found")[0]); });
  };
  EXPECT_THAT(message([](findings& f) { f.wrongly_moved = 3; }), HasSubstr("3 elements are others"));
  EXPECT_THAT(message([](findings& f) { f.int8.wrong_means = 1; }), HasSubstr("means of k are wrong"));
  // 2 heads of 24 query blocks and 48 boxes of keys.
  EXPECT_THAT(message([](findings& f) { f.int8.judged -= 1; }), HasSubstr("143 of 144 blocks of rows"));
  EXPECT_THAT(message([](findings& f) {
                f.int8.wrong = 2;
                f.int8.first_wrong = 47;
              }),
              HasSubstr("the first, of q, number 47"));
  EXPECT_THAT(message([](findings& f) {
                f.int8.wrong = 2;
                f.int8.first_wrong = 48 + 95;
              }),
              HasSubstr("the first, of k, number 95"));
}

TEST(BlockSparseLayer, WhatGoesAheadOfAttentionIsJudgedByItself) {
  const axis_values choice = with(small, {{"region", "ahead"}, {"scores", "integers"}});
  solved_workload solved(layer(), choice);
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  // What attention would have left is of no account.
  solved.output<float>("sampled_out")[5] += 0.5f;
  solved.output<findings>("found")[0].attention.of.out.rows = 0;
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  EXPECT_FALSE(solved.quality().contains("out_error_worst"));
  EXPECT_TRUE(solved.quality().contains("sparsity_blocks"));
  const auto message = [&](auto spoil) {
    return message_once_spoiled(layer(), choice,
                                [&](solved_workload& of) { spoil(of.output<findings>("found")[0]); });
  };
  EXPECT_THAT(message([](findings& f) { f.means[0].judged = 0; }), HasSubstr("means of q"));
  EXPECT_THAT(message([](findings& f) { f.kept.rows = 0; }), HasSubstr("were judged"));
  solved_workload swapped(layer(), choice);
  swapped.output<std::uint32_t>("sampled_kept")[0] ^= 0xffffffffu;
  EXPECT_THAT(swapped.check().message, HasSubstr("query block 0"));
}

TEST(BlockSparseLayer, CountsWhatGoesAhead) {
  const solved_workload choice(layer(), with(small, {{"region", "ahead"}}));
  EXPECT_EQ(choice.work.work.bytes, 2 * (2 * 128 * 3024.0 + 24 * 4 * 3));
  EXPECT_EQ(choice.work.work.flops, 2 * 64 * 2 * 24 * 48.0);
}

TEST(BlockSparseLayer, EachStepTurnsOneSwitch) {
  EXPECT_THAT(differences("hopper_sorted", "hopper_searched"), ElementsAre("choice"));
  EXPECT_THAT(differences("sorted", "hopper_sorted"), ElementsAre("core"));
}

}  // namespace
}  // namespace ablate::block_sparse_attention
