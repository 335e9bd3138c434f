// gated_attention on the GPU: every variant part by part against plain arithmetic, and whole against the fp64
// oracle; and what must hold of the layer whatever its kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::gated_attention_gpu_test {
namespace {

using window_attention::bf16_of;
using window_attention::float_of_bf16;

constexpr std::size_t width = 64;

class GatedAttentionOnGpu : public every_variant_test {
 protected:
  GatedAttentionOnGpu() : every_variant_test("gated_attention") {}

  static const operation& dense_attention() { return *find_operation("dense_attention"); }

  /// Launches each variant on the buffers' current contents; `then(name, outputs)`.
  template <class Then>
  void with_outputs(variant_run& run, Then then) const {
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v)) continue;
      run.launch(v);
      then(v.name, run.contents<std::uint16_t>("out"));
    }
  }

  /// The same two gates for all.
  static void put_gates(const variant_run& run, float of_compressed, float of_selected) {
    auto gates = run.contents<float>("gates");
    for (std::size_t i = 0; i < gates.size(); i += 2) {
      gates[i] = of_compressed;
      gates[i + 1] = of_selected;
    }
    run.put("gates", gates);
  }
};

TEST_F(GatedAttentionOnGpu, ImagesOfEveryNumber) {
  for (const char* images : {"1", "2", "3", "5", "8", "33"})
    for (const char* heads : {"1", "5"}) {
      SCOPED_TRACE(std::string(images) + ", " + heads);
      expect_right({{"images", images}, {"heads", heads}});
    }
}

TEST_F(GatedAttentionOnGpu, BlocksAndListsOfEverySize) {
  for (const char* block : {"16", "32", "64", "128"})
    for (const char* selected : {"1", "8", "13", "32", "33", "64"}) {
      SCOPED_TRACE(std::string(block) + ", " + selected);
      expect_right({{"images", "8"}, {"heads", "2"}, {"block", block}, {"selected", selected}});
    }
}

TEST_F(GatedAttentionOnGpu, ScoresOfEveryKind) {
  for (const char* scores : {"scene", "unit", "integers", "ascending", "equal"})
    for (const char* block : {"16", "64"}) {
      SCOPED_TRACE(std::string(scores) + ", " + block);
      expect_right({{"images", "20"}, {"heads", "2"}, {"block", block}, {"scores", scores}});
    }
}

TEST_F(GatedAttentionOnGpu, ListsThatAreGiven) {
  for (const char* images : {"1", "20"}) {
    variant_run run(tested(), {{"images", images}, {"heads", "2"}, {"lists", "given"}}, inputs_);
    const variant_facts& v = test_support::named_variant(tested(), "given_lists");
    run.launch(v);
    const check_result result = run.check_outputs(v);
    EXPECT_TRUE(result.ok) << images << ": " << result.message;
  }
}

TEST_F(GatedAttentionOnGpu, WhatGoesAheadOfAttentionIsRightByItself) {
  for (const char* geometry : {"s3r", "vggt"}) {
    SCOPED_TRACE(geometry);
    expect_right({{"images", "5"}, {"heads", "2"}, {"geometry", geometry}, {"region", "ahead"}});
  }
}

TEST_F(GatedAttentionOnGpu, TheFirstFrameByEveryRule) {
  for (const char* rule : {"forced", "masked", "dense"})
    for (const char* images : {"1", "2", "3", "12"}) {
      SCOPED_TRACE(std::string(rule) + ", " + images);
      expect_right({{"images", images}, {"heads", "2"}, {"first_frame", rule}});
    }
  for (const char* rule : {"forced", "masked", "dense"})
    for (const char* block : {"32", "64", "128"}) {
      SCOPED_TRACE(std::string(rule) + ", blocks of " + block);
      expect_right(
          {{"images", "8"}, {"heads", "2"}, {"block", block}, {"selected", "8"}, {"first_frame", rule}});
    }
}

TEST_F(GatedAttentionOnGpu, AForcedFirstFrameIsInNoList) {
  expect_right({{"images", "4"}, {"heads", "2"}, {"first_frame", "forced"}},
               [](const variant_facts& v, variant_run& run) {
                 for (const std::int32_t entry : run.contents<std::int32_t>("table"))
                   ASSERT_GE(entry, 63) << v.name;
               });
}

TEST_F(GatedAttentionOnGpu, ValuesOfAMaskedFirstFrameDoNotReachTheSelection) {
  variant_run run(tested(), {{"images", "3"}, {"heads", "2"}, {"first_frame", "masked"}}, inputs_);
  put_gates(run, 0, 1);
  auto values = run.contents<std::uint16_t>("v");
  std::vector<std::vector<std::uint16_t>> before;
  with_outputs(run,
               [&](const std::string&, const std::vector<std::uint16_t>& out) { before.push_back(out); });
  for (const std::size_t head : {0u, 1u})
    for (std::size_t i = 0; i < 1008 * width; ++i) values[head * 3024 * width + i] = bf16_of(100);
  run.put("v", values);
  std::size_t variant = 0;
  with_outputs(run, [&](const std::string& name, const std::vector<std::uint16_t>& out) {
    EXPECT_EQ(out, before[variant++]) << name;
  });
}

