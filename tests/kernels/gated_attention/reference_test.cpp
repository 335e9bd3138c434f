// The oracle of gated_attention: what must hold of the layer whatever its kernels.
#include "oracles/gated_attention/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "oracles/global_attention/generated_inputs.h"

namespace ablate::gated_attention {
namespace {

using global_attention::scores, global_attention::tensor;
using ::testing::Each;
using ::testing::ElementsAre;

checked_problem layer_of(std::int64_t tokens, int selected, scores what = scores::scene) {
  checked_problem p;
  p.tokens = tokens;
  p.heads = 2;
  p.selected = selected;
  p.what = what;
  return p;
}

/// A token with its block, of head 1.
struct solved_token {
  compression_attention::exact_row block;
  exact_token dense, selected;

  solved_token(const checked_problem& p, std::int64_t token) {
    const exact_head head = global_attention::reference_with_means(p.as_layer(), 1, {token});
    block = reference_block(p, head, 1, token / p.block);
    dense = head.dense.front();
    selected = reference_selection(p, 1, token, block.list);
  }
  double mass() const { return std::exp(selected.lse - dense.lse); }
};

double element(const checked_problem& p, tensor of, std::int64_t token, int d) {
  return window_attention::float_of_bf16(generated_bits(p.as_layer(), of, 1, token, d));
}

TEST(GatedAttention, OfAllBlocksSelectsAsDenseAttentionDoes) {
  for (const std::int64_t tokens : {256, 512}) {
    const solved_token of(layer_of(tokens, 32), 77);
    EXPECT_NEAR(of.mass(), 1, 1e-12);
    for (std::size_t d = 0; d < width; ++d) EXPECT_NEAR(of.selected.out[d], of.dense.out[d], 1e-12);
    const auto places = std::ranges::count(of.block.list, -1);
    EXPECT_EQ(places, 32 - tokens / 16);
  }
}

TEST(GatedAttention, TheOrderOfAListLeavesItsOutputs) {
  const checked_problem p = layer_of(1008, 8);
  solved_token of(p, 500);
  std::ranges::reverse(of.block.list);
  const exact_token reversed = reference_selection(p, 1, 500, of.block.list);
  EXPECT_NEAR(reversed.lse, of.selected.lse, 1e-12);
  for (std::size_t d = 0; d < width; ++d) EXPECT_NEAR(reversed.out[d], of.selected.out[d], 1e-12);
}

TEST(GatedAttention, EqualKeysSelectTheFirstBlocksAndTheMeanOfTheirValues) {
  const checked_problem p = layer_of(1008, 4, scores::equal);
  const solved_token of(p, 700);
  EXPECT_THAT(of.block.list, ElementsAre(0, 1, 2, 3));
  for (int d = 0; d < width; ++d) {
    double mean = 0;
    for (std::int64_t token = 0; token < 64; ++token) mean += element(p, tensor::v, token, d) / 64;
    EXPECT_NEAR(of.selected.out[static_cast<std::size_t>(d)], mean, 1e-12);
  }
}

TEST(GatedAttention, AscendingScoresSelectTheLastBlocks) {
  for (const int block : {16, 32}) {
    checked_problem p = layer_of(2016, 4, scores::ascending);
    p.block = block;
    const auto last = static_cast<std::int32_t>(p.blocks());
    EXPECT_THAT(solved_token(p, 3).block.list, ElementsAre(last - 4, last - 3, last - 2, last - 1));
  }
}

TEST(GatedAttention, ListsNameBlocksOnceEachInAscendingOrder) {
  for (const scores what : {scores::scene, scores::unit, scores::integers})
    for (const int selected : {1, 8, 32, 64}) {
      const checked_problem p = layer_of(800, selected, what);
      const std::vector<std::int32_t> list = solved_token(p, 123).block.list;
      std::set<std::int32_t> distinct(list.begin(), list.end());
      distinct.erase(-1);
      EXPECT_EQ(distinct.size(), std::min<std::size_t>(static_cast<std::size_t>(selected), 50));
      EXPECT_TRUE(std::is_sorted(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(distinct.size())));
      EXPECT_LT(*distinct.rbegin(), 50);
    }
}

TEST(GatedAttention, MoreBlocksNeverKeepLessOfTheAttention) {
  for (const std::int64_t token : {0, 333, 2015}) {
    double before = 0;
    for (const int selected : {1, 4, 8, 16, 32, 64}) {
      const double mass = solved_token(layer_of(2016, selected), token).mass();
      EXPECT_GE(mass, before);
      EXPECT_LT(mass, 1);
      before = mass;
    }
  }
}

TEST(GatedAttention, GatesOfOneAndZeroLeaveOneOfBoth) {
  const solved_token of(layer_of(1008, 8), 400);
  EXPECT_EQ(gated(of.block, of.selected, 1, 0).out, of.block.out);
  EXPECT_EQ(gated(of.block, of.selected, 0, 1).out, of.selected.out);
  const exact_token both = gated(of.block, of.selected, 0.25, 0.5);
  EXPECT_EQ(both.lse, of.selected.lse);
  EXPECT_DOUBLE_EQ(both.out[9], 0.25 * of.block.out[9] + 0.5 * of.selected.out[9]);
}

checked_problem layer_by(first_frame rule, std::int64_t tokens = 3024) {
  checked_problem p = layer_of(tokens, 8);
  p.first_frame = rule;
  return p;
}

TEST(GatedAttention, AForcedFirstFrameIsInNoListAndAlwaysAttendedTo) {
  const checked_problem p = layer_by(first_frame::forced);
  for (const std::int64_t token : {0, 1007, 1008, 3023}) {
    const solved_token of(p, token);
    EXPECT_GE(*std::ranges::min_element(of.block.list), 63) << token;
    // What the list leaves out does not matter where it names all others.
    std::vector<std::int32_t> others(126);
    std::iota(others.begin(), others.end(), 63);
    const exact_token all = reference_selection(p, 1, token, others);
    EXPECT_NEAR(all.lse, of.dense.lse, 1e-12);
    for (std::size_t d = 0; d < width; ++d) EXPECT_NEAR(all.out[d], of.dense.out[d], 1e-12);
    EXPECT_GT(of.mass(), std::exp(reference_selection(p, 1, token, {}).lse - of.dense.lse));
  }
  // A list that names the first frame all the same attends to it once.
  const exact_token once = reference_selection(p, 1, 2000, {3, 100}),
                    none = reference_selection(p, 1, 2000, {100});
  EXPECT_EQ(once.lse, none.lse);
}

TEST(GatedAttention, AMaskedFirstFrameIsListedAndHasNoWeight) {
  const checked_problem masked = layer_by(first_frame::masked), competes = layer_by(first_frame::competes);
  const solved_token of(masked, 40), as_any(competes, 40);
  EXPECT_EQ(of.block.list, as_any.block.list);
  EXPECT_LT(of.block.list.front(), 63);
  std::vector<std::int32_t> others = of.block.list;
  std::erase_if(others, [](std::int32_t block) { return block < 63; });
  const exact_token rest = reference_selection(competes, 1, 40, others);
  EXPECT_EQ(of.selected.lse, rest.lse);
  EXPECT_EQ(of.selected.out, rest.out);
}

TEST(GatedAttention, ADenseFirstFrameIsThatOfItsBlocks) {
  checked_problem p = layer_by(first_frame::dense, 2016);
  EXPECT_TRUE(p.attends_to_all(1007));
  EXPECT_FALSE(p.attends_to_all(1008));
  p.block = 32;  // 31.5 of them
  EXPECT_TRUE(p.attends_to_all(1023));
  EXPECT_FALSE(p.attends_to_all(1024));
  p.first_frame = first_frame::forced;
  EXPECT_FALSE(p.attends_to_all(0));
}

checked_problem with_special_tokens(std::int64_t images, first_frame rule = first_frame::competes) {
  checked_problem p = layer_of(images * 1041, 8);
  p.geometry = token_geometry::vggt;
  p.first_frame = rule;
  return p;
}

TEST(GatedAttention, AllBlocksAndTheSpecialTokensAreAllTokens) {
  const checked_problem p = with_special_tokens(2);
  std::vector<std::int32_t> all(140);
  std::iota(all.begin(), all.end(), 0);
  for (const std::int64_t token : {0, 1007, 1008, 1035, 1036, 2071}) {
    const exact_head head = global_attention::reference_with_means(p.as_layer(), 1, {token});
    EXPECT_EQ(head.pooled_keys.size(), 140u);
    const exact_token selected = reference_selection(p, 1, token, all);
    EXPECT_NEAR(selected.lse, head.dense.front().lse, 1e-12) << token;
    for (std::size_t d = 0; d < width; ++d) EXPECT_NEAR(selected.out[d], head.dense.front().out[d], 1e-12);
    EXPECT_FALSE(p.attends_to_all(token));
  }
  for (std::int64_t token = 2072; token < 2082; ++token) EXPECT_TRUE(p.attends_to_all(token)) << token;
  EXPECT_TRUE(with_special_tokens(2, first_frame::dense).attends_to_all(1035));
  EXPECT_FALSE(with_special_tokens(2, first_frame::dense).attends_to_all(1036));
}

TEST(GatedAttention, SpecialKeysAreAttendedToBesideForcedOnesAndTheList) {
  const checked_problem p = with_special_tokens(3, first_frame::forced);
  const std::vector<std::int32_t> list = solved_token(p, 2000).block.list;
  EXPECT_GE(*std::ranges::min_element(list), 70);
  checked_problem competes = p;
  competes.first_frame = first_frame::competes;
  std::vector<std::int32_t> both(70);
  std::iota(both.begin(), both.end(), 0);
  both.insert(both.end(), list.begin(), list.end());
  EXPECT_NEAR(reference_selection(p, 1, 2000, list).lse, reference_selection(competes, 1, 2000, both).lse,
              1e-12);
  EXPECT_GT(reference_selection(competes, 1, 2000, {}).lse, -std::numeric_limits<double>::infinity());
}

TEST(GatedAttention, WithoutAListIsZeroAndMinusInfinity) {
  const exact_token none = reference_selection(layer_of(160, 2), 0, 5, {-1, 10});
  EXPECT_EQ(none.lse, -std::numeric_limits<double>::infinity());
  EXPECT_THAT(none.out, Each(0.0));
}

/// Entries of so many neighboring lists, over the blocks in them.
double sharing(const checked_problem& p, const exact_head& head, std::int64_t first, std::int64_t lists) {
  std::set<std::int32_t> blocks;
  for (std::int64_t i = first; i < first + lists; ++i)
    for (const std::int32_t block : reference_block(p, head, 1, i).list) blocks.insert(block);
  return static_cast<double>(lists * p.selected) / static_cast<double>(blocks.size());
}

TEST(Scene, NeighborsSelectTheSameBlocksAboutTwice) {
  const checked_problem p = layer_of(32 * 1008, 32);
  const exact_head head = global_attention::reference_with_means(p.as_layer(), 1, {});
  double shared = 0;
  for (const std::int64_t image : {4, 12, 16, 20, 28}) shared += sharing(p, head, image * 63 + 24, 8) / 5;
  EXPECT_NEAR(shared, 2, 0.3);
  checked_problem unit = p;
  unit.what = scores::unit;
  EXPECT_LT(sharing(unit, global_attention::reference_with_means(unit.as_layer(), 1, {}), 500, 8), 1.2);
}

}  // namespace
}  // namespace ablate::gated_attention
