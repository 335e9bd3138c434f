// The operation selection_attention on the host: lists, the oracle, and the check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "kernels/selection_attention/bitmap_pieces.h"
#include "oracles/selection_attention/reference.h"
#include "tests/support/axis_values.h"
#include "tests/support/differing_switches.h"
#include "tests/support/solved_workload.h"

namespace ablate::selection_attention {
namespace {

using test_support::differing_switches;
using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& selection() { return *find_operation("selection_attention"); }

std::vector<std::int32_t> list_of(const generated_lists& lists, std::int64_t head, std::int64_t query_block) {
  std::vector<std::int32_t> entries;
  for (int slot = 0; slot < lists.selected; ++slot) entries.push_back(lists.block(head, query_block, slot));
  return entries;
}

TEST(MadeLists, NameBlocksOnceEach) {
  for (const std::int64_t blocks : {63, 64, 2016})
    for (const int selected : {1, 8, 32, 64})
      for (const int shared : {0, 9, 16}) {
        const generated_lists lists{.blocks = blocks, .selected = selected, .shared = shared};
        for (std::int64_t block = 0; block < blocks; block += 5) {
          const std::vector<std::int32_t> entries = list_of(lists, 3, block);
          std::set<std::int32_t> distinct(entries.begin(), entries.end());
          distinct.erase(-1);
          const auto there = std::min<std::int64_t>(selected, blocks);
          ASSERT_EQ(static_cast<std::int64_t>(distinct.size()), there) << blocks << " " << selected;
          EXPECT_GE(*distinct.begin(), 0);
          EXPECT_LT(*distinct.rbegin(), blocks);
        }
      }
}

TEST(MadeLists, HaveTheSameEntriesInEitherOrder) {
  const generated_lists by_score{.blocks = 2016, .selected = 32};
  generated_lists by_index = by_score;
  by_index.by_index = true;
  int unsorted = 0;
  for (std::int64_t block = 0; block < 100; ++block) {
    std::vector<std::int32_t> any = list_of(by_score, 1, block);
    const std::vector<std::int32_t> ascending = list_of(by_index, 1, block);
    EXPECT_TRUE(std::ranges::is_sorted(ascending));
    unsorted += !std::ranges::is_sorted(any);
    std::ranges::sort(any);
    EXPECT_EQ(any, ascending);
  }
  EXPECT_GT(unsorted, 90);
}

TEST(MadeLists, ShareAsManyEntriesAmongEightNeighborsAsTheyShould) {
  for (const int shared : {0, 8, 9, 16}) {
    const generated_lists lists{.blocks = 1000000, .selected = 32, .shared = shared, .by_index = true};
    const std::vector<std::int32_t> first = list_of(lists, 0, 16), other = list_of(lists, 0, 23);
    int equal = 0;
    for (std::size_t i = 0; i < first.size(); ++i) equal += first[i] == other[i];
    EXPECT_NEAR(equal, 2 * shared, 2);  // some are equal by chance
    EXPECT_NE(list_of(lists, 0, 24), other);
    EXPECT_NE(list_of(lists, 1, 23), other);
  }
}

TEST(MadeLists, ThatAreShortHaveHolesAndSomeHaveNothing) {
  const generated_lists lists{.blocks = 630, .selected = 32, .by_index = true, .is_short = true};
  int there = 0;
  for (std::int64_t block = 0; block < 630; ++block) {
    const auto entries = list_of(lists, 0, block);
    const auto found = std::ranges::count_if(entries, [](std::int32_t entry) { return entry >= 0; });
    if (block % 16 == 5) {
      EXPECT_EQ(found, 0) << block;
    }
    there += static_cast<int>(found);
  }
  EXPECT_NEAR(there / (630.0 * 32 * 15 / 16), 0.5, 0.02);
}

TEST(BitmapPieces, ABlocksRankIsHowManyStandBeforeIt) {
  for (const int blocks : {1, 63, 64, 8064, 129024})
    for (const int threads : {256, 512}) {
      const bitmap_pieces pieces{(blocks + 31) / 32, threads};
      std::vector<unsigned> bitmap(static_cast<std::size_t>(pieces.words));
      std::vector<int> named;
      for (int block = 0; block < blocks; ++block)
        if (block % 37 == 5 || block % 64 == 31 || block + 1 == blocks) {
          named.push_back(block);
          bitmap[static_cast<std::size_t>(block / 32)] |= 1u << block % 32;
        }
      std::vector<int> before(static_cast<std::size_t>(threads));
      int all = 0, words = 0;
      for (int thread = 0; thread < threads; ++thread) {
        before[static_cast<std::size_t>(thread)] = all;
        for (int i = pieces.first_word(thread); i < pieces.first_word(thread + 1); ++i, ++words)
          all += std::popcount(bitmap[static_cast<std::size_t>(i)]);
      }
      EXPECT_EQ(words, pieces.words);
      EXPECT_EQ(all, static_cast<int>(named.size()));
      for (std::size_t i = 0; i < named.size(); ++i)
        ASSERT_EQ(pieces.rank(bitmap.data(), before.data(), named[i]), static_cast<int>(i)) << named[i];
    }
}

TEST(SelectionAttention, OfAllBlocksIsDenseAttention) {
  checked_problem p;
  p.tokens = 1008, p.heads = 2, p.selected = 64;
  p.lists = {.blocks = 63, .selected = 64};
  const auto element = [&](tensor of, std::int64_t token, int d) {
    return static_cast<double>(window_attention::float_of_bf16(generated_bits(p, of, 1, token, d)));
  };
  constexpr std::int64_t row = 500;
  std::vector<double> out(width);
  double sum = 0;
  for (std::int64_t token = 0; token < p.tokens; ++token) {
    double score = 0;
    for (int d = 0; d < width; ++d) score += element(tensor::q, row, d) * element(tensor::k, token, d);
    const double weight = std::exp(score / 8);
    sum += weight;
    for (int d = 0; d < width; ++d) out[static_cast<std::size_t>(d)] += weight * element(tensor::v, token, d);
  }
  const exact_row exact = reference_row(p, {0, row, 1});
  EXPECT_NEAR(exact.lse, std::log(sum), 1e-12);
  for (std::size_t d = 0; d < width; ++d) EXPECT_NEAR(exact.out[d], out[d] / sum, 1e-12);
}

TEST(MadeLists, NameNoBlockBelowTheLowest) {
  for (const bool by_index : {false, true}) {
    const generated_lists lists{.blocks = 200, .lowest = 63, .selected = 32, .by_index = by_index};
    for (std::int64_t block = 0; block < 200; ++block) {
      const std::vector<std::int32_t> entries = list_of(lists, 1, block);
      EXPECT_GE(*std::ranges::min_element(entries), 63);
      EXPECT_EQ(std::set<std::int32_t>(entries.begin(), entries.end()).size(), 32u);
    }
  }
  const generated_lists none{.blocks = 63, .lowest = 63, .selected = 32};
  EXPECT_TRUE(std::ranges::all_of(list_of(none, 0, 7), [](std::int32_t entry) { return entry == -1; }));
}

checked_problem with_first_frame(first_frame rule) {
  checked_problem p;
  p.tokens = 2016, p.heads = 2, p.selected = 32;
  p.first_frame = rule, p.blocks_of_frame = 63;
  p.lists = {.blocks = 126, .lowest = p.forced_blocks(), .selected = 32};
  return p;
}

TEST(SelectionAttention, AForcedFirstFrameIsMergedWithTheList) {
  // Softmax over both is that of each, weighed by its sum.
  const checked_problem forced = with_first_frame(first_frame::forced);
  checked_problem list = forced;
  list.first_frame = first_frame::masked;  // the same entries, without the first frame
  checked_problem frame = with_first_frame(first_frame::competes);
  frame.selected = 64, frame.lists = {.blocks = 63, .selected = 64};
  const sampled_row at = {0, 1500, 1};
  const exact_row both = reference_row(forced, at), of_list = reference_row(list, at),
                  of_frame = reference_row(frame, at);
  const double weight = 1 / (1 + std::exp(of_list.lse - of_frame.lse));
  EXPECT_NEAR(both.lse, of_frame.lse - std::log(weight), 1e-12);
  for (std::size_t d = 0; d < width; ++d)
    EXPECT_NEAR(both.out[d], weight * of_frame.out[d] + (1 - weight) * of_list.out[d], 1e-12);
}

TEST(SelectionAttention, AMaskedFirstFrameIsSkipped) {
  checked_problem masked = with_first_frame(first_frame::masked);
  const exact_row some = reference_row(masked, {0, 1500, 1});
  checked_problem competes = masked;
  competes.first_frame = first_frame::competes;
  EXPECT_LT(some.lse, reference_row(competes, {0, 1500, 1}).lse);
  masked.tokens = 1008;
  masked.lists.blocks = 63;
  EXPECT_EQ(reference_row(masked, {0, 500, 1}).lse, -std::numeric_limits<double>::infinity());
}

TEST(SelectionAttention, ADenseFirstFrameAttendsToAllUngated) {
  checked_problem p = with_first_frame(first_frame::dense);
  p.is_gated = true;
  checked_problem all = with_first_frame(first_frame::competes);
  all.selected = 64, all.block = 32, all.lists = {.blocks = 63, .selected = 64};
  const exact_row dense = reference_row(p, {0, 1007, 1}), exact = reference_row(all, {0, 1007, 1});
  EXPECT_NEAR(dense.lse, exact.lse, 1e-12);
  for (std::size_t d = 0; d < width; ++d) EXPECT_NEAR(dense.out[d], exact.out[d], 1e-12);
  checked_problem others = p;
  others.first_frame = first_frame::competes;
  EXPECT_EQ(reference_row(p, {0, 1008, 1}).out, reference_row(others, {0, 1008, 1}).out);
}

TEST(SelectionAttention, WithoutKeysIsZeroAndMinusInfinity) {
  checked_problem p;
  p.tokens = 1008;
  p.lists = {.blocks = 63, .selected = 32, .is_short = true};
  const exact_row exact = reference_row(p, {0, 5 * 16 + 3, 0});
  EXPECT_EQ(exact.lse, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::ranges::all_of(exact.out, [](double x) { return x == 0; }));
}

TEST(SelectionAttention, GatesAddWhatIsCompressed) {
  checked_problem p;
  p.tokens = 1008, p.heads = 2;
  p.lists = {.blocks = 63, .selected = 32, .is_short = true};
  constexpr sampled_row with_keys = {0, 100, 1}, without = {0, 5 * 16, 1};
  for (const sampled_row& at : {with_keys, without}) {
    p.is_gated = false;
    const exact_row alone = reference_row(p, at);
    p.is_gated = true;
    const exact_row gated = reference_row(p, at);
    EXPECT_EQ(gated.lse, alone.lse);
    const float of_compressed = generated_gate(p, at.row, at.head, 0),
                of_selected = generated_gate(p, at.row, at.head, 1);
    EXPECT_GT(of_compressed, 0);
    EXPECT_LT(of_selected, 1);
    for (int d = 0; d < width; ++d)
      EXPECT_NEAR(
          gated.out[static_cast<std::size_t>(d)],
          of_compressed * window_attention::float_of_bf16(generated_compressed(p, 1, at.row / 16, d)) +
              of_selected * alone.out[static_cast<std::size_t>(d)],
          1e-6);
  }
}

TEST(SelectionAttention, NanReachesEveryRowThatMeetsItAndInfinityThoseOfPositiveQueries) {
  checked_problem p;
  p.tokens = 1008, p.selected = 64;
  p.lists = {.blocks = 63, .selected = 64};
  int rows_of_nan = 0;
  for (std::int32_t row = 0; row < 64; ++row) {
    p.what = planted::nan_key;
    EXPECT_TRUE(std::isnan(reference_row(p, {0, row, 0}).lse)) << row;
    p.what = planted::inf_key;
    // With the other sign the key's score is −∞: it has no weight.
    const bool is_positive = window_attention::float_of_bf16(generated_bits(p, tensor::q, 0, row, 0)) > 0;
    EXPECT_EQ(std::isnan(reference_row(p, {0, row, 0}).lse), is_positive) << row;
    rows_of_nan += is_positive;
  }
  EXPECT_GT(rows_of_nan, 0);
  EXPECT_LT(rows_of_nan, 64);
}

TEST(SelectionAttention, RefusesTokensThatAreNoWholeBlocks) {
  EXPECT_EQ(refusal_of(selection(), {{"images", "1"}}), "");
  EXPECT_EQ(refusal_of(selection(), {{"images", "8"}, {"block", "128"}}), "");
  EXPECT_THAT(refusal_of(selection(), {{"images", "3"}, {"block", "32"}}),
              HasSubstr("not whole blocks of 32"));
  EXPECT_THAT(refusal_of(selection(), {{"selected", "12"}}), HasSubstr("a power of two"));
}

TEST(SelectionAttention, CountsWhatItGathersAndMultiplies) {
  const solved_workload full(selection(),
                             {{"images", "4"}, {"heads", "3"}, {"block", "32"}, {"selected", "8"}});
  const double entries = 3.0 * 126 * 8;
  EXPECT_EQ(full.work.input.at("entries"), entries);
  EXPECT_EQ(full.work.work.flops, entries * 4 * 32 * 32 * 64);
  EXPECT_EQ(full.work.input.at("gathered_bytes"), entries * 2 * 32 * 256);
  const solved_workload all(selection(), {{"images", "1"}, {"heads", "1"}, {"selected", "64"}});
  EXPECT_EQ(all.work.input.at("entries"), 63 * 63);
  const solved_workload shared(selection(), {{"images", "1024"}, {"heads", "1"}, {"shared", "9"}});
  EXPECT_NEAR(shared.work.input.at("list_reuse").get<double>(), 2, 0.2);
}

TEST(SelectionAttention, CountsTheFirstFrameByItsRule) {
  const auto entries = [](const char* images, const char* rule) {
    const solved_workload solved(
        selection(), {{"images", images}, {"heads", "3"}, {"selected", "8"}, {"first_frame", rule}});
    EXPECT_TRUE(solved.check().ok) << solved.check().message;
    return solved.work.input.at("entries").get<std::int64_t>();
  };
  EXPECT_EQ(entries("4", "competes"), 3 * 252 * 8);
  EXPECT_EQ(entries("4", "forced"), 3 * 252 * (63 + 8));
  EXPECT_EQ(entries("1", "forced"), 3 * 63 * 63);
  // A quarter of all blocks, and of 8 parts of them two.
  EXPECT_EQ(entries("4", "masked"), 3 * 252 * 6);
  EXPECT_EQ(entries("1", "masked"), 0);
}

TEST(SelectionAttention, ItsReferencePassesItsCheck) {
  for (const char* lists : {"full", "short"})
    for (const char* scores :
         {"unit", "large", "ascending", "descending", "nan_key", "inf_key", "nan_value"}) {
      const solved_workload solved(selection(),
                                   {{"images", "1"}, {"heads", "2"}, {"lists", lists}, {"scores", scores}});
      EXPECT_TRUE(solved.check().ok) << lists << " " << scores << ": " << solved.check().message;
    }
}

TEST(SelectionAttention, TheCheckFindsOneElementAndOneLogSum) {
  const axis_values at = {{"images", "2"}, {"heads", "2"}};
  solved_workload solved(selection(), at);
  solved.output<float>("sampled_out")[7 * 64 + 11] += 0.5f;
  EXPECT_THAT(solved.check().message, HasSubstr("against fp64"));
  solved_workload log_sum(selection(), at);
  log_sum.output<float>("sampled_lse")[3] += 0.05f;
  EXPECT_THAT(log_sum.check().message, HasSubstr("log-sum-exp"));
  solved_workload not_a_number(selection(), at);
  not_a_number.output<float>("sampled_out")[0] = NAN;
  EXPECT_FALSE(not_a_number.check().ok);
  solved_workload uncompared(selection(), at);
  uncompared.output<deviations>("found")[0].out.rows -= 1;
  EXPECT_THAT(uncompared.check().message, HasSubstr("were compared"));
}

std::vector<std::string> differences(const char* one, const char* other) {
  return differing_switches(selection(), one, other);
}

TEST(SelectionAttention, EachStepTurnsOneSwitch) {
  using names = std::vector<std::string>;
  EXPECT_EQ(differences("staged_published", "staged"), names{"softmax"});
  EXPECT_EQ(differences("staged", "staged_through_l1"), names{"copies"});
  EXPECT_EQ(differences("staged_through_l1", "staged_8_warps"), names{"warps"});
  EXPECT_EQ(differences("direct", "direct_running"), names{"softmax"});
  EXPECT_EQ(differences("direct", "direct_two_ahead"), names{"tiles_ahead"});
  EXPECT_EQ(differences("direct", "direct+grid=by_tile"), names{"grid"});
  EXPECT_EQ(differences("direct", "direct_16_warps"), names{"warps"});
  EXPECT_EQ(differences("direct", "direct_gate_apart"), names{"gate"});
}

}  // namespace
}  // namespace ablate::selection_attention
