// compression_attention on the GPU: every variant against plain fp32 attention and the fp64 oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::compression_attention_gpu_test {
namespace {

class CompressionAttentionOnGpu : public every_variant_test {
 protected:
  CompressionAttentionOnGpu() : every_variant_test("compression_attention") {}
};

TEST_F(CompressionAttentionOnGpu, RowsOfEveryNumber) {
  // 63 to 504 rows: partial last tiles of keys and of queries.
  for (const char* images : {"1", "2", "3", "5", "8"})
    for (const char* lists : {"by_score", "by_index", "none"}) {
      SCOPED_TRACE(std::string(images) + ", " + lists);
      expect_right({{"images", images}, {"heads", "3"}, {"lists", lists}});
    }
}

TEST_F(CompressionAttentionOnGpu, EmptyPlacesHoldNoRow) {
  variant_run run(tested(), {{"images", "1"}, {"heads", "1"}}, inputs_);
  auto k = run.contents<std::uint16_t>("k");
  // All but five keys are NaN: a row has five scores for 32 places.
  for (std::size_t key = 0; key < 63; ++key)
    if (key % 13 != 4) k[key * 64 + 7] = 0x7fc0;
  run.put("k", k);
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    run.check(v);
    auto table = run.contents<std::int32_t>("table");
    for (std::size_t row = 0; row < 63; ++row) {
      const auto list = table.begin() + static_cast<std::ptrdiff_t>(row * 32);
      std::sort(list, list + 5);
      ASSERT_EQ(std::vector<std::int32_t>(list, list + 5), (std::vector<std::int32_t>{4, 17, 30, 43, 56}))
          << v.name;
      ASSERT_EQ(std::count(list, list + 32, -1), 27) << v.name << ", row " << row;
    }
  }
}

TEST_F(CompressionAttentionOnGpu, ListsOfEveryLength) {
  for (const char* selected : {"1", "2", "8", "13", "16", "31", "32", "33", "47", "64"})
    for (const char* scores : {"integers", "correspondences"}) {
      SCOPED_TRACE(std::string(selected) + ", " + scores);
      expect_right({{"images", "9"}, {"heads", "2"}, {"selected", selected}, {"scores", scores}});
    }
}

TEST_F(CompressionAttentionOnGpu, ScoresOfEveryKind) {
  for (const char* scores :
       {"correspondences", "unit", "integers", "ascending", "descending", "equal", "large", "nan_key"})
    for (const char* lists : {"by_score", "by_index", "none"}) {
      SCOPED_TRACE(std::string(scores) + ", " + lists);
      expect_right({{"images", "20"}, {"heads", "2"}, {"lists", lists}, {"scores", scores}});
    }
}

TEST_F(CompressionAttentionOnGpu, ListsOfSixtyFourInEveryOrder) {
  // Of one image a list has fewer scores than places.
  for (const char* images : {"1", "9"})
    for (const char* scores : {"correspondences", "integers", "ascending", "descending", "equal", "nan_key"})
      for (const char* lists : {"by_score", "by_index"}) {
        SCOPED_TRACE(std::string(images) + ", " + scores + ", " + lists);
        expect_right(
            {{"images", images}, {"heads", "2"}, {"selected", "64"}, {"lists", lists}, {"scores", scores}});
      }
}

TEST_F(CompressionAttentionOnGpu, TheFirstFrameInNoList) {
  for (const char* images : {"1", "2", "5", "20"})
    for (const char* scores :
         {"correspondences", "integers", "ascending", "descending", "equal", "nan_key"}) {
      SCOPED_TRACE(std::string(images) + ", " + scores);
      expect_right({{"images", images}, {"heads", "2"}, {"scores", scores}, {"first_frame", "forced"}},
                   [](const variant_facts& v, variant_run& run) {
                     for (const std::int32_t entry : run.contents<std::int32_t>("table"))
                       ASSERT_TRUE(entry == -1 || entry >= 63) << v.name << ": " << entry;
                   });
    }
  expect_right(
      {{"images", "8"}, {"heads", "2"}, {"block", "128"}, {"selected", "8"}, {"first_frame", "forced"}});
}

TEST_F(CompressionAttentionOnGpu, ImagesWithCutBlocks) {
  for (const char* images : {"1", "3", "20"})
    for (const char* rule : {"competes", "forced"})
      expect_right({{"images", images}, {"heads", "2"}, {"first_frame", rule}, {"geometry", "vggt"}});
}

TEST_F(CompressionAttentionOnGpu, AllWaysToChooseGiveTheSameTable) {
  for (const char* scores : {"correspondences", "integers", "ascending"}) {
    variant_run run(tested(), {{"images", "32"}, {"heads", "2"}, {"scores", scores}}, inputs_);
    std::vector<std::int32_t> first;
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v)) continue;
      const check_result result = run.check(v);
      ASSERT_TRUE(result.ok) << v.name << ": " << result.message;
      const auto table = run.contents<std::int32_t>("table");
      if (first.empty()) first = table;
      EXPECT_EQ(table, first) << v.name << ", " << scores;
    }
  }
}

TEST_F(CompressionAttentionOnGpu, ScoresComparedAsBf16) {
  for (const char* images : {"1", "5", "20"})
    for (const char* scores :
         {"correspondences", "unit", "integers", "ascending", "descending", "equal", "large", "nan_key"})
      for (const char* lists : {"by_score", "by_index"}) {
        SCOPED_TRACE(std::string(images) + ", " + scores + ", " + lists);
        expect_right(
            {{"images", images}, {"heads", "2"}, {"lists", lists}, {"scores", scores}, {"compared", "bf16"}});
      }
  expect_right(
      {{"images", "9"}, {"heads", "2"}, {"selected", "13"}, {"first_frame", "forced"}, {"compared", "bf16"}});
}

