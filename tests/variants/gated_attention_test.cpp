// The operation gated_attention on the host: what it refuses, the check, the work and the figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/gated_attention/gated_attention.h"
#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/checked_compression_attention.h"
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

const axis_values small = {{"images", "2"}, {"heads", "2"}};
const axis_values small_dense = {{"images", "1"}, {"heads", "2"}, {"method", "dense"}};

TEST(GatedAttentionLayer, RefusesWhatIsNoCase) {
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({{"selected", "8"}, {"block", "128"}}), "");
  EXPECT_EQ(refused({{"method", "dense"}, {"rows", "one_in_32"}}), "");
  EXPECT_THAT(refused({{"images", "3"}, {"block", "32"}}), HasSubstr("not whole blocks of 32"));
  EXPECT_EQ(refused({{"selected", "64"}}), "");
  EXPECT_THAT(refused({{"rows", "one_in_32"}}), HasSubstr("always of all rows"));
  EXPECT_THAT(refused({{"method", "dense"}, {"lists", "given"}}), HasSubstr("no lists"));
  EXPECT_EQ(refused({{"first_frame", "masked"}, {"lists", "given"}}), "");
  EXPECT_THAT(refused({{"method", "dense"}, {"first_frame", "forced"}}), HasSubstr("is all tokens"));
}

