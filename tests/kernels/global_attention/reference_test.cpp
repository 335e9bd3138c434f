// What the oracles of layers of global attention begin at: attention among all tokens, means of blocks, and
// the scene that inputs show.
#include "oracles/global_attention/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "oracles/global_attention/generated_inputs.h"

namespace ablate::global_attention {
namespace {

checked_layer layer_of(std::int64_t tokens, scores what = scores::scene) {
  checked_layer p;
  p.tokens = tokens;
  p.heads = 2;
  p.what = what;
  return p;
}

double element(const checked_layer& p, tensor of, std::int64_t token, int d) {
  return window_attention::float_of_bf16(generated_bits(p, of, 1, token, d));
}

TEST(GlobalAttention, OfAllTokensItsOracleIsSoftmax) {
  const checked_layer p = layer_of(80);
  constexpr std::int64_t token = 41;
  std::vector<double> out(width);
  double sum = 0;
  for (std::int64_t key = 0; key < p.tokens; ++key) {
    double score = 0;
    for (int d = 0; d < width; ++d) score += element(p, tensor::q, token, d) * element(p, tensor::k, key, d);
    sum += std::exp(score / 8);
    for (int d = 0; d < width; ++d)
      out[static_cast<std::size_t>(d)] += std::exp(score / 8) * element(p, tensor::v, key, d);
  }
  const exact_token dense = reference_among_all(p, 1, {token}).front();
  EXPECT_NEAR(dense.lse, std::log(sum), 1e-12);
  for (std::size_t d = 0; d < width; ++d) EXPECT_NEAR(dense.out[d], out[d] / sum, 1e-12);
}

TEST(GlobalAttention, ACutBlockIsPooledOfItsFourTokens) {
  checked_layer p = layer_of(1041);
  p.geometry = token_geometry::vggt;
  const exact_head head = reference_with_means(p, 1, {});
  for (const std::int64_t block : {62, 63, 69}) {
    const token_span span = p.layout().span(block);
    for (int d = 0; d < width; ++d) {
      double mean = 0;
      for (int i = 0; i < span.count; ++i) mean += element(p, tensor::k, span.first + i, d) / span.count;
      EXPECT_NEAR(head.pooled_keys[static_cast<std::size_t>(block)][static_cast<std::size_t>(d)], mean,
                  std::abs(mean) / 200 + 1e-6)
          << block;
    }
  }
}

TEST(GlobalAttention, PooledScoresOfIntegersAreExactInFp32AndHaveTies) {
  const checked_layer p = layer_of(1008, scores::integers);
  const exact_head head = reference_with_means(p, 1, {});
  std::set<double> distinct;
  for (const row_values& key : head.pooled_keys) {
    const double score = std::inner_product(key.begin(), key.end(), head.pooled_keys[7].begin(), 0.0);
    EXPECT_EQ(score, std::round(score * 256) / 256);
    distinct.insert(std::round(score * 256));
  }
  EXPECT_EQ(head.pooled_values.size(), 63u);
}

TEST(Scene, TokensMatchWhereImagesSeeOnePlace) {
  const checked_layer p = layer_of(8 * 1008);
  const auto score = [&](std::int64_t query, std::int64_t key) {
    double sum = 0;
    for (int d = 0; d < width; ++d) sum += element(p, tensor::q, query, d) * element(p, tensor::k, key, d);
    return sum / 8;
  };
  double same = 0, in_block = 0, other = 0;
  for (std::int64_t i = 0; i < 640; ++i) {
    // The next image sees what this one does, 5 blocks earlier.
    const std::int64_t query = 2 * 1008 + 80 + i;
    same += score(query, 3 * 1008 + i) / 640;
    in_block += score(query, 3 * 1008 + (i ^ 5)) / 640;
    other += score(query, 7 * 1008 + 900 - i) / 640;
  }
  EXPECT_NEAR(same, 8 * 0.64, 0.4);
  EXPECT_NEAR(in_block, 8 * 0.48, 0.4);
  EXPECT_LT(std::abs(other), 1);
}

TEST(Scene, ElementsHaveUnitDeviation) {
  const checked_layer p = layer_of(1008);
  for (const tensor of : {tensor::q, tensor::k, tensor::v}) {
    double squared = 0;
    for (std::int64_t token = 0; token < p.tokens; ++token)
      for (int d = 0; d < width; ++d) squared += element(p, of, token, d) * element(p, of, token, d);
    EXPECT_NEAR(squared / (1008.0 * width), 1, 0.05);
  }
}

}  // namespace
}  // namespace ablate::global_attention
