// block_sparse_selection on the GPU: every variant by fp64 and by the oracle, and all of them alike.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "oracles/block_sparse_selection/reference.h"
#include "tests/support/every_variant.cuh"

namespace ablate::test_support::block_sparse_selection_gpu_test {
namespace {

class BlockSparseSelectionOnGpu : public every_variant_test {
 protected:
  BlockSparseSelectionOnGpu() : every_variant_test("block_sparse_selection") {}

  /// Every variant is right, and all leave the same bits.
  void expect_alike(const axis_values& at) const {
    std::vector<std::uint32_t> kept;
    std::vector<std::int32_t> counts;
    expect_right(at, [&](const variant_facts& v, variant_run& run) {
      if (kept.empty()) {
        kept = run.contents<std::uint32_t>("kept");
        counts = run.contents<std::int32_t>("counts");
      }
      EXPECT_EQ(run.contents<std::uint32_t>("kept"), kept) << v.name;
      EXPECT_EQ(run.contents<std::int32_t>("counts"), counts) << v.name;
    });
  }
};

TEST_F(BlockSparseSelectionOnGpu, LengthsWithPartialTiles) {
  // 16 to 583 key blocks, 8 to 292 query blocks: partial words, odd numbers of rows.
  for (const char* images : {"1", "2", "3", "5", "8", "9", "37"}) {
    SCOPED_TRACE(images);
    expect_alike({{"images", images}, {"heads", "3"}});
  }
}

TEST_F(BlockSparseSelectionOnGpu, ScoresOfEveryKindAndWhatIsAsked) {
  for (const char* scores : {"scene", "unit", "integers", "ascending", "equal", "descending", "levels"})
    for (const char* mass : {"0", "50", "70", "99"})
      for (const char* kept : {"0", "1", "20", "50", "100"}) {
        SCOPED_TRACE(std::string(scores) + ", " + mass + ", " + kept);
        expect_alike({{"images", "7"}, {"heads", "2"}, {"scores", scores}, {"mass", mass}, {"kept", kept}});
      }
}

TEST_F(BlockSparseSelectionOnGpu, WholeNumbersGiveTheOraclesBits) {
  using block_sparse_selection::scores;
  constexpr std::pair<const char*, scores> kinds[] = {{"integers", scores::integers},
                                                      {"ascending", scores::ascending},
                                                      {"equal", scores::equal},
                                                      {"descending", scores::descending},
                                                      {"levels", scores::levels}};
  for (const auto& [word, what] : kinds) {
    block_sparse_selection::checked_problem p;
    p.heads = 2, p.queries = 79, p.keys = 158, p.mass_percent = 0, p.kept_percent = 37;
    p.what = what;
    std::vector<std::uint32_t> expected;
    for (std::int64_t head = 0; head < p.heads; ++head) {
      const block_sparse_selection::head_oracle oracle(p, head);
      for (std::int64_t query = 0; query < p.queries; ++query) {
        const auto kept = oracle.row(query).kept;
        expected.insert(expected.end(), kept.begin(), kept.end());
      }
    }
    const axis_values at = {
        {"images", "10"}, {"heads", "2"}, {"scores", word}, {"mass", "0"}, {"kept", "37"}};
    expect_right(at, [&](const variant_facts& v, variant_run& run) {
      EXPECT_EQ(run.contents<std::uint32_t>("kept"), expected) << v.name << ", " << word;
    });
  }
}

TEST_F(BlockSparseSelectionOnGpu, RowsDifferBesideAWrongOne) {
  // One query of NaN: its own row is of no account, and its neighbors are what they were.
  const axis_values at = {{"images", "8"}, {"heads", "1"}};
  variant_run right(tested(), at, inputs_), spoiled(tested(), at, inputs_);
  auto q = spoiled.contents<std::uint16_t>("q");
  q[13 * 64 + 5] = 0x7fc0;
  spoiled.put("q", q);
  for (const variant_facts& v : tested().variants) {
    ASSERT_TRUE(right.check(v).ok) << v.name;
    EXPECT_FALSE(spoiled.check(v).ok) << v.name;
    const auto expected = right.contents<std::int32_t>("counts"),
               seen = spoiled.contents<std::int32_t>("counts");
    for (std::size_t row = 0; row < expected.size(); ++row)
      if (row != 13) {
        EXPECT_EQ(seen[row], expected[row]) << v.name << ", row " << row;
      }
  }
}

TEST_F(BlockSparseSelectionOnGpu, TheGreatestPublishedLengthIsRight) {
  expect_alike({{"images", "1024"}, {"heads", "1"}});
}

}  // namespace
}  // namespace ablate::test_support::block_sparse_selection_gpu_test
