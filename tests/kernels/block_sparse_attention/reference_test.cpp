// The oracle of Block-Sparse attention: what must hold of it whatever its kernels.
#include "oracles/block_sparse_attention/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "oracles/global_attention/generated_inputs.h"

namespace ablate::block_sparse_attention {
namespace {

using global_attention::tensor;

checked_problem blocks_of(std::int64_t images, token_geometry geometry) {
  checked_problem p;
  p.geometry = geometry;
  p.tokens = images *
             (geometry == token_geometry::vggt ? block_layout::tokens_of_vggt : block_layout::tokens_of_s3r);
  p.heads = 2;
  return p;
}

TEST(BlockSparseOracle, AllBitsAreDenseAttentionAndNoneAreSpecialTokensAlone) {
  const checked_problem p = blocks_of(2, token_geometry::vggt);
  const std::vector<std::int64_t> tokens = {0, 63, 64, 2071, 2072, 2081};
  const std::vector<std::uint32_t> all(2, ~0u), none(2, 0);
  const auto dense = global_attention::reference_among_all(p.as_layer(), 1, tokens);
  const auto kept = reference_kept(p, 1, tokens, std::vector(tokens.size(), all.data())),
             left = reference_kept(p, 1, tokens, std::vector(tokens.size(), none.data()));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_NEAR(kept[i].lse, dense[i].lse, 1e-12) << tokens[i];
    for (std::size_t d = 0; d < width; ++d) EXPECT_NEAR(kept[i].out[d], dense[i].out[d], 1e-12) << tokens[i];
    // Special tokens attend to all whatever the bits; others, without one, to the ten special ones.
    if (tokens[i] >= 2072)
      EXPECT_EQ(left[i].lse, dense[i].lse);
    else
      EXPECT_LT(left[i].lse, dense[i].lse - 2);
  }
}

TEST(BlockSparseOracle, ABitIsABlockOf64Keys) {
  checked_problem p = blocks_of(1, token_geometry::s3r);
  // Halves of the keys, by bits, are the whole: sums of exponentials add up.
  const std::uint32_t even = 0x5555, odd = 0xaaaa, last = 0x8000, others = 0x7fff;
  for (const auto& [one, other] : {std::pair{&even, &odd}, {&last, &others}}) {
    const double dense = global_attention::reference_among_all(p.as_layer(), 0, {500}).front().lse,
                 of_one = reference_kept(p, 0, {500}, {one}).front().lse,
                 of_other = reference_kept(p, 0, {500}, {other}).front().lse;
    EXPECT_NEAR(std::exp(of_one) + std::exp(of_other), std::exp(dense), 1e-9 * std::exp(dense));
    EXPECT_GT(std::abs(of_one - dense), 1e-3);
  }
}

TEST(BlockSparseOracle, TheLastMeanIsOfTheTokensThatAreThere) {
  // 1008 tokens: the last of 16 key blocks has 48; the last of 8 query blocks 112.
  const checked_problem p = blocks_of(1, token_geometry::s3r);
  const auto keys = reference_key_means(p, 1);
  ASSERT_EQ(keys.size(), 16u);
  const row_values query = reference_query_mean(p, 1, 7);
  double of_keys = 0, of_queries = 0;
  for (std::int64_t token = 896; token < 1008; ++token) {
    of_queries += window_attention::float_of_bf16(generated_bits(p.as_layer(), tensor::q, 1, token, 9)) / 112;
    if (token >= 960)
      of_keys += window_attention::float_of_bf16(generated_bits(p.as_layer(), tensor::k, 1, token, 9)) / 48;
  }
  EXPECT_NEAR(keys.back()[9], of_keys, std::abs(of_keys) / 200);
  EXPECT_NEAR(query[9], of_queries, std::abs(of_queries) / 200);
}

TEST(BlockSparseOracle, SpecialTokensAreInNoBlock) {
  const checked_problem p = blocks_of(3, token_geometry::vggt);
  EXPECT_EQ(choice_of(p).keys, 49);  // 3108 patches
  EXPECT_EQ(choice_of(p).queries, 25);
  EXPECT_EQ(kept_of(p).attending_rows(), 3108);
  EXPECT_EQ(checked_kept_of(p).attending_rows(), 3123);
}

TEST(BlockSparseOracle, AnotherOrderOfPatchesMovesTokensAndNothingElse) {
  checked_problem p = blocks_of(2, token_geometry::vggt);
  p.order = patch_order::hilbert;
  const token_order order(p.layout(), p.order);
  const std::vector<std::int64_t> places = {0, 100, 2071, 2075};
  const std::vector<std::uint32_t> all(2, ~0u), some(2, 0x33333333u);
  std::vector<std::int64_t> tokens;
  for (const std::int64_t place : places) tokens.push_back(order.token_at(place));
  const auto dense = global_attention::reference_among_all(p.as_layer(), 1, tokens);
  const auto kept = reference_kept(p, 1, places, std::vector(places.size(), all.data())),
             left = reference_kept(p, 1, places, std::vector(places.size(), some.data()));
  checked_problem natural = p;
  natural.order = patch_order::natural;
  const auto other = reference_kept(natural, 1, tokens, std::vector(places.size(), some.data()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_NEAR(kept[i].lse, dense[i].lse, 1e-12);
    // A special token, the last one, attends to all whatever the bits.
    EXPECT_EQ(std::abs(left[i].lse - other[i].lse) > 1e-4, i + 1 < places.size()) << places[i];
  }
  // A mean is of the tokens that the curve puts together.
  double mean = 0;
  for (std::int64_t place = 64; place < 128; ++place)
    mean += window_attention::float_of_bf16(
                generated_bits(p.as_layer(), tensor::k, 1, order.token_at(place), 9)) /
            64;
  EXPECT_NEAR(reference_key_means(p, 1)[1][9], mean, std::abs(mean) / 200);
}

TEST(BlockSparseOracle, NumbersOfInt8AreNearToWhatTheyStandFor) {
  checked_problem p = blocks_of(2, token_geometry::vggt);
  const std::vector<std::int64_t> places = {0, 500, 2071, 2081};
  const std::vector<std::uint32_t> some(2, 0x5a5a5a5au);
  const std::vector<const std::uint32_t*> bits(places.size(), some.data());
  const auto exact = reference_kept(p, 0, places, bits);
  p.multiplies_int8 = true;
  const auto rounded = reference_kept(p, 0, places, bits);
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_NEAR(rounded[i].lse, exact[i].lse, 0.05) << places[i];
    double off = 0;
    for (std::size_t d = 0; d < width; ++d) off += std::abs(rounded[i].out[d] - exact[i].out[d]);
    // A special token's query is no number of int8.
    if (places[i] >= 2072)
      EXPECT_EQ(off, 0);
    else
      EXPECT_GT(off, 0);
  }
}

TEST(Int8Rows, NumbersAreTheNearestOfTheirScale) {
  using compression_attention::int8_number;
  EXPECT_EQ(int8_number(3, 3), 127);
  EXPECT_EQ(int8_number(-3, 3), -127);
  EXPECT_EQ(int8_number(5, 3), 127);
  EXPECT_EQ(int8_number(1.5f / 127, 1), 2);
  EXPECT_EQ(int8_number(1, 0), 0);
  EXPECT_FLOAT_EQ(compression_attention::int8_scale(254), 2);
  // Boxes of 130 rows in blocks, of 300: 64, 64 and 2; 64, 64 and 42 after them.
  const compression_attention::kept_blocks blocks{nullptr, nullptr, 130};
  EXPECT_EQ(blocks.boxes(300), 6);
  EXPECT_EQ(blocks.box_of(129), 2);
  EXPECT_EQ(blocks.box_of(130), 3);
  EXPECT_EQ(blocks.first_of_box(4), 194);
}

TEST(KeptBlocks, WhatStandsBehindTheBlocksAttendsAndIsAttendedTo) {
  // 200 rows in blocks: 2 query blocks, 4 key blocks, the last of 8 rows; two heads.
  const std::vector<std::uint32_t> bits = {0b0001, 0b1000, 0b0110, 0b0000};
  const compression_attention::kept_blocks kept{bits.data(), nullptr, 200};
  EXPECT_TRUE(kept.attends(0, 127, 63));
  EXPECT_FALSE(kept.attends(0, 127, 64));
  EXPECT_TRUE(kept.attends(0, 128, 199));
  EXPECT_FALSE(kept.attends(0, 199, 191));
  EXPECT_TRUE(kept.attends(1, 0, 64));
  EXPECT_FALSE(kept.attends(1, 128, 0));
  EXPECT_TRUE(kept.attends(1, 128, 200));
  EXPECT_TRUE(kept.attends(1, 200, 0));
  EXPECT_TRUE(compression_attention::kept_blocks{}.attends(0, 5, 9));
}

}  // namespace
}  // namespace ablate::block_sparse_attention