TEST(GatedAttentionLayer, ItsReferencePassesItsCheck) {
  for (const char* scores : {"scene", "unit", "integers", "ascending", "equal"})
    for (const char* block : {"16", "32"}) {
      const solved_workload solved(layer(),
                                   {{"images", "2"}, {"heads", "2"}, {"block", block}, {"scores", scores}});
      EXPECT_TRUE(solved.check().ok) << scores << " " << block << ": " << solved.check().message;
    }
  for (const char* rows : {"all", "one_in_32"}) {
    const solved_workload dense(layer(),
                                {{"images", "4"}, {"heads", "2"}, {"method", "dense"}, {"rows", rows}});
    EXPECT_TRUE(dense.check().ok) << rows << ": " << dense.check().message;
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
  const solved_workload dense(layer(),
                              {{"images", "3"}, {"heads", "2"}, {"method", "dense"}, {"geometry", "vggt"}});
  EXPECT_TRUE(dense.check().ok) << dense.check().message;
  EXPECT_EQ(dense.work.input.at("attending_rows"), 2 * 3 * 1041);
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

TEST(GatedAttentionLayer, TheCheckOfDenseAttentionFindsOneElement) {
  solved_workload solved(layer(), small_dense);
  solved.output<float>("sampled_out")[3 * 64 + 5] += 0.5f;
  EXPECT_THAT(solved.check().message, HasSubstr("against fp64"));
  solved_workload uncompared(layer(), small_dense);
  uncompared.output<findings>("found")[0].compression.of.out.rows -= 1;
  EXPECT_THAT(uncompared.check().message, HasSubstr("were compared"));
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

TEST(GatedAttentionLayer, PlacesOfAComparedPartAreThoseOfAllRows) {
  solved_workload solved(layer(),
                         {{"images", "64"}, {"heads", "1"}, {"method", "dense"}, {"rows", "one_in_32"}});
  const checked_problem p = [] {
    checked_problem of;
    of.tokens = 64512;
    of.method = method::dense;
    of.queries = 2048;
    of.first_query = 31232;
    return of;
  }();
  EXPECT_EQ(checked_dense_of(p).compared_stride(), 1);
  findings& found = solved.output<findings>("found")[0];
  EXPECT_EQ(found.compression.of.out.rows, 2048u);
  found.compression.of.out.worst = {0.5f, 0, 100, 0, 7, 1, 2};
  EXPECT_THAT(solved.check().message, HasSubstr("row 31332, head 0"));
}

TEST(GatedAttentionLayer, CountsTheWorkOfEachMethod) {
  const solved_workload sparse(layer(),
                               {{"images", "4"}, {"heads", "3"}, {"block", "32"}, {"selected", "8"}});
  const double tokens = 4032, blocks = 126;
  EXPECT_EQ(sparse.work.work.flops, 4 * 64 * 3 * (blocks * blocks + blocks * 8 * 32 * 32));
  EXPECT_EQ(sparse.work.work.bytes, 3 * tokens * (4 * 2 * 64 + 4 + 8));
  const solved_workload dense(layer(), {{"images", "4"}, {"heads", "3"}, {"method", "dense"}});
  EXPECT_EQ(dense.work.work.flops, 4 * 64 * 3 * tokens * tokens);
  EXPECT_EQ(dense.work.input.at("attending_rows"), 3 * 4032);
  const solved_workload part(layer(),
                             {{"images", "4"}, {"heads", "3"}, {"method", "dense"}, {"rows", "one_in_32"}});
  EXPECT_EQ(part.work.input.at("attending_rows"), 3 * 128);
  EXPECT_EQ(part.work.work.flops, 4 * 64 * 3 * tokens * 128);
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

const axis_values kept_blocks = {{"images", "3"}, {"heads", "2"}, {"method", "block_sparse"}};

TEST(BlockSparseLayer, RefusesWhatIsNoCase) {
  const axis_values method = {{"method", "block_sparse"}};
  EXPECT_EQ(refused(method), "");
  EXPECT_EQ(refused(with(method, {{"mass", "50"}, {"kept", "20"}, {"lists", "given"}})), "");
  EXPECT_EQ(refused(with(method, {{"geometry", "vggt"}, {"images", "1024"}})), "");
  EXPECT_THAT(refused(with(method, {{"images", "1500"}})), HasSubstr("23625 key blocks, expected at most"));
  EXPECT_THAT(refused(with(method, {{"rows", "one_in_32"}})), HasSubstr("always of all rows"));
  EXPECT_THAT(refused(with(method, {{"first_frame", "forced"}})), HasSubstr("no rule of its own"));
  EXPECT_THAT(refused({{"mass", "50"}}), HasSubstr("mass=50: of the method block_sparse alone"));
  EXPECT_THAT(refused({{"method", "dense"}, {"kept", "20"}}), HasSubstr("kept=20: of the method"));
}

TEST(BlockSparseLayer, ItsReferencePassesItsCheck) {
  for (const char* scores : {"scene", "unit", "integers", "ascending", "equal"})
    for (const char* geometry : {"s3r", "vggt"})
      for (const char* kept : {"0", "50", "100"}) {
        const solved_workload solved(
            layer(), with(kept_blocks, {{"scores", scores}, {"geometry", geometry}, {"kept", kept}}));
        EXPECT_TRUE(solved.check().ok)
            << scores << " " << geometry << " " << kept << ": " << solved.check().message;
      }
}

TEST(BlockSparseLayer, OfAllBlocksItIsDenseAttention) {
  for (const char* geometry : {"s3r", "vggt"}) {
    const solved_workload all(layer(), with(kept_blocks, {{"kept", "100"}, {"geometry", geometry}}));
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
  const solved_workload half(layer(), with(kept_blocks, {{"mass", "0"}, {"kept", "50"}}));
  EXPECT_EQ(half.work.input.at("query_blocks"), 24);
  EXPECT_EQ(half.work.input.at("key_blocks"), 48);
  EXPECT_DOUBLE_EQ(half.quality().at("sparsity_blocks"), 0.5);
  EXPECT_DOUBLE_EQ(half.quality().at("sparsity_flops"), 0.5 - 24.0 * 48 / (2 * 3024.0 * 3024));
  EXPECT_DOUBLE_EQ(half.work.work.flops, 2 * 64 * 2 * (24.0 * 48 + 3024.0 * 3024));
  const solved_workload given(layer(),
                              with(kept_blocks, {{"mass", "0"}, {"kept", "50"}, {"lists", "given"}}));
  EXPECT_DOUBLE_EQ(given.work.work.flops, 2 * 64 * 2 * 3024.0 * 3024);
  const solved_workload few(layer(), with(kept_blocks, {{"mass", "0"}, {"kept", "10"}}));
  EXPECT_LT(few.quality().at("attention_mass_kept"), half.quality().at("attention_mass_kept"));
  EXPECT_LT(half.quality().at("attention_mass_kept"), 1);
  // What special tokens attend to, and what all attend to of them, is kept whatever the bits.
  const solved_workload special(layer(),
                                with(kept_blocks, {{"mass", "0"}, {"kept", "50"}, {"geometry", "vggt"}}));
  const double kept = 1 - special.quality().at("sparsity_blocks").get<double>(), all = 3123, patches = 3108;
  EXPECT_DOUBLE_EQ(special.quality().at("sparsity_selection"),
                   1 - (patches * (patches * kept + 15) + 15 * all) / (all * all));
}

TEST(BlockSparseLayer, TheCheckFindsAFaultInEachPart) {
  const auto message = [](const axis_values& at, auto spoil) {
    return message_once_spoiled(layer(), at, spoil);
  };
  const auto with_findings = [&](auto spoil) {
    return message(kept_blocks, [&](solved_workload& of) { spoil(of.output<findings>("found")[0]); });
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
  EXPECT_THAT(with_findings([](findings& f) { f.compression.of.out.worst.error = NAN; }), HasSubstr("O: "));
  EXPECT_THAT(with_findings([](findings& f) { f.compression.of.lse.rows -= 1; }), HasSubstr("were compared"));
  const auto with_number = [&](const axis_values& at, const char* output, std::size_t place) {
    return message(at, [&](solved_workload& of) { of.output<float>(output)[place] += 0.5f; });
  };
  EXPECT_THAT(with_number(kept_blocks, "sampled_out", 15 * 64 + 63), HasSubstr("O, batch 0, row 3023"));
  EXPECT_THAT(with_number(kept_blocks, "sampled_lse", 0), HasSubstr("log-sum-exp, batch 0, row 0"));
  EXPECT_THAT(with_number(with(kept_blocks, {{"geometry", "vggt"}}), "sampled_out", 64 + 9),
              HasSubstr("O, batch 0, row 3122"));
}

TEST(BlockSparseLayer, BitsThatDifferAreWrongWhereScoresAreExactAndElsewhereTheirTokenMustFollow) {
  const auto swapped = [](const char* scores) {
    solved_workload solved(layer(), with(kept_blocks, {{"scores", scores}}));
    // Of the first sampled token's query block, all key blocks the other way around.
    solved.output<std::uint32_t>("sampled_kept")[0] ^= 0xffffffffu;
    return solved.check().message;
  };
  EXPECT_THAT(swapped("integers"), HasSubstr("query block 0, head"));
  EXPECT_THAT(swapped("scene"), HasSubstr("O, batch 0, row 0"));
}

TEST(BlockSparseLayer, HasAnOrderOfPatchesAndProductsOfItsOwn) {
  const axis_values method = {{"method", "block_sparse"}};
  EXPECT_EQ(refused(with(method, {{"order", "hilbert"}, {"products", "int8"}, {"scores", "plane"}})), "");
  EXPECT_EQ(refused(with(method, {{"order", "rows"}, {"geometry", "vggt"}, {"lists", "given"}})), "");
  EXPECT_THAT(refused({{"order", "hilbert"}}), HasSubstr("order=hilbert: of the method block_sparse alone"));
  EXPECT_THAT(refused({{"method", "merged"}, {"products", "int8"}}),
              HasSubstr("products=int8: of the method"));
  EXPECT_THAT(refused({{"method", "merged"}, {"scores", "plane"}}), HasSubstr("shows a scene alone"));
}

TEST(BlockSparseLayer, ItsReferencePassesItsCheckInEveryOrderAndByInt8) {
  for (const char* order : {"natural", "rows", "hilbert"})
    for (const char* products : {"bf16", "int8"})
      for (const char* geometry : {"s3r", "vggt"}) {
        const solved_workload solved(
            layer(),
            with(kept_blocks,
                 {{"scores", "plane"}, {"order", order}, {"products", products}, {"geometry", geometry}}));
        EXPECT_TRUE(solved.check().ok)
            << order << " " << products << " " << geometry << ": " << solved.check().message;
      }
  for (const char* scores : {"scene", "unit", "integers", "ascending", "equal"}) {
    const solved_workload solved(layer(), with(kept_blocks, {{"scores", scores}, {"products", "int8"}}));
    EXPECT_TRUE(solved.check().ok) << scores << ": " << solved.check().message;
  }
}

TEST(BlockSparseLayer, BlocksOfNeighborsKeepMoreOfAPlane) {
  const auto mass_in = [](const char* order) {
    const solved_workload solved(
        layer(),
        with(kept_blocks,
             {{"images", "16"}, {"scores", "plane"}, {"mass", "0"}, {"kept", "10"}, {"order", order}}));
    return solved.quality().at("attention_mass_kept").get<double>();
  };
  const double along_the_curve = mass_in("hilbert");
  EXPECT_GT(along_the_curve, mass_in("rows"));
  EXPECT_GT(along_the_curve, mass_in("natural"));
}

TEST(BlockSparseLayer, ProductsOfInt8CountAsHalfOfThoseOfBf16) {
  const auto flops = [](const axis_values& at) {
    return solved_workload(layer(), with(kept_blocks, at)).work.work.flops;
  };
  // Of two products of equal size, one is of int8.
  EXPECT_DOUBLE_EQ(flops({{"lists", "given"}, {"products", "int8"}}), 0.75 * flops({{"lists", "given"}}));
  EXPECT_EQ(flops({{"region", "ahead"}, {"products", "int8"}}), flops({{"region", "ahead"}}));
}

TEST(BlockSparseLayer, Int8IsNearToBf16) {
  const solved_workload solved(layer(), with(kept_blocks, {{"products", "int8"}}));
  const double distance = solved.quality().at("distance_from_bf16");
  EXPECT_GT(distance, 1e-5);
  EXPECT_LT(distance, 0.03);
  EXPECT_FALSE(solved_workload(layer(), kept_blocks).quality().contains("distance_from_bf16"));
}

TEST(BlockSparseLayer, TheCheckFindsAFaultInMovesAndInNumbers) {
  const axis_values at = with(kept_blocks, {{"order", "hilbert"}, {"products", "int8"}});
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

const axis_values pooled = {{"images", "3"}, {"heads", "2"}, {"method", "pooled_keys"}};

TEST(PooledKeysLayer, RefusesWhatIsNoCase) {
  const axis_values method = {{"method", "pooled_keys"}};
  EXPECT_EQ(refused(with(method, {{"block", "64"}, {"images", "4"}, {"scores", "plane"}})), "");
  EXPECT_EQ(refused(with(method, {{"geometry", "vggt"}, {"lists", "given"}})), "");
  EXPECT_EQ(refused(with(method, {{"region", "ahead"}})), "");
  EXPECT_THAT(refused(with(method, {{"first_frame", "forced"}})), HasSubstr("are as all others"));
  EXPECT_THAT(refused(with(method, {{"kept", "20"}})), HasSubstr("of the method block_sparse alone"));
}

TEST(PooledKeysLayer, ItsReferencePassesItsCheck) {
  for (const char* scores : {"scene", "plane", "unit", "integers", "ascending", "equal"})
    for (const char* geometry : {"s3r", "vggt"}) {
      const solved_workload solved(layer(), with(pooled, {{"scores", scores}, {"geometry", geometry}}));
      EXPECT_TRUE(solved.check().ok) << scores << " " << geometry << ": " << solved.check().message;
    }
}

TEST(PooledKeysLayer, TellsItsWork) {
  const solved_workload solved(layer(), pooled), special(layer(), with(pooled, {{"geometry", "vggt"}}));
  EXPECT_EQ(solved.work.input.at("rows_of_keys"), 189);
  EXPECT_EQ(special.work.input.at("rows_of_keys"), 3 * (70 + 5));
  EXPECT_DOUBLE_EQ(solved.quality().at("sparsity_flops"), 1 - 1.0 / 16);
  EXPECT_DOUBLE_EQ(solved.work.work.flops, 4 * 64 * 2 * 3024.0 * 189);
  EXPECT_GT(solved.quality().at("distance_from_dense"), 0.01);
  const solved_workload ahead(layer(), with(pooled, {{"region", "ahead"}}));
  EXPECT_DOUBLE_EQ(ahead.work.work.bytes, 2 * 2 * 128 * (3024.0 + 189));
}

TEST(PooledKeysLayer, TheCheckFindsAFaultInEachPart) {
  const axis_values at = with(pooled, {{"geometry", "vggt"}});
  const auto message = [&](auto spoil) { return message_once_spoiled(layer(), at, spoil); };
  const auto with_findings = [&](auto spoil) {
    return message([&](solved_workload& of) { spoil(of.output<findings>("found")[0]); });
  };
  EXPECT_THAT(with_findings([](findings& f) { f.means[0].judged -= 1; }),
              HasSubstr("means of k: 419 of 420"));
  EXPECT_THAT(with_findings([](findings& f) {
                f.means[3].wrong = 1;
                f.means[3].first_wrong = 15 + 4;
              }),
              HasSubstr("special tokens of v: 1 of 30 are wrong; the first, block 4, head 1"));
  EXPECT_THAT(with_findings([](findings& f) { f.compression.of.out.rows = 0; }), HasSubstr("were compared"));
  EXPECT_THAT(message([](solved_workload& of) { of.output<float>("sampled_out")[15 * 64 + 63] += 0.5f; }),
              HasSubstr("O, batch 0, row 3122"));
  EXPECT_THAT(message([](solved_workload& of) { of.output<float>("sampled_lse")[0] += 0.5f; }),
              HasSubstr("log-sum-exp, batch 0, row 0"));
}

const axis_values merged_tokens = {{"images", "3"}, {"heads", "2"}, {"method", "merged"}};

TEST(MergedLayer, RefusesWhatIsNoCase) {
  const axis_values method = {{"method", "merged"}};
  EXPECT_EQ(refused(method), "");
  EXPECT_EQ(refused(with(method, {{"protected", "once"}, {"lists", "given"}, {"geometry", "vggt"}})), "");
  EXPECT_THAT(refused(with(method, {{"images", "1"}})), HasSubstr("all tokens of the first image"));
  EXPECT_THAT(refused(with(method, {{"scores", "ascending"}})), HasSubstr("has no such order"));
  EXPECT_THAT(refused(with(method, {{"first_frame", "dense"}})), HasSubstr("are destinations"));
  EXPECT_THAT(refused(with(method, {{"mass", "50"}})), HasSubstr("of the method block_sparse alone"));
  EXPECT_THAT(refused({{"protected", "once"}}), HasSubstr("of the method merged alone"));
}

TEST(MergedLayer, ItsReferencePassesItsCheck) {
  for (const char* scores : {"scene", "unit", "integers", "equal"})
    for (const char* geometry : {"s3r", "vggt"})
      for (const char* twice : {"twice", "once"}) {
        const solved_workload solved(
            layer(), with(merged_tokens, {{"scores", scores}, {"geometry", geometry}, {"protected", twice}}));
        EXPECT_TRUE(solved.check().ok)
            << scores << " " << geometry << " " << twice << ": " << solved.check().message;
      }
}

TEST(MergedLayer, TellsWhatIsLeftAndItsWork) {
  const solved_workload solved(layer(), merged_tokens);
  // Of 3 images: the first, and of the others a patch of each of 14 x 18 cells; one token in ten, 302 of
  // them.
  EXPECT_EQ(solved.work.input.at("destinations"), 1008 + 2 * 252);
  EXPECT_EQ(solved.work.input.at("sources"), 2 * 756);
  EXPECT_EQ(solved.work.input.at("merged_rows"), 2 * (1512 + 302));
  EXPECT_EQ(solved.work.input.at("attending_rows"), 2 * 3024);
  EXPECT_DOUBLE_EQ(solved.quality().at("attending_share"), 1814.0 / 3024);
  EXPECT_DOUBLE_EQ(solved.quality().at("sparsity_flops"), 1 - 1814.0 * 1814 / (3024.0 * 3024) - 0.125);
  EXPECT_DOUBLE_EQ(solved.work.work.flops, 64 * 2 * (2 * 1512.0 * 1512 + 4 * 1814.0 * 1814));
  const solved_workload given(layer(), with(merged_tokens, {{"lists", "given"}}));
  EXPECT_DOUBLE_EQ(given.work.work.flops, 64 * 2 * 4 * 1814.0 * 1814);
  EXPECT_DOUBLE_EQ(solved.work.work.bytes - given.work.work.bytes, 2 * 3024 * 128);
}

TEST(MergedLayer, TheCheckFindsAFaultInEachStep) {
  const auto message = [](auto spoil) { return message_once_spoiled(layer(), merged_tokens, spoil); };
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
  EXPECT_THAT(with_findings([](findings& f) { f.compression.of.out.worst.error = NAN; }),
              HasSubstr("O of merged rows: "));
  EXPECT_THAT(with_findings([](findings& f) { f.compression.of.lse.rows = 0; }), HasSubstr("were compared"));
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
  const axis_values by_mean = with(merged_tokens, {{"metric", "mean_of_heads"}});
  EXPECT_EQ(refused(by_mean), "");
  EXPECT_THAT(refused({{"metric", "mean_of_heads"}}), HasSubstr("of the method merged alone"));
  for (const char* scores : {"scene", "unit", "integers", "equal"}) {
    const solved_workload solved(layer(), with(by_mean, {{"scores", scores}}));
    EXPECT_TRUE(solved.check().ok) << scores << ": " << solved.check().message;
  }
  solved_workload solved(layer(), by_mean);
  // A row of one head in the place of two.
  EXPECT_DOUBLE_EQ(solved.work.work.flops, 64 * (2 * 1512.0 * 1512 + 2 * 4 * 1814.0 * 1814));
  solved.output<findings>("found")[0].merging[0].wrong_metric_rows = 1;
  EXPECT_THAT(solved.check().message, HasSubstr("1 of 3024 rows that tokens are matched by are wrong"));
}

TEST(MergedLayer, OutputsHaveToFollowTheMatches) {
  // Sources of the first sampled row, which is destination 0, go elsewhere.
  solved_workload solved(layer(), merged_tokens);
  const auto best = solved.output<std::int32_t>("best");
  for (std::size_t source = 8; source + 8 < best.size(); ++source)
    if (best[source] == 0) best[source] = 1;
  EXPECT_THAT(solved.check().message, HasSubstr("O, batch 0, row 0"));
}

TEST(RegionAhead, IsOfMethodsThatHaveAnything) {
  EXPECT_EQ(refused({{"region", "ahead"}}), "");
  EXPECT_EQ(refused({{"region", "ahead"}, {"method", "merged"}}), "");
  EXPECT_THAT(refused({{"region", "ahead"}, {"method", "dense"}}), HasSubstr("nothing goes ahead"));
  EXPECT_THAT(refused({{"region", "ahead"}, {"method", "merged"}, {"lists", "given"}}),
              HasSubstr("is given"));
}

TEST(RegionAhead, IsJudgedAsFarAsItGoes) {
  const axis_values pooling = with(small, {{"region", "ahead"}}),
                    choice = with(kept_blocks, {{"region", "ahead"}, {"scores", "integers"}}),
                    merging = with(merged_tokens, {{"region", "ahead"}});
  for (const axis_values& at : {pooling, choice, merging}) {
    solved_workload solved(layer(), at);
    EXPECT_TRUE(solved.check().ok) << solved.check().message;
    // What attention would have left is of no account.
    solved.output<float>("sampled_out")[5] += 0.5f;
    solved.output<findings>("found")[0].compression.of.out.rows = 0;
    EXPECT_TRUE(solved.check().ok) << solved.check().message;
    EXPECT_GT(solved.work.work.bytes, 0);
    EXPECT_FALSE(solved.quality().contains("out_error_worst"));
  }
  const auto message = [](const axis_values& at, auto spoil) {
    solved_workload solved(layer(), at);
    spoil(solved.output<findings>("found")[0]);
    return solved.check().message;
  };
  EXPECT_THAT(message(pooling, [](findings& f) { f.pooled[2].worst.error = 1.5f; }), HasSubstr("pooled v"));
  EXPECT_THAT(message(choice, [](findings& f) { f.means[0].judged = 0; }), HasSubstr("means of q"));
  EXPECT_THAT(message(choice, [](findings& f) { f.kept.rows = 0; }), HasSubstr("were judged"));
  EXPECT_THAT(message(merging, [](findings& f) { f.merging[1].judged = 0; }), HasSubstr("merged rows"));
  solved_workload swapped(layer(), choice);
  swapped.output<std::uint32_t>("sampled_kept")[0] ^= 0xffffffffu;
  EXPECT_THAT(swapped.check().message, HasSubstr("query block 0"));
  EXPECT_TRUE(solved_workload(layer(), choice).quality().contains("sparsity_blocks"));
}

TEST(RegionAhead, CountsWhatItHasToMove) {
  const solved_workload pooling(layer(), with(small, {{"region", "ahead"}}));
  EXPECT_EQ(pooling.work.work.bytes, 2 * 3 * 128 * (2016 + 126.0));
  EXPECT_EQ(pooling.work.work.flops, 0);
  const solved_workload choice(layer(), with(kept_blocks, {{"region", "ahead"}}));
  EXPECT_EQ(choice.work.work.bytes, 2 * (2 * 128 * 3024.0 + 24 * 4 * 3));
  EXPECT_EQ(choice.work.work.flops, 2 * 64 * 2 * 24 * 48.0);
  const solved_workload merging(layer(), with(merged_tokens, {{"region", "ahead"}}));
  EXPECT_EQ(merging.work.work.bytes, 2 * 128 * (4 * 3024.0 + 3 * 1814));
  EXPECT_EQ(merging.work.work.flops, 2 * 64 * 2 * 1512.0 * 1512);
}

std::vector<std::string> differences(const char* one, const char* other) {
  return differing_switches(layer(), one, other);
}

TEST(GatedAttentionLayer, EachStepTurnsOneSwitch) {
  EXPECT_THAT(differences("published", "threshold_staged"), ElementsAre("choice"));
  EXPECT_THAT(differences("threshold", "threshold_gate_apart"), ElementsAre("gate"));
  EXPECT_THAT(differences("threshold", "two_pass"), ElementsAre("choice"));
  EXPECT_THAT(differences("threshold", "given_lists"), ElementsAre("choice"));
  EXPECT_THAT(differences("hopper_dependent", "hopper"), ElementsAre("launch"));
  EXPECT_THAT(differences("hopper_by_heads", "hopper"), ElementsAre("branches", "heads_a_turn"));
  EXPECT_THAT(differences("hopper_side_by_side", "hopper_by_heads"), ElementsAre("branches"));
  EXPECT_THAT(differences("hopper_skipping", "hopper"), ElementsAre("search"));
  EXPECT_THAT(differences("hopper", "hopper_union"), ElementsAre("selection", "warps"));
  EXPECT_THAT(differences("hopper_block_sparse_sorted", "hopper_block_sparse"), ElementsAre("choice"));
  EXPECT_THAT(differences("merged_published", "merged"), ElementsAre("sums", "passes"));
  EXPECT_THAT(differences("merged", "hopper_merged"), ElementsAre("core"));
  EXPECT_THAT(differences("hopper_merged_matches", "hopper_merged"), ElementsAre("matches"));
  EXPECT_THAT(differences("pooled_keys", "hopper_pooled_keys"), ElementsAre("core"));
  EXPECT_THAT(differences("block_sparse_sorted", "hopper_block_sparse_sorted"), ElementsAre("core"));
  EXPECT_THAT(differences("threshold", "threshold_separate_pooling"),
              ElementsAre("pooling", "loads_in_flight"));
}

}  // namespace
}  // namespace ablate::gated_attention
