// The operation block_sparse_selection on the host: made rows, the oracle, how a row is judged, and the
// check.
#include "oracles/block_sparse_selection/checked_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "oracles/block_sparse_selection/reference.h"
#include "tests/support/axis_values.h"
#include "tests/support/differing_switches.h"
#include "tests/support/solved_workload.h"

namespace ablate::block_sparse_selection {
namespace {

using test_support::differing_switches;
using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& selection() { return *find_operation("block_sparse_selection"); }

checked_problem images(std::int64_t count, scores what, int mass_percent, int kept_percent) {
  checked_problem p;
  p.queries = (1008 * count + 127) / 128, p.keys = (1008 * count + 63) / 64;
  p.what = what;
  p.mass_percent = mass_percent, p.kept_percent = kept_percent;
  return p;
}

/// The oracle's judgment of a bitmap.
row_fault judged(const checked_problem& p, const exact_row& row, const std::vector<std::uint32_t>& kept,
                 int count) {
  return fault_of(facts_of(row, kept.data()), p.asked(), count, row.greatest());
}

TEST(BlockSparseSelection, KeepsTheGreatestOfWhatIsAskedFor) {
  const int by_mass = head_oracle(images(8, scores::unit, 70, 0), 0).row(3).count;
  const int by_number = head_oracle(images(8, scores::unit, 0, 20), 0).row(3).count;
  EXPECT_EQ(by_number, 126 * 20 / 100);
  EXPECT_GT(by_mass, by_number);
  EXPECT_EQ(head_oracle(images(8, scores::unit, 70, 20), 0).row(3).count, by_mass);
  EXPECT_EQ(head_oracle(images(8, scores::unit, 70, 90), 0).row(3).count, 126 * 90 / 100);
  EXPECT_EQ(head_oracle(images(8, scores::unit, 0, 100), 0).row(3).count, 126);
  EXPECT_EQ(head_oracle(images(8, scores::unit, 0, 0), 0).row(3).count, 1);
}

TEST(BlockSparseSelection, MassIsThatOfTheSoftmax) {
  const checked_problem p = images(8, scores::scene, 70, 0);
  const exact_row row = head_oracle(p, 0).row(17);
  double total = 0, kept = 0, least = INFINITY;
  for (std::size_t key = 0; key < 126; ++key) {
    const double share = std::exp(row.scores[key] / 8);
    total += share;
    if ((row.kept[key / 32] >> key % 32 & 1) == 0) continue;
    kept += share;
    least = std::min(least, share);
  }
  EXPECT_GE(kept / total, 0.7);
  EXPECT_LT((kept - least) / total, 0.7);
  EXPECT_NEAR(row.mass, kept / total, 1e-12);
}

TEST(BlockSparseSelection, EqualScoresGoToTheLowerBlock) {
  const exact_row row = head_oracle(images(5, scores::equal, 0, 50), 0).row(0);
  EXPECT_EQ(row.count, 39);  // of 79
  EXPECT_EQ(row.kept, (std::vector<std::uint32_t>{0xffffffffu, 0x7fu, 0}));
  const exact_row by_mass = head_oracle(images(5, scores::equal, 25, 0), 0).row(0);
  EXPECT_EQ(by_mass.kept, (std::vector<std::uint32_t>{0xfffffu, 0, 0}));  // 20 of 79 are more than 25 %
}

TEST(BlockSparseSelection, AscendingScoresKeepTheLastBlocks) {
  const exact_row row = head_oracle(images(8, scores::ascending, 0, 10), 0).row(2);
  EXPECT_EQ(row.count, 12);
  EXPECT_EQ(row.kept, (std::vector<std::uint32_t>{0, 0, 0, 0x3ffc0000u}));  // 114 to 125
}

TEST(BlockSparseSelection, DescendingScoresKeepTheFirstBlocks) {
  const exact_row row = head_oracle(images(8, scores::descending, 0, 10), 0).row(2);
  EXPECT_EQ(row.kept, (std::vector<std::uint32_t>{0xfffu, 0, 0, 0}));
}

TEST(BlockSparseSelection, MassesEndAmongTheTiesOfALevel) {
  const checked_problem p = images(9, scores::levels, 70, 0);
  const head_oracle oracle(p, 0);
  for (std::int64_t query = 0; query < p.queries; ++query) {
    const exact_row row = oracle.row(query);
    const row_facts facts = facts_of(row, row.kept.data());
    EXPECT_EQ(facts.least_kept, facts.greatest_left) << query;
    EXPECT_LT(facts.least_kept, row.greatest()) << query;
    EXPECT_GT(std::abs(row.mass - 0.7), accepted_mass_error) << query;  // none falls onto the mass
  }
}

TEST(BlockSparseSelection, WholeNumbersTie) {
  const checked_problem p = images(32, scores::integers, 0, 50);
  const exact_row row = head_oracle(p, 0).row(100);
  const row_facts facts = facts_of(row, row.kept.data());
  EXPECT_EQ(facts.least_kept, std::round(facts.least_kept));
  int ties = 0;
  for (const double score : row.scores) ties += score == facts.least_kept;
  EXPECT_GT(ties, 1);
}

TEST(BlockSparseSelection, EachFaultOfARowIsFound) {
  const checked_problem p = images(8, scores::integers, 0, 50);
  const exact_row row = head_oracle(p, 0).row(4);
  ASSERT_EQ(judged(p, row, row.kept, row.count), row_fault::none);
  EXPECT_EQ(judged(p, row, row.kept, row.count + 1), row_fault::miscounted);

  std::vector<std::uint32_t> stray = row.kept;
  stray[3] |= 1u << 31;  // key block 127 of 126
  EXPECT_EQ(judged(p, row, stray, row.count), row_fault::no_block);

  const row_facts facts = facts_of(row, row.kept.data());
  const auto least = static_cast<std::size_t>(facts.last_of_least),
             next = static_cast<std::size_t>(facts.first_of_greatest);
  std::vector<std::uint32_t> few = row.kept;
  few[least / 32] &= ~(1u << least % 32);
  EXPECT_EQ(judged(p, row, few, row.count - 1), row_fault::few);

  std::vector<std::uint32_t> many = row.kept;
  many[next / 32] |= 1u << next % 32;
  EXPECT_EQ(judged(p, row, many, row.count + 1), row_fault::many);

  std::size_t best = 0;
  for (std::size_t key = 0; key < row.scores.size(); ++key)
    if (row.scores[key] > row.scores[best]) best = key;
  std::vector<std::uint32_t> worse = row.kept;
  worse[best / 32] &= ~(1u << best % 32);
  worse[next / 32] |= 1u << next % 32;
  EXPECT_EQ(judged(p, row, worse, row.count), row_fault::worse);
}

TEST(BlockSparseSelection, AWrongTieIsFound) {
  const checked_problem p = images(5, scores::equal, 0, 50);
  const exact_row row = head_oracle(p, 0).row(4);
  std::vector<std::uint32_t> later = row.kept;
  later[1] ^= 1u << 6 | 1u << 7;  // block 39 instead of 38
  EXPECT_EQ(judged(p, row, later, row.count), row_fault::tie);
}

TEST(BlockSparseSelection, TooLittleAndTooMuchMassAreFound) {
  const checked_problem p = images(8, scores::unit, 70, 0);
  const exact_row row = head_oracle(p, 0).row(1);
  const auto with_percent = [&](int percent) {
    checked_problem other = p;
    other.mass_percent = percent;
    return head_oracle(other, 0).row(1);
  };
  const exact_row less = with_percent(67), more = with_percent(73);
  ASSERT_LT(less.count, row.count);
  ASSERT_GT(more.count, row.count);
  EXPECT_EQ(judged(p, row, less.kept, less.count), row_fault::few);
  EXPECT_EQ(judged(p, row, more.kept, more.count), row_fault::many);
}

TEST(BlockSparseSelection, FactsOfPartsAreThoseOfTheWhole) {
  const checked_problem p = images(8, scores::integers, 0, 50);
  const exact_row row = head_oracle(p, 0).row(6);
  const auto is_kept = [&](std::size_t key) { return (row.kept[key / 32] >> key % 32 & 1) != 0; };
  row_facts parts[5], all;
  for (std::size_t key = 0; key < row.scores.size(); ++key)
    parts[key * 7 % 5].add(static_cast<int>(key), is_kept(key), row.scores[key], row.bounds[key], 1);
  for (const row_facts& part : parts) all.add(part);
  const row_facts whole = facts_of(row, row.kept.data());
  EXPECT_EQ(all.count, whole.count);
  EXPECT_EQ(all.total, 126);
  EXPECT_EQ(all.kept, row.count);
  EXPECT_EQ(all.least_kept, whole.least_kept);
  EXPECT_EQ(all.last_of_least, whole.last_of_least);
  EXPECT_EQ(all.greatest_left, whole.greatest_left);
  EXPECT_EQ(all.first_of_greatest, whole.first_of_greatest);
  EXPECT_EQ(all.bound, whole.bound);
}

TEST(BlockSparseSelection, ItsReferencePassesItsCheck) {
  for (const char* scores : {"scene", "unit", "integers", "ascending", "equal"})
    for (const char* mass : {"0", "70"})
      for (const char* kept : {"0", "50", "100"})
        for (const char* images : {"1", "3"}) {
          const solved_workload solved(
              selection(),
              {{"images", images}, {"heads", "2"}, {"scores", scores}, {"mass", mass}, {"kept", kept}});
          EXPECT_TRUE(solved.check().ok)
              << scores << " " << mass << " " << kept << " " << solved.check().message;
        }
}

TEST(BlockSparseSelection, TheCheckReadsSamplesAndFindings) {
  const axis_values at = {{"images", "5"}, {"heads", "2"}};
  solved_workload bit(selection(), at);
  bit.output<std::uint32_t>("sampled_kept").front() ^= 1;
  EXPECT_THAT(bit.check().message, HasSubstr("the count is not the number of its bits"));
  solved_workload count(selection(), at);
  count.output<std::int32_t>("sampled_counts").back() += 1;
  EXPECT_THAT(count.check().message, HasSubstr("head 1, by the oracle"));
  solved_workload unjudged(selection(), at);
  unjudged.output<findings>("found")[0].rows -= 1;
  EXPECT_THAT(unjudged.check().message, HasSubstr("79 of 80 were judged"));
  solved_workload wrong(selection(), at);
  wrong.output<findings>("found")[0].wrong_rows = 3;
  wrong.output<findings>("found")[0].first_wrong = 47 << 3 | static_cast<int>(row_fault::worse);
  EXPECT_THAT(wrong.check().message, HasSubstr("3 of 80 are wrong; the first, query block 7, head 1: a key"));
}

TEST(BlockSparseSelection, SaysHowSparseRowsAreAndWhatTheyKeep) {
  const solved_workload by_number(selection(),
                                  {{"images", "8"}, {"heads", "2"}, {"mass", "0"}, {"kept", "20"}});
  EXPECT_DOUBLE_EQ(by_number.quality().at("sparsity"), 1 - 25 / 126.0);
  EXPECT_EQ(by_number.quality().at("summed_rows"), 126);
  const solved_workload by_mass(selection(),
                                {{"images", "8"}, {"heads", "2"}, {"mass", "70"}, {"kept", "0"}});
  EXPECT_GE(by_mass.quality().at("kept_mass"), 0.7);
  EXPECT_LT(by_mass.quality().at("kept_mass"), 0.8);
}

TEST(BlockSparseSelection, SumsOfMassFitAtTheGreatestLength) {
  // Masses are at most 2^40, and 100 times their sum is compared.
  EXPECT_LT(100.0 * static_cast<double>(max_keys) * 0x1p40, 0x1p63);
  // Two rows of scores fit an A100's shared memory beside what threads share.
  EXPECT_LE(2 * 4 * max_keys + 8192, 163 * 1024);
}

TEST(BlockSparseSelection, RefusesRowsThatDoNotFitSharedMemory) {
  const auto refused = [](const char* images) { return refusal_of(selection(), {{"images", images}}); };
  EXPECT_EQ(refused("1024"), "");
  EXPECT_THAT(refused("2048"), HasSubstr("32256 key blocks, expected at most 18432"));
}

TEST(BlockSparseSelection, EachStepTurnsOneSwitch) {
  const auto differences = [](const char* one, const char* other) {
    return differing_switches(selection(), one, other);
  };
  using names = std::vector<std::string>;
  EXPECT_EQ(differences("sorted", "histogram"), names{"method"});
  EXPECT_EQ(differences("histogram", "bisection"), names{"descent"});
  EXPECT_EQ(differences("histogram", "histogram+rows_per_block=2"), names{"rows_per_block"});
  EXPECT_EQ(differences("bisection", "histogram+descent=bisection+rows_per_block=2"),
            names{"rows_per_block"});
}

}  // namespace
}  // namespace ablate::block_sparse_selection
