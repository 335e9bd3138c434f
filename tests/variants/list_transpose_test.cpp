// The operation list_transpose on the host: made lists, the oracle, and the check.
#include "kernels/list_transpose/list_transpose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "oracles/list_transpose/reference.h"
#include "oracles/selection_attention/generated_lists.h"
#include "tests/support/axis_values.h"
#include "tests/support/differing_switches.h"
#include "tests/support/solved_workload.h"

namespace ablate::list_transpose {
namespace {

using selection_attention::generated_lists;
using selection_attention::popularity;
using test_support::differing_switches;
using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& inversion() { return *find_operation("list_transpose"); }

std::vector<int> names_of(const generated_lists& lists) {
  std::vector<int> names(static_cast<std::size_t>(lists.blocks));
  for (std::int64_t block = 0; block < lists.blocks; ++block)
    for (int slot = 0; slot < lists.selected; ++slot)
      if (const std::int32_t entry = lists.block(0, block, slot); entry >= 0)
        ++names[static_cast<std::size_t>(entry)];
  return names;
}

TEST(MadeLists, WithHubsNameEveryEighthPartsFirstBlockInEverySecondList) {
  const generated_lists lists{.blocks = 2016, .selected = 32, .popular = popularity::hubs};
  const std::vector<int> names = names_of(lists);
  for (std::size_t part = 0; part < 32; ++part) {
    const int most = *std::max_element(names.begin() + static_cast<std::ptrdiff_t>(part * 63),
                                       names.begin() + static_cast<std::ptrdiff_t>(part * 63 + 63));
    if (part % 8 == 0) {
      EXPECT_NEAR(names[part * 63], 1008 + 16, 120) << part;
      EXPECT_EQ(most, names[part * 63]);
    } else {
      EXPECT_LT(most, 80) << part;
    }
  }
}

TEST(MadeLists, ThatAreSkewedNameFirstBlocksMost) {
  const generated_lists lists{.blocks = 32 * 1000, .selected = 32, .popular = popularity::skewed};
  const std::vector<int> names = names_of(lists);
  // Of 1000 blocks a tenth of all lists name the first, and half the first eighth.
  EXPECT_NEAR(names[5000] / 32000.0, 0.1, 0.02);
  int of_first = 0;
  for (std::size_t i = 0; i < 125; ++i) of_first += names[5000 + i];
  EXPECT_NEAR(of_first / 32000.0, 0.5, 0.03);
}

TEST(MadeLists, NameBlocksOnceEachHoweverPopular) {
  for (const popularity popular : {popularity::even, popularity::skewed, popularity::hubs})
    for (const int selected : {1, 8, 64}) {
      const generated_lists lists{.blocks = 126, .selected = selected, .popular = popular};
      for (std::int64_t block = 0; block < 126; ++block) {
        std::set<std::int32_t> entries;
        for (int slot = 0; slot < selected; ++slot) entries.insert(lists.block(1, block, slot));
        EXPECT_EQ(static_cast<int>(entries.size()), selected);
        EXPECT_GE(*entries.begin(), 0);
        EXPECT_LT(*entries.rbegin(), 126);
      }
    }
}

/// The oracle's rows.
struct inverted {
  problem p;
  std::vector<std::int32_t> table, queries;
  std::vector<std::int64_t> offsets;

