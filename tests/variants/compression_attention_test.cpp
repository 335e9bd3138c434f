// The operation compression_attention on the host: inputs, the oracle, and the check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "oracles/compression_attention/reference.h"
#include "tests/support/axis_values.h"
#include "tests/support/solved_workload.h"

namespace ablate::compression_attention {
namespace {

using test_support::refusal_of;
using test_support::solved_workload;
using test_support::values_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const operation& compression() { return *find_operation("compression_attention"); }

checked_problem small_problem(scores what) {
  checked_problem p;
  p.rows = 126;
  p.heads = 2;
  p.selected = 8;
  p.what = what;
  return p;
}

double score(const checked_problem& p, std::int64_t row, std::int64_t key) {
  double sum = 0;
  for (int d = 0; d < width; ++d)
    sum += static_cast<double>(window_attention::float_of_bf16(generated_bits(p, tensor::q, 1, row, d))) *
           window_attention::float_of_bf16(generated_bits(p, tensor::k, 1, key, d));
  return sum;
}

TEST(CompressionAttention, AscendingScoresAreListedFromTheEnd) {
  const auto rows = reference_rows(small_problem(scores::ascending), {{0, 3, 1}});
  EXPECT_THAT(rows[0].list, ElementsAre(125, 124, 123, 122, 121, 120, 119, 118));
  const auto falling = reference_rows(small_problem(scores::descending), {{0, 3, 1}});
  EXPECT_THAT(falling[0].list, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(CompressionAttention, AscendingScoresAreExactUpToTheLastRow) {
  checked_problem p = small_problem(scores::ascending);
  p.rows = 129024;
  for (const std::int64_t key : {0, 1, 127, 128, 16383, 16384, 64511, 129023})
    EXPECT_EQ(score(p, 5, key), static_cast<double>(key) / 64) << key;
}

TEST(CompressionAttention, EqualScoresAreListedByRow) {
  const auto rows = reference_rows(small_problem(scores::equal), {{0, 9, 0}});
  EXPECT_THAT(rows[0].list, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(CompressionAttention, IntegersHaveTiesAndTheyGoToTheLowerRow) {
  const checked_problem p = small_problem(scores::integers);
  int ties = 0;
  for (std::int32_t row = 0; row < 40; ++row) {
    const std::vector<std::int32_t> list = reference_rows(p, {{0, row, 1}})[0].list;
    for (std::size_t i = 1; i < list.size(); ++i) {
      const double before = score(p, row, list[i - 1]), after = score(p, row, list[i]);
      ASSERT_GE(before, after);
      if (before != after) continue;
      ASSERT_LT(list[i - 1], list[i]);
      ++ties;
    }
  }
  EXPECT_GT(ties, 10);
}

TEST(CompressionAttention, TheFirstRowsAreAttendedToAndNotListed) {
  for (const scores what : {scores::descending, scores::unit}) {
    checked_problem p = small_problem(what);
    const exact_row competes = reference_rows(p, {{0, 70, 1}})[0];
    p.first_listed = 63;
    const exact_row forced = reference_rows(p, {{0, 70, 1}})[0];
    EXPECT_EQ(forced.out, competes.out);
    EXPECT_EQ(forced.lse, competes.lse);
    EXPECT_GE(*std::ranges::min_element(forced.list), 63);
    // Those of the others that were listed before are so still.
    for (const std::int32_t key : competes.list)
      EXPECT_TRUE(key < 63 || std::ranges::find(forced.list, key) != forced.list.end());
    if (what == scores::descending) {
      EXPECT_THAT(forced.list, ElementsAre(63, 64, 65, 66, 67, 68, 69, 70));
    }
    p.first_listed = 120;
    EXPECT_EQ(std::ranges::count(reference_rows(p, {{0, 3, 1}})[0].list, -1), 2);
  }
}

TEST(CompressionAttention, NeitherNanNorAMissingRowIsListed) {
  checked_problem p = small_problem(scores::nan_key);
  p.rows = 5;
  const exact_row row = reference_rows(p, {{0, 2, 1}})[0];
  EXPECT_EQ(std::ranges::count(row.list, -1), 4);
  EXPECT_TRUE(std::isnan(row.lse));
  p.by_index = true;
  const std::vector<std::int32_t> list = reference_rows(p, {{0, 2, 1}})[0].list;
  EXPECT_TRUE(std::is_sorted(list.begin(), list.begin() + 4));
  EXPECT_EQ(list[4], -1);
}

TEST(CompressionAttention, RowsThatSeeOnePlaceMatch) {
  checked_problem p = small_problem(scores::correspondences);
  p.rows = 63 * 4;
  // The next image sees what this one does, shifted by 9 places.
  double matching = 0, other = 0;
  for (std::int64_t row = 9; row < 63; ++row) {
    matching += score(p, row, 63 + row - 9) / 54;
    other += score(p, row, 63 * 3 + row % 7) / 54;
  }
  EXPECT_GT(matching, 30);
  EXPECT_LT(other, 15);
  // Neighbors look alike, so their lists overlap.
  const auto rows = reference_rows(p, {{0, 30, 1}, {0, 31, 1}});
  const auto common = std::ranges::count_if(rows[0].list, [&](std::int32_t key) {
    return std::ranges::find(rows[1].list, key) != rows[1].list.end();
  });
  EXPECT_GE(common, 1);
}

TEST(CompressionAttention, ScoresComparedAsBf16TieWhereTheirFirstEightDigitsAreEqual) {
  checked_problem p = small_problem(scores::ascending);
  p.compared = comparison::bf16;
  // Scores are the keys' numbers over 64: from 64 on every number, from 128 on each second one, and so on.
  p.rows = 1030;
  EXPECT_THAT(reference_rows(p, {{0, 3, 1}})[0].list,
              ElementsAre(1024, 1025, 1026, 1027, 1028, 1029, 1020, 1021));
  p.rows = 300;
  EXPECT_THAT(reference_rows(p, {{0, 3, 1}})[0].list, ElementsAre(298, 299, 296, 297, 294, 295, 292, 293));
  // Below 0 as above: down.
  std::vector<row_values> keys(3), values(3);
  row_values query{};
  query[0] = 1;
  keys[0][0] = -1.0;
  keys[1][0] = -1.0 - 0x1p-7;
  keys[2][0] = -1.0 - 0x1p-9;
  p.selected = 3;
  EXPECT_THAT(reference_row(p, query, keys, values).list, ElementsAre(0, 1, 2));
  p.compared = comparison::fp32;
  EXPECT_THAT(reference_row(p, query, keys, values).list, ElementsAre(0, 2, 1));
}

TEST(CompressionAttention, RefusesRowsThatSixteenBitsDoNotNumber) {
  axis_values at = values_of(compression(), {{"compared", "bf16"}, {"images", "1024"}});
  EXPECT_EQ(compression().refuses(at), std::nullopt);
  at.set("images", "1041");
  EXPECT_THAT(compression().refuses(at).value_or(""), HasSubstr("numbered in 16 bits"));
  at.set("images", "32");
  at.set("selected", "33");
  EXPECT_THAT(compression().refuses(at).value_or(""), HasSubstr("32 places at most"));
  at.set("selected", "32");
  at.set("lists", "none");
  EXPECT_THAT(compression().refuses(at).value_or(""), HasSubstr("only lists"));
}

TEST(CompressionAttention, RefusesTokensThatAreNoWholeBlocks) {
  EXPECT_EQ(refusal_of(compression(), {}), "");
  EXPECT_THAT(refusal_of(compression(), {{"images", "3"}, {"block", "32"}}),
              HasSubstr("not whole blocks of 32"));
}

TEST(CompressionAttention, ImagesWithCutBlocksHaveSeventyRows) {
  solved_workload solved(compression(), {{"images", "3"},
                                         {"heads", "1"},
                                         {"scores", "descending"},
                                         {"first_frame", "forced"},
                                         {"geometry", "vggt"}});
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  EXPECT_EQ(solved.work.input.at("rows"), 210);
  EXPECT_EQ(solved.output<std::int32_t>("sampled_table")[0], 70);
}

TEST(CompressionAttention, AttentionAloneHasNoRuleForTheFirstFrame) {
  EXPECT_EQ(refusal_of(compression(), {{"first_frame", "forced"}}), "");
  EXPECT_THAT(refusal_of(compression(), {{"first_frame", "forced"}, {"lists", "none"}}),
              HasSubstr("in lists alone"));
}

TEST(CompressionAttention, ItsReferencePassesItsCheckWithTheFirstFrameForced) {
  for (const char* images : {"1", "2"})
    for (const char* lists : {"by_score", "by_index"}) {
      solved_workload solved(compression(), {{"images", images},
                                             {"heads", "2"},
                                             {"lists", lists},
                                             {"scores", "integers"},
                                             {"first_frame", "forced"}});
      EXPECT_TRUE(solved.check().ok) << images << " " << lists << ": " << solved.check().message;
      for (const std::int32_t entry : solved.output<std::int32_t>("sampled_table"))
        EXPECT_TRUE(entry == -1 || entry >= 63);
      // Of one image nothing is left to be listed.
      if (images == std::string("1")) {
        EXPECT_EQ(std::ranges::count(solved.output<std::int32_t>("sampled_table"), -1), 8 * 32);
      }
    }
}

TEST(CompressionAttention, ItsReferencePassesItsCheck) {
  for (const char* lists : {"by_score", "by_index", "none"})
    for (const char* scores : {"correspondences", "unit", "integers", "ascending", "equal", "nan_key"}) {
      const solved_workload solved(compression(),
                                   {{"images", "1"}, {"heads", "2"}, {"lists", lists}, {"scores", scores}});
      EXPECT_TRUE(solved.check().ok) << lists << " " << scores << ": " << solved.check().message;
    }
}

TEST(CompressionAttention, ItsReferencePassesItsCheckWithScoresComparedAsBf16) {
  for (const char* lists : {"by_score", "by_index"})
    for (const char* scores : {"unit", "integers", "ascending", "equal"}) {
      const solved_workload solved(
          compression(),
          {{"images", "2"}, {"heads", "2"}, {"lists", lists}, {"scores", scores}, {"compared", "bf16"}});
      EXPECT_TRUE(solved.check().ok) << lists << " " << scores << ": " << solved.check().message;
    }
}

TEST(CompressionAttention, TheCheckFindsOneElementOneLogSumAndOneEntry) {
  const axis_values at = {{"images", "2"}, {"heads", "2"}, {"scores", "integers"}};
  solved_workload solved(compression(), at);
  solved.output<float>("sampled_out")[7 * 64 + 11] += 0.5f;
  EXPECT_THAT(solved.check().message, HasSubstr("against fp64"));
  solved_workload log_sum(compression(), at);
  log_sum.output<float>("sampled_lse")[3] += 0.05f;
  EXPECT_THAT(log_sum.check().message, HasSubstr("log-sum-exp"));
  solved_workload entry(compression(), at);
  std::swap(entry.output<std::int32_t>("sampled_table")[2 * 32 + 30],
            entry.output<std::int32_t>("sampled_table")[2 * 32 + 31]);
  EXPECT_THAT(entry.check().message, HasSubstr("entry 30 of 32"));
  solved_workload wrong(compression(), at);
  wrong.output<findings>("found")[0].wrong_lists = 1;
  wrong.output<findings>("found")[0].first_wrong = (126 + 5) << 3 | static_cast<unsigned>(list_fault::worse);
  EXPECT_THAT(wrong.check().message, HasSubstr("row 5, head 1"));
  solved_workload uncompared(compression(), at);
  uncompared.output<findings>("found")[0].lists -= 1;
  EXPECT_THAT(uncompared.check().message, HasSubstr("were compared"));
}

TEST(CompressionAttention, CountsItsProducts) {
  const solved_workload solved(compression(), {{"images", "2"}, {"heads", "3"}});
  EXPECT_EQ(solved.work.work.flops, 4.0 * 3 * 126 * 126 * 64);
  EXPECT_EQ(solved.work.input.at("scores"), 3 * 126 * 126);
}

TEST(CompressionAttention, LargeProblemsAreComparedInPartWithEveryPlaceInATile) {
  checked_problem p;
  p.heads = 16;
  p.rows = 63 * 128;
  EXPECT_EQ(p.compared_stride(), 1);
  p.rows = 63 * 1024;
  EXPECT_EQ(p.compared_stride() % 2, 1);
  EXPECT_GT(p.compared_stride(), 1);
  EXPECT_GE(p.compared_rows() * p.rows, std::int64_t{1} << 30);
}

}  // namespace
}  // namespace ablate::compression_attention