TEST_F(GatedAttentionOnGpu, ADenseFirstFrameIsDenseAttention) {
  variant_run dense(dense_attention(), {{"images", "3"}, {"heads", "2"}}, inputs_);
  ASSERT_TRUE(dense.check(test_support::named_variant(dense_attention(), "mma")).ok);
  const auto expected = dense.contents<std::uint16_t>("out");
  variant_run run(tested(), {{"images", "3"}, {"heads", "2"}, {"first_frame", "dense"}}, inputs_);
  with_outputs(run, [&](const std::string& name, const std::vector<std::uint16_t>& out) {
    for (const std::size_t head : {0u, 1u})
      for (std::size_t i = 0; i < 1008 * width; ++i) {
        const std::size_t at = head * 3024 * width + i;
        ASSERT_NEAR(float_of_bf16(out[at]), float_of_bf16(expected[at]), 0.02) << name << ", " << at / width;
      }
  });
}

TEST_F(GatedAttentionOnGpu, SpecialTokensAndCutBlocks) {
  for (const char* images : {"1", "2", "3", "5", "33"})
    for (const char* rule : {"competes", "forced", "masked", "dense"}) {
      SCOPED_TRACE(std::string(images) + ", " + rule);
      expect_right({{"images", images}, {"heads", "2"}, {"first_frame", rule}, {"geometry", "vggt"}});
    }
  for (const char* scores : {"unit", "integers", "ascending", "equal"})
    expect_right({{"images", "20"}, {"heads", "2"}, {"scores", scores}, {"geometry", "vggt"}});
}

TEST_F(GatedAttentionOnGpu, SpecialTokensAreThoseOfDenseAttention) {
  variant_run dense(dense_attention(), {{"images", "3"}, {"heads", "2"}, {"geometry", "vggt"}}, inputs_);
  ASSERT_TRUE(dense.check(test_support::named_variant(dense_attention(), "mma")).ok);
  const auto expected = dense.contents<std::uint16_t>("out");
  variant_run run(tested(), {{"images", "3"}, {"heads", "2"}, {"geometry", "vggt"}}, inputs_);
  with_outputs(run, [&](const std::string& name, const std::vector<std::uint16_t>& out) {
    for (const std::size_t head : {0u, 1u})
      for (std::size_t i = 3 * 1036 * width; i < 3 * 1041 * width; ++i) {
        const std::size_t at = head * 3 * 1041 * width + i;
        ASSERT_NEAR(float_of_bf16(out[at]), float_of_bf16(expected[at]), 0.02) << name << ", " << at / width;
      }
  });
}

TEST_F(GatedAttentionOnGpu, AllWaysToChooseGiveTheSameTable) {
  for (const char* scores : {"scene", "integers"}) {
    variant_run run(tested(), {{"images", "32"}, {"heads", "2"}, {"scores", scores}}, inputs_);
    std::vector<std::int32_t> first;
    for (const char* name : {"published", "threshold", "two_pass"}) {
      const check_result result = run.check(test_support::named_variant(tested(), name));
      ASSERT_TRUE(result.ok) << name << ": " << result.message;
      const auto table = run.contents<std::int32_t>("table");
      if (first.empty()) first = table;
      EXPECT_EQ(table, first) << name << ", " << scores;
    }
  }
}

TEST_F(GatedAttentionOnGpu, ListsNameBlocksOnceEachInAscendingOrder) {
  expect_right({{"images", "5"}, {"heads", "2"}}, [](const variant_facts& v, variant_run& run) {
    const auto table = run.contents<std::int32_t>("table");
    for (std::size_t list = 0; list < table.size(); list += 32) {
      const std::set<std::int32_t> blocks(&table[list], &table[list] + 32);
      ASSERT_EQ(blocks.size(), 32u) << v.name << ", list " << list / 32;
      ASSERT_GE(*blocks.begin(), 0);
      ASSERT_LT(*blocks.rbegin(), 315);
      ASSERT_TRUE(std::is_sorted(&table[list], &table[list] + 32)) << v.name << ", list " << list / 32;
    }
  });
}

TEST_F(GatedAttentionOnGpu, EqualKeysSelectTheFirstBlocksAndTheMeanOfTheirValues) {
  variant_run run(tested(), {{"images", "2"}, {"heads", "1"}, {"selected", "4"}, {"scores", "equal"}},
                  inputs_);
  put_gates(run, 0, 1);
  const auto values = run.contents<std::uint16_t>("v");
  with_outputs(run, [&](const std::string& name, const std::vector<std::uint16_t>& out) {
    const auto table = run.contents<std::int32_t>("table");
    for (std::size_t list = 0; list < table.size(); list += 4)
      for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(table[list + i], static_cast<std::int32_t>(i)) << name;
    for (std::size_t d = 0; d < width; ++d) {
      double mean = 0;
      for (std::size_t token = 0; token < 64; ++token)
        mean += float_of_bf16(values[token * width + d]) / 64.0;
      for (const std::size_t token : {0, 777, 2015})
        ASSERT_NEAR(float_of_bf16(out[token * width + d]), mean, 0.01) << name << ", token " << token;
    }
  });
}