  inverted(problem of, std::vector<std::int32_t> lists) : p(of), table(std::move(lists)) {
    queries.assign(table.size(), -5);
    offsets.assign(static_cast<std::size_t>(p.rows() + 1), -5);
    p.table = table.data();
    p.queries = queries.data();
    p.offsets = offsets.data();
    reference(p);
  }
  std::vector<std::int32_t> row(std::size_t number) const {
    return {queries.begin() + offsets[number], queries.begin() + offsets[number + 1]};
  }
};

TEST(SelectionInversion, SkipsWhatIsNoBlockAndLeavesWhatIsBehind) {
  problem p;
  p.heads = 2, p.blocks = 3, p.selected = 2, p.lowest = 1;
  const inverted by_hand(p, {2, 1, -1, 3, 0, 2, /* head 1 */ -9, 2, 1 << 30, 1, 2, 1});
  using rows = std::vector<std::int32_t>;
  EXPECT_EQ(by_hand.offsets, (std::vector<std::int64_t>{0, 0, 1, 3, 3, 5, 7}));
  EXPECT_EQ(by_hand.row(1), (rows{0}));
  EXPECT_EQ(by_hand.row(2), (rows{0, 2}));
  EXPECT_EQ(by_hand.row(4), (rows{1, 2}));
  EXPECT_EQ(by_hand.row(5), (rows{0, 2}));
  EXPECT_EQ(by_hand.queries[7], -5);
}

TEST(SelectionInversion, IsTheExactTransposeOfTheLists) {
  const generated_lists lists{.blocks = 630, .selected = 32, .popular = popularity::skewed, .is_short = true};
  problem p;
  p.heads = 2, p.blocks = 630, p.selected = 32;
  std::vector<std::int32_t> table;
  std::set<std::pair<std::int64_t, std::int32_t>> pairs;
  for (std::int64_t list = 0; list < p.rows(); ++list)
    for (int slot = 0; slot < 32; ++slot) {
      table.push_back(lists.block(list / 630, list % 630, slot));
      if (table.back() >= 0)
        pairs.emplace(list / 630 * 630 + table.back(), static_cast<std::int32_t>(list % 630));
    }
  const inverted turned(p, table);
  std::set<std::pair<std::int64_t, std::int32_t>> found;
  for (std::size_t row = 0; row < 1260; ++row) {
    const std::vector<std::int32_t> queries = turned.row(row);
    EXPECT_TRUE(std::ranges::is_sorted(queries));
    for (const std::int32_t query : queries) found.emplace(static_cast<std::int64_t>(row), query);
  }
  EXPECT_EQ(found, pairs);
  EXPECT_EQ(static_cast<std::size_t>(turned.offsets.back()), pairs.size());
}

TEST(SelectionInversion, ItsReferencePassesItsCheck) {
  for (const char* lists : {"full", "short"})
    for (const char* popularity : {"even", "skewed", "hubs"})
      for (const char* rows : {"ordered", "any"}) {
        const solved_workload solved(
            inversion(),
            {{"images", "2"}, {"heads", "3"}, {"lists", lists}, {"popularity", popularity}, {"rows", rows}});
        EXPECT_TRUE(solved.check().ok) << lists << " " << popularity << " " << solved.check().message;
      }
}

TEST(SelectionInversion, TheCheckFindsOneEntryAndOneOffset) {
  const axis_values at = {{"images", "2"}, {"heads", "2"}};
  solved_workload entry(inversion(), at);
  entry.output<std::int32_t>("queries")[777] += 1;
  EXPECT_THAT(entry.check().message, HasSubstr("expected"));
  solved_workload offset(inversion(), at);
  offset.output<std::int64_t>("offsets")[126] -= 1;
  EXPECT_THAT(offset.check().message, HasSubstr("offset of row 126 of 252"));
  solved_workload end(inversion(), at);
  end.output<std::int64_t>("offsets").back() += 1;
  EXPECT_THAT(end.check().message, HasSubstr("offset of row 252 of 252"));
}

TEST(SelectionInversion, OnlyWhereRowsAreOrderedTheirOrderCounts) {
  for (const char* rows : {"ordered", "any"}) {
    solved_workload solved(inversion(), {{"images", "2"}, {"heads", "1"}, {"rows", rows}});
    const auto queries = solved.output<std::int32_t>("queries");
    // Row 0 has several entries.
    ASSERT_GT(solved.output<std::int64_t>("offsets")[1], 1);
    std::swap(queries[0], queries[1]);
    EXPECT_EQ(solved.check().ok, std::string(rows) == "any");
    queries[0] = queries[1];
    EXPECT_FALSE(solved.check().ok) << rows;
  }
}

TEST(SelectionInversion, SaysHowUnevenRowsAre) {
  const auto longest = [](const char* popularity) {
    const solved_workload solved(inversion(), {{"images", "16"}, {"heads", "1"}, {"popularity", popularity}});
    EXPECT_EQ(solved.work.input.at("entries"), 1008 * 32);
    EXPECT_EQ(solved.work.input.at("mean_row"), 32.0);
    return solved.work.input.at("longest_row").get<std::int64_t>();
  };
  EXPECT_LT(longest("even"), 70);
  EXPECT_GT(longest("skewed"), 200);
  EXPECT_GT(longest("hubs"), 450);
}

TEST(SelectionInversion, WordsHoldKeyAndQueryBlockOfAllLengths) {
  for (const std::int64_t images : {32, 64, 128, 256, 512, 1024}) {
    problem p;
    p.heads = 16, p.blocks = 63 * images;
    const word_bits bits(p);
    EXPECT_LE(bits.key + bits.query, 32) << images;
    EXPECT_GE(std::int64_t{1} << bits.key, p.blocks + 1);  // one more, for none
    EXPECT_GE(std::int64_t{1} << bits.query, p.blocks);
  }
  problem twice;
  twice.blocks = 63 * 2048;
  EXPECT_GT(word_bits(twice).key + word_bits(twice).query, 32);
}

TEST(SelectionInversion, HasMemoryForAllLengths) {
  problem p;
  p.heads = 16, p.blocks = 64512;
  EXPECT_EQ(p.entries(), 33'030'144);
  EXPECT_GE(sort_memory_bytes(p), 24u * 33'030'144u);
  EXPECT_LT(sort_memory_bytes(p), std::size_t{1} << 30);
  p.heads = 64, p.blocks = 129024, p.selected = 64;
  EXPECT_GT(sort_memory_bytes(p), 24ull * 528'000'000ull);
}

TEST(SelectionInversion, RefusesTokensThatAreNoWholeBlocks) {
  const auto refused = [](const axis_values& given) { return refusal_of(inversion(), given); };
  EXPECT_EQ(refused({{"images", "1024"}}), "");
  EXPECT_THAT(refused({{"images", "3"}, {"block", "32"}}), HasSubstr("not whole blocks of 32"));
  EXPECT_THAT(refused({{"selected", "12"}}), HasSubstr("a power of two"));
}

std::vector<std::string> differences(const char* one, const char* other) {
  return differing_switches(inversion(), one, other);
}

TEST(SelectionInversion, EachStepTurnsOneSwitch) {
  using names = std::vector<std::string>;
  EXPECT_EQ(differences("published", "sort_pairs"), names{"ends"});
  EXPECT_EQ(differences("sort_pairs", "sort_words"), names{"word"});
  EXPECT_EQ(differences("sort_words", "sort_words+word=32"), names{"word"});
  EXPECT_EQ(differences("published", "sort_words+ends=one_block_a_head"), names{"word"});
  EXPECT_EQ(differences("count_ordered", "count_ordered+ranks=kept"), names{"ranks"});
  EXPECT_EQ(differences("count_ordered", "count"), names{"rows"});
  EXPECT_EQ(differences("count", "count_kept_ranks"), names{"ranks"});
}

}  // namespace
}  // namespace ablate::list_transpose
