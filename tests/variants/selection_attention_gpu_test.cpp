// selection_attention on the GPU: every variant against plain fp32 attention and the fp64 oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::selection_attention_gpu_test {
namespace {

class SelectionAttentionOnGpu : public every_variant_test {
 protected:
  SelectionAttentionOnGpu() : every_variant_test("selection_attention") {}

  std::vector<float> outputs_of(variant_run& run, const variant_facts& v) const {
    EXPECT_TRUE(run.check(v).ok) << v.name;
    std::vector<float> values;
    for (const std::uint16_t bits : run.contents<std::uint16_t>("out"))
      values.push_back(window_attention::float_of_bf16(bits));
    return values;
  }
};

TEST_F(SelectionAttentionOnGpu, ListsOfEveryLength) {
  for (const char* selected : {"1", "2", "4", "8", "16", "32", "64"})
    for (const char* lists : {"full", "short"})
      for (const char* images : {"1", "3"}) {
        SCOPED_TRACE(std::string(selected) + ", " + lists + ", " + images);
        expect_right({{"images", images}, {"heads", "3"}, {"selected", selected}, {"lists", lists}});
      }
}

TEST_F(SelectionAttentionOnGpu, BlocksOfEverySize) {
  for (const char* block : {"16", "32", "64", "128"})
    for (const char* selected : {"2", "32"})
      for (const char* entries : {"by_index", "by_score"}) {
        SCOPED_TRACE(std::string(block) + ", " + selected + ", " + entries);
        expect_right({{"images", "8"},
                      {"heads", "2"},
                      {"block", block},
                      {"selected", selected},
                      {"entries", entries},
                      {"lists", "short"}});
      }
}

TEST_F(SelectionAttentionOnGpu, EntriesThatNeighborsShare) {
  for (const char* shared : {"0", "9", "16"})
    expect_right({{"images", "5"}, {"heads", "2"}, {"shared", shared}});
}

TEST_F(SelectionAttentionOnGpu, ListsOfWholeGroups) {
  // 63 to 504 tiles of 16 queries: last groups of 16, 32, 48 and 64.
  for (const char* images : {"1", "2", "3", "8"})
    for (const char* selected : {"1", "2", "8", "32", "64"})
      for (const char* entries : {"by_index", "by_score"}) {
        SCOPED_TRACE(std::string(images) + ", " + selected + ", " + entries);
        expect_right({{"images", images},
                      {"heads", "3"},
                      {"selected", selected},
                      {"shared", "16"},
                      {"entries", entries}});
      }
  for (const char* block : {"16", "32", "64", "128"})
    for (const char* gate : {"none", "applied"})
      for (const char* rule : {"competes", "forced", "masked"}) {
        SCOPED_TRACE(std::string(block) + ", " + gate + ", " + rule);
        expect_right({{"images", "8"},
                      {"heads", "2"},
                      {"block", block},
                      {"selected", "8"},
                      {"shared", "16"},
                      {"gate", gate},
                      {"first_frame", rule}});
      }
  for (const char* scores : {"large", "ascending", "descending", "nan_key", "inf_key", "nan_value"})
    expect_right({{"images", "3"}, {"heads", "2"}, {"shared", "16"}, {"scores", scores}});
}

TEST_F(SelectionAttentionOnGpu, ScoresOfEveryKind) {
  for (const char* scores : {"unit", "large", "ascending", "descending", "nan_key", "inf_key", "nan_value"})
    for (const char* entries : {"by_index", "by_score"}) {
      SCOPED_TRACE(std::string(scores) + ", " + entries);
      expect_right({{"images", "2"}, {"heads", "2"}, {"scores", scores}, {"entries", entries}});
      expect_right({{"images", "1"}, {"heads", "2"}, {"scores", scores}, {"selected", "64"}});
    }
}

TEST_F(SelectionAttentionOnGpu, ManyBlocksAndAllThatNeighborsName) {
  // Bitmaps of several words a thread; 13 images are no whole number of thread blocks of query tiles.
  expect_right({{"images", "150"}, {"heads", "1"}, {"shared", "9"}});
  expect_right({{"images", "13"}, {"heads", "2"}, {"selected", "64"}, {"entries", "by_score"}});
}

TEST_F(SelectionAttentionOnGpu, GatesInTheEpilogueAndApart) {
  for (const char* block : {"16", "64"})
    for (const char* lists : {"full", "short"})
      expect_right(
          {{"images", "4"}, {"heads", "3"}, {"block", block}, {"lists", lists}, {"gate", "applied"}});
}

TEST_F(SelectionAttentionOnGpu, AFirstFrameThatIsForcedOrMasked) {
  for (const char* rule : {"forced", "masked"})
    for (const char* images : {"1", "3", "8"})
      for (const char* lists : {"full", "short"}) {
        SCOPED_TRACE(std::string(rule) + ", " + images + ", " + lists);
        expect_right({{"images", images}, {"heads", "2"}, {"lists", lists}, {"first_frame", rule}});
        expect_right({{"images", images}, {"heads", "2"}, {"gate", "applied"}, {"first_frame", rule}});
      }
  for (const char* rule : {"forced", "masked"})
    expect_right(
        {{"images", "8"}, {"heads", "2"}, {"block", "128"}, {"selected", "8"}, {"first_frame", rule}});
}

TEST_F(SelectionAttentionOnGpu, OneHeadOfOneImage) {
  expect_right({{"images", "1"}, {"heads", "1"}, {"selected", "1"}});
}

TEST_F(SelectionAttentionOnGpu, EntriesOutsideOfTheTableAreSkipped) {
  variant_run run(tested(), {{"images", "1"}, {"heads", "1"}}, inputs_);
  auto table = run.contents<std::int32_t>("table");
  // Leaves one valid block, in the middle of the first list.
  for (std::size_t i = 0; i < 32; ++i) table[i] = i % 3 == 0 ? 63 : i % 3 == 1 ? -7 : 1 << 30;
  table[17] = 40;
  run.put("table", table);
  const auto values = run.contents<std::uint16_t>("v");
  auto k = run.contents<std::uint16_t>("k");
  for (std::size_t i = 40 * 16 * 64; i < 41 * 16 * 64; ++i) k[i] = 0;
  run.put("k", k);
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    run.check(v);
    const auto out = run.contents<std::uint16_t>("out");
    for (std::size_t d = 0; d < 64; ++d) {
      double mean = 0;
      for (std::size_t token = 40 * 16; token < 41 * 16; ++token)
        mean += window_attention::float_of_bf16(values[token * 64 + d]) / 16.0;
      EXPECT_NEAR(window_attention::float_of_bf16(out[d]), mean, 0.01) << v.name << ", element " << d;
    }
  }
}

