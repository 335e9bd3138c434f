// list_transpose on the GPU: every variant against the oracle, and on tables that no axis makes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/list_transpose/reference.h"
#include "tests/support/every_variant.cuh"

namespace ablate::test_support::list_transpose_gpu_test {
namespace {

class SelectionInversionOnGpu : public every_variant_test {
 protected:
  SelectionInversionOnGpu() : every_variant_test("list_transpose") {}

  static bool is_ordered(const variant_facts& v) {
    return !v.switches.has("rows") || v.switches.word("rows") == "ordered";
  }

  /// Every variant on a table of the test's own, against the oracle. One head.
  void expect_turned(variant_run& run, std::int64_t blocks, int selected,
                     const std::vector<std::int32_t>& table) const {
    run.put("table", table);
    std::vector<std::int32_t> queries(table.size());
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(blocks + 1));
    list_transpose::problem p;
    p.blocks = blocks;
    p.selected = selected;
    p.table = table.data();
    p.queries = queries.data();
    p.offsets = offsets.data();
    list_transpose::reference(p);
    for (const variant_facts& v : tested().variants) {
      run.check(v);
      ASSERT_EQ(run.contents<std::int64_t>("offsets"), offsets) << v.name;
      std::vector<std::int32_t> seen = run.contents<std::int32_t>("queries");
      for (std::size_t row = 0; !is_ordered(v) && row < static_cast<std::size_t>(blocks); ++row)
        std::sort(seen.begin() + offsets[row], seen.begin() + offsets[row + 1]);
      const auto taken = static_cast<std::size_t>(offsets.back());
      seen.resize(taken);
      ASSERT_EQ(seen, std::vector<std::int32_t>(queries.begin(), queries.begin() + offsets.back())) << v.name;
    }
  }
};

TEST_F(SelectionInversionOnGpu, ListsOfEveryLength) {
  for (const char* selected : {"1", "2", "8", "32", "64"})
    for (const char* lists : {"full", "short"})
      for (const char* rows : {"ordered", "any"}) {
        SCOPED_TRACE(std::string(selected) + ", " + lists + ", " + rows);
        expect_right(
            {{"images", "3"}, {"heads", "3"}, {"selected", selected}, {"lists", lists}, {"rows", rows}});
      }
}

TEST_F(SelectionInversionOnGpu, BlocksOfEverySizeAndOrder) {
  for (const char* block : {"16", "32", "64", "128"})
    for (const char* entries : {"by_index", "by_score"})
      for (const char* rows : {"ordered", "any"})
        expect_right({{"images", "8"},
                      {"heads", "2"},
                      {"block", block},
                      {"selected", "8"},
                      {"entries", entries},
                      {"rows", rows}});
}

TEST_F(SelectionInversionOnGpu, PopularBlocks) {
  for (const char* popularity : {"even", "skewed", "hubs"})
    for (const char* images : {"1", "8", "37"})
      for (const char* rows : {"ordered", "any"}) {
        SCOPED_TRACE(std::string(popularity) + ", " + images + ", " + rows);
        expect_right({{"images", images}, {"heads", "2"}, {"popularity", popularity}, {"rows", rows}});
        expect_right({{"images", images},
                      {"heads", "1"},
                      {"popularity", popularity},
                      {"lists", "short"},
                      {"rows", rows}});
      }
}

TEST_F(SelectionInversionOnGpu, ManyHeadsAndOne) {
  for (const char* heads : {"1", "16", "64"})
    expect_right({{"images", "2"}, {"heads", heads}, {"lists", "short"}});
  expect_right({{"images", "1"}, {"heads", "1"}, {"selected", "1"}});
}

TEST_F(SelectionInversionOnGpu, ThePublishedLengthsAreRight) {
  for (const char* images : {"512", "1024"})
    expect_right({{"images", images}, {"heads", "1"}, {"popularity", "skewed"}});
}

TEST_F(SelectionInversionOnGpu, BlocksThatDoNotFitAWordAreSaidSo) {
  variant_run run(tested(), {{"images", "2048"}, {"heads", "1"}, {"selected", "4"}}, inputs_);
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    if (v.name == "sort_words+word=32") {
      EXPECT_THROW(run.check(v), unsupported);
    } else {
      const check_result result = run.check(v);
      EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
    }
  }
}

TEST_F(SelectionInversionOnGpu, RowsOfEveryLengthAboutThoseThatAWarpSorts) {
  constexpr std::int64_t blocks = 1008;
  constexpr int selected = 64;
  const int lengths[] = {0,   1,   2,   3,   4,   5,   31,  32,  33,  34,  63,  64,  65,   66,   95,
                         96,  97,  124, 125, 126, 127, 128, 129, 130, 131, 159, 160, 161,  255,  256,
                         257, 383, 384, 385, 511, 512, 513, 700, 992, 993, 994, 995, 1000, 1007, 1008};
  // Slot s of the first lengths[s] lists names block 15 s, of the others none.
  std::vector<std::int32_t> table(static_cast<std::size_t>(blocks * selected), -1);
  for (std::size_t slot = 0; slot < std::size(lengths); ++slot)
    for (std::size_t query = 0; query < static_cast<std::size_t>(lengths[slot]); ++query)
      table[query * selected + slot] = static_cast<std::int32_t>(15 * slot);
  variant_run run(tested(), {{"images", "16"}, {"heads", "1"}, {"selected", "64"}, {"rows", "any"}}, inputs_);
  expect_turned(run, blocks, selected, table);
  // The same from the last list on, so that bits are elsewhere.
  std::vector<std::int32_t> reversed(table.size(), -1);
  for (std::size_t query = 0; query < blocks; ++query)
    std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(query * selected), selected,
                reversed.begin() + static_cast<std::ptrdiff_t>((blocks - 1 - query) * selected));
  expect_turned(run, blocks, selected, reversed);
}

TEST_F(SelectionInversionOnGpu, EntriesOutsideOfTheTableAreSkipped) {
  constexpr std::int64_t blocks = 126;
  variant_run run(tested(), {{"images", "2"}, {"heads", "1"}, {"rows", "any"}}, inputs_);
  std::vector<std::int32_t> table(static_cast<std::size_t>(blocks) * 32);
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = i % 4 == 0 ? 126 : i % 4 == 1 ? -7 : i % 4 == 2 ? 1 << 30 : static_cast<std::int32_t>(i % 126);
  // One entry of a list names a block, at most once.
  for (std::size_t list = 0; list < 126; ++list)
    for (std::size_t slot = 3; slot < 32; slot += 4)
      if (slot != 3 + list % 8 * 4) table[list * 32 + slot] = -1;
  expect_turned(run, blocks, 32, table);
  expect_turned(run, blocks, 32, std::vector<std::int32_t>(table.size(), -1));
}

TEST_F(SelectionInversionOnGpu, OrderedRowsAreTheSameEachTime) {
  for (const char* popularity : {"even", "hubs"}) {
    variant_run run(tested(), {{"images", "16"}, {"heads", "2"}, {"popularity", popularity}}, inputs_);
    std::vector<std::int32_t> first;
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v)) continue;
      for (int time = 0; time < 3; ++time) {
        ASSERT_TRUE(run.check(v).ok) << v.name;
        const std::vector<std::int32_t> seen = run.contents<std::int32_t>("queries");
        if (first.empty()) first = seen;
        EXPECT_EQ(seen, first) << v.name;
      }
    }
  }
}

}  // namespace
}  // namespace ablate::test_support::list_transpose_gpu_test