TEST_F(CompressionAttentionOnGpu, RanksOfEitherLengthGiveTheSameTable) {
  for (const char* scores : {"correspondences", "integers", "ascending"}) {
    variant_run run(tested(), {{"images", "32"}, {"heads", "2"}, {"scores", scores}, {"compared", "bf16"}},
                    inputs_);
    ASSERT_TRUE(run.check(test_support::named_variant(tested(), "sorted_tiles")).ok);
    const auto in_64_bits = run.contents<std::int32_t>("table");
    ASSERT_TRUE(run.check(test_support::named_variant(tested(), "sorted_tiles_in_32_bits")).ok);
    EXPECT_EQ(run.contents<std::int32_t>("table"), in_64_bits) << scores;
  }
}

TEST_F(CompressionAttentionOnGpu, BoundsOnListsAreFoundAmongManyTiles) {
  // From 33 tiles of 64 keys on a list of 32 has a bound; below, every tile is computed again.
  for (const char* images : {"9", "34", "70"})
    for (const char* selected : {"1", "8", "32", "64"})
      for (const char* scores : {"correspondences", "unit", "integers", "ascending", "descending"}) {
        SCOPED_TRACE(std::string(images) + ", " + selected + ", " + scores);
        variant_run run(tested(),
                        {{"images", images}, {"heads", "2"}, {"selected", selected}, {"scores", scores}},
                        inputs_);
        const check_result result = run.check(test_support::named_variant(tested(), "recomputed"));
        EXPECT_TRUE(result.ok) << result.message;
      }
}

TEST_F(CompressionAttentionOnGpu, KeysInAnotherOrderAreListedInTheirPlaces) {
  constexpr std::size_t rows = 20 * 63, width = 64;
  variant_run run(tested(), {{"images", "20"}, {"heads", "2"}, {"scores", "unit"}}, inputs_);
  const auto tables_and_outputs = [&] {
    std::vector<std::pair<std::vector<std::int32_t>, std::vector<std::uint16_t>>> all;
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v)) continue;
      run.launch(v);
      all.emplace_back(run.contents<std::int32_t>("table"), run.contents<std::uint16_t>("out"));
    }
    return all;
  };
  const auto before = tables_and_outputs();
  for (const char* buffer : {"k", "v"}) {
    const auto in_order = run.contents<std::uint16_t>(buffer);
    auto backward = in_order;
    for (std::size_t row = 0; row < 2 * rows; ++row)
      std::copy_n(&in_order[row * width], width,
                  &backward[(row / rows * rows + rows - 1 - row % rows) * width]);
    run.put(buffer, backward);
  }
  const auto after = tables_and_outputs();
  for (std::size_t variant = 0; variant < before.size(); ++variant) {
    std::size_t different = 0;
    for (std::size_t i = 0; i < before[variant].first.size(); ++i)
      different += after[variant].first[i] != static_cast<std::int32_t>(rows) - 1 - before[variant].first[i];
    // Scores that fp32 holds equal go by their places.
    EXPECT_LE(different, before[variant].first.size() / 1000) << variant;
    for (std::size_t i = 0; i < before[variant].second.size(); ++i)
      ASSERT_NEAR(window_attention::float_of_bf16(after[variant].second[i]),
                  window_attention::float_of_bf16(before[variant].second[i]), 0.02)
          << variant << ", " << i;
  }
}

TEST_F(CompressionAttentionOnGpu, ScoresWrittenInSeveralChunks) {
  variant_run run(tested(), {{"images", "256"}, {"heads", "64"}}, inputs_);
  const check_result result = run.check(test_support::named_variant(tested(), "two_pass"));
  EXPECT_TRUE(result.ok) << result.message;
}

TEST_F(CompressionAttentionOnGpu, SpoiledRowsAndListsAreFoundOut) {
  variant_run run(tested(), {{"images", "3"}, {"heads", "2"}}, inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "threshold");
  const auto spoiled = [&](std::size_t at, auto spoil) {
    EXPECT_TRUE(run.check(v).ok);
    auto table = run.contents<std::int32_t>("table");
    spoil(&table[at * 32]);
    run.put("table", table);
    const check_result result = run.check_outputs(v);
    EXPECT_FALSE(result.ok);
    return result.message;
  };
  using ::std::string;
  EXPECT_NE(spoiled(189 + 100, [](std::int32_t* list) { list[31] = list[30]; }).find("row 100, head 1"),
            string::npos);
  EXPECT_NE(spoiled(7, [](std::int32_t* list) { std::swap(list[0], list[31]); }).find("order"), string::npos);
  EXPECT_NE(spoiled(7, [](std::int32_t* list) { list[31] = -1; }).find("ends early"), string::npos);
  EXPECT_NE(spoiled(188, [](std::int32_t* list) { list[5] = 189; }).find("no key row"), string::npos);
  spoiled(50, [](std::int32_t* list) {
    std::int32_t other = 0;
    while (std::find(list, list + 32, other) != list + 32) ++other;
    list[0] = other;
  });
  element_spoiler{run, v}.expect_found("out", (189 + 177) * 64 + 5, std::uint16_t{0x4000}, "row 177, head 1");
  ASSERT_TRUE(run.check(v).ok);
  auto lse = run.contents<float>("lse");
  lse[100] += 0.05f;
  run.put("lse", lse);
  EXPECT_FALSE(run.check_outputs(v).ok);
}

}  // namespace
}  // namespace ablate::test_support::compression_attention_gpu_test