TEST_F(SelectionAttentionOnGpu, ValuesThatAreConstantStayWhatTheyAre) {
  variant_run run(tested(), {{"images", "2"}, {"heads", "2"}}, inputs_);
  auto values = run.contents<std::uint16_t>("v");
  std::ranges::fill(values, window_attention::bf16_of(1.25f));
  run.put("v", values);
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    run.check(v);
    for (const std::uint16_t bits : run.contents<std::uint16_t>("out"))
      ASSERT_NEAR(window_attention::float_of_bf16(bits), 1.25f, 0.01f) << v.name;
  }
}

TEST_F(SelectionAttentionOnGpu, TheOrderOfEntriesAndWhereWorkStandsLeaveTheOutputs) {
  const auto run_of = [&](const char* entries) {
    return variant_run(tested(), {{"images", "2"}, {"heads", "2"}, {"entries", entries}}, inputs_);
  };
  variant_run by_index = run_of("by_index"), by_score = run_of("by_score");
  for (const variant_facts& v : tested().variants) {
    if (!by_index.applies(v)) continue;
    const std::vector<float> one = outputs_of(by_index, v), other = outputs_of(by_score, v);
    for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(one[i], other[i], 0.02f) << v.name << " " << i;
  }
  EXPECT_EQ(outputs_of(by_index, test_support::named_variant(tested(), "direct")),
            outputs_of(by_index, test_support::named_variant(tested(), "direct+grid=by_tile")));
  EXPECT_EQ(outputs_of(by_index, test_support::named_variant(tested(), "direct")),
            outputs_of(by_index, test_support::named_variant(tested(), "direct_two_ahead")));
  EXPECT_EQ(outputs_of(by_index, test_support::named_variant(tested(), "direct")),
            outputs_of(by_index, test_support::named_variant(tested(), "direct_16_warps")));
  EXPECT_EQ(outputs_of(by_index, test_support::named_variant(tested(), "staged")),
            outputs_of(by_index, test_support::named_variant(tested(), "staged_8_warps")));
  // Whatever the order of entries, the union has them by index.
  const variant_facts& of_union = test_support::named_variant(tested(), "union_8_warps");
  EXPECT_EQ(outputs_of(by_index, test_support::named_variant(tested(), "staged")),
            outputs_of(by_index, of_union));
  EXPECT_EQ(outputs_of(by_score, of_union), outputs_of(by_index, of_union));
}

TEST_F(SelectionAttentionOnGpu, ASpoiledRowOrLogSumIsFoundOut) {
  variant_run run(tested(), {{"images", "3"}, {"heads", "2"}}, inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "direct");
  element_spoiler{run, v}.expect_found("out", (3024 + 1777) * 64 + 5, std::uint16_t{0x4000},
                                       "row 1777, head 1");
  ASSERT_TRUE(run.check(v).ok);
  auto lse = run.contents<float>("lse");
  lse[100] += 0.05f;
  run.put("lse", lse);
  EXPECT_FALSE(run.check_outputs(v).ok);
}

}  // namespace
}  // namespace ablate::test_support::selection_attention_gpu_test