TEST_F(GatedAttentionOnGpu, ValuesThatAreConstantStayWhatTheyAre) {
  variant_run run(tested(), {{"images", "2"}, {"heads", "2"}}, inputs_);
  auto values = run.contents<std::uint16_t>("v");
  std::ranges::fill(values, bf16_of(1.25f));
  run.put("v", values);
  put_gates(run, 0.25f, 0.5f);
  with_outputs(run, [](const std::string& name, const std::vector<std::uint16_t>& out) {
    for (const std::uint16_t bits : out) ASSERT_NEAR(float_of_bf16(bits), 0.75 * 1.25, 0.01) << name;
  });
}

TEST_F(GatedAttentionOnGpu, GatesOfOneAndZeroLeaveOneOfBoth) {
  variant_run run(tested(), {{"images", "2"}, {"heads", "2"}}, inputs_);
  put_gates(run, 1, 0);
  with_outputs(run, [&](const std::string& name, const std::vector<std::uint16_t>& out) {
    const auto compressed = run.contents<std::uint16_t>("compressed");
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t row = i / width;
      ASSERT_EQ(float_of_bf16(out[i]), float_of_bf16(compressed[row / 16 * width + i % width]))
          << name << ", row " << row;
    }
  });
  // Of the selection alone nothing depends on the values' means.
  put_gates(run, 0, 1);
  std::vector<std::uint16_t> first;
  with_outputs(run, [&](const std::string& name, const std::vector<std::uint16_t>& out) {
    if (first.empty()) first = out;
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_NEAR(float_of_bf16(out[i]), float_of_bf16(first[i]), 0.03) << name << ", row " << i / width;
  });
}

TEST_F(GatedAttentionOnGpu, AShiftOfAllScoresLeavesTheLists) {
  variant_run run(tested(), {{"images", "3"}, {"heads", "1"}}, inputs_);
  auto q = run.contents<std::uint16_t>("q"), k = run.contents<std::uint16_t>("k");
  const variant_facts& v = test_support::named_variant(tested(), "threshold");
  std::vector<std::vector<std::int32_t>> tables;
  std::vector<std::vector<std::uint16_t>> outputs;
  for (const float shift : {0.0f, 4.0f, -8.0f}) {
    for (std::size_t i = 0; i < q.size(); i += width) {
      q[i] = bf16_of(1);
      k[i] = bf16_of(shift);
    }
    run.put("q", q);
    run.put("k", k);
    run.launch(v);
    tables.push_back(run.contents<std::int32_t>("table"));
    outputs.push_back(run.contents<std::uint16_t>("out"));
  }
  for (std::size_t i = 1; i < tables.size(); ++i) {
    // Scores that fp32 rounds to one another may change places.
    std::size_t different = 0;
    for (std::size_t at = 0; at < tables[0].size(); ++at) different += tables[i][at] != tables[0][at];
    EXPECT_LE(different, tables[0].size() / 1000);
    std::size_t off = 0;
    for (std::size_t at = 0; at < outputs[0].size(); ++at)
      off += std::abs(float_of_bf16(outputs[i][at]) - float_of_bf16(outputs[0][at])) > 0.03f;
    EXPECT_LE(off, outputs[0].size() / 1000);
  }
}

TEST_F(GatedAttentionOnGpu, MoreBlocksKeepMoreOfTheAttention) {
  double before = 0;
  for (const char* selected : {"1", "8", "16", "32"}) {
    variant_run run(tested(), {{"images", "6"}, {"heads", "2"}, {"selected", selected}}, inputs_);
    ASSERT_TRUE(run.check(test_support::named_variant(tested(), "threshold")).ok);
    const double mass = run.quality().at("attention_mass_kept").get<double>();
    EXPECT_GT(mass, before) << selected;
    before = mass;
  }
  EXPECT_LT(before, 1);
}

TEST_F(GatedAttentionOnGpu, ASpoiledPartIsFoundOut) {
  variant_run run(tested(), {{"images", "3"}, {"heads", "2"}}, inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "threshold");
  const element_spoiler spoiled{run, v};
  using ::std::string;
  constexpr std::uint16_t sign_and_more = 0xc000;
  EXPECT_NE(spoiled("pooled_v", (189 + 188) * width + 5, sign_and_more).find("pooled v"), string::npos);
  EXPECT_NE(spoiled("compressed", (189 + 100) * width + 7, sign_and_more).find("C: "), string::npos);
  EXPECT_NE(spoiled("table", (189 + 77) * 32 + 3, std::int32_t{1}).find("row 77, head 1"), string::npos);
  EXPECT_NE(spoiled("out", (3024 + 1777) * width + 5, std::uint16_t{0x4000}).find("row 1777, head 1"),
            string::npos);
}

}  // namespace
}  // namespace ablate::test_support::gated_attention_gpu_test
