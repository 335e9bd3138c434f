// selection_attention_backward on the GPU: every variant against plain fp32 gradients and the fp64 oracle,
// and what must hold of gradients.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::selection_attention_backward_gpu_test {
namespace {

using window_attention::bf16_of;
using window_attention::float_of_bf16;

const char* const gradients[] = {"q_gradient", "k_gradient", "v_gradient"};

class SelectionAttentionBackwardOnGpu : public every_variant_test {
 protected:
  SelectionAttentionBackwardOnGpu() : every_variant_test("selection_attention_backward") {}

  using all_gradients = std::array<std::vector<std::uint16_t>, 3>;
  static all_gradients gradients_of(variant_run& run, const variant_facts& v) {
    const check_result result = run.check(v);
    EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
    all_gradients seen;
    for (std::size_t i = 0; i < 3; ++i) seen[i] = run.contents<std::uint16_t>(gradients[i]);
    return seen;
  }
  const variant_facts& named(const char* name) const { return test_support::named_variant(tested(), name); }
};

TEST_F(SelectionAttentionBackwardOnGpu, ListsOfEveryLength) {
  for (const char* selected : {"1", "2", "4", "8", "16", "32", "64"})
    for (const char* lists : {"full", "short"})
      for (const char* images : {"1", "3"}) {
        SCOPED_TRACE(std::string(selected) + ", " + lists + ", " + images);
        expect_right({{"images", images}, {"heads", "3"}, {"selected", selected}, {"lists", lists}});
      }
}

TEST_F(SelectionAttentionBackwardOnGpu, BlocksOfEverySize) {
  for (const char* block : {"16", "32", "64", "128"})
    for (const char* popularity : {"even", "hubs"})
      for (const char* lists : {"full", "short"}) {
        SCOPED_TRACE(std::string(block) + ", " + popularity + ", " + lists);
        expect_right({{"images", "8"},
                      {"heads", "2"},
                      {"block", block},
                      {"selected", "4"},
                      {"popularity", popularity},
                      {"lists", lists}});
      }
}

TEST_F(SelectionAttentionBackwardOnGpu, PopularBlocks) {
  for (const char* popularity : {"skewed", "hubs"})
    for (const char* images : {"5", "16", "33"})
      for (const char* entries : {"by_index", "by_score"}) {
        SCOPED_TRACE(std::string(popularity) + ", " + images + ", " + entries);
        expect_right({{"images", images}, {"heads", "2"}, {"popularity", popularity}, {"entries", entries}});
      }
  expect_right({{"images", "40"}, {"heads", "1"}, {"selected", "64"}, {"popularity", "hubs"}});
  // One hub a head, of half of 441 to 756 entries: about as many as make a row be cut.
  for (const char* images : {"7", "8", "9", "12"})
    expect_right({{"images", images}, {"heads", "2"}, {"selected", "1"}, {"popularity", "hubs"}});
}

TEST_F(SelectionAttentionBackwardOnGpu, ListsTurnedAroundInTheRegion) {
  for (const char* popularity : {"even", "skewed", "hubs"})
    for (const char* lists : {"full", "short"}) {
      SCOPED_TRACE(std::string(popularity) + ", " + lists);
      expect_right({{"images", "16"},
                    {"heads", "2"},
                    {"popularity", popularity},
                    {"lists", lists},
                    {"region", "with_inversion"}});
    }
}

TEST_F(SelectionAttentionBackwardOnGpu, ScoresOfEveryKindAndSharedEntries) {
  for (const char* scores : {"unit", "large"})
    for (const char* shared : {"0", "9", "16"})
      expect_right({{"images", "4"}, {"heads", "2"}, {"scores", scores}, {"shared", shared}});
}

TEST_F(SelectionAttentionBackwardOnGpu, GatesAndCompressedRows) {
  for (const char* block : {"16", "32", "128"})
    for (const char* lists : {"full", "short"}) {
      SCOPED_TRACE(std::string(block) + ", " + lists);
      expect_right({{"images", "8"},
                    {"heads", "3"},
                    {"block", block},
                    {"selected", "4"},
                    {"lists", lists},
                    {"gate", "applied"}});
    }
  expect_right({{"images", "12"}, {"heads", "1"}, {"popularity", "hubs"}, {"gate", "applied"}});
}

TEST_F(SelectionAttentionBackwardOnGpu, GatesOfOneLeaveTheGradientsAsTheyAre) {
  variant_run gated(tested(), {{"images", "2"}, {"heads", "2"}, {"gate", "applied"}}, inputs_);
  variant_run ungated(tested(), {{"images", "2"}, {"heads", "2"}}, inputs_);
  std::vector<float> gates = gated.contents<float>("gates");
  for (std::size_t i = 1; i < gates.size(); i += 2) gates[i] = 1;
  gated.put("gates", gates);
  const variant_facts& v = named("two_pass");
  gated.check(v);  // against what made gates give
  const all_gradients right = gradients_of(ungated, v);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(gated.contents<std::uint16_t>(gradients[i]), right[i]) << i;
}

TEST_F(SelectionAttentionBackwardOnGpu, ManyTokensOfWhichSomeAreCompared) {
  expect_right({{"images", "256"}, {"heads", "10"}});
  expect_right({{"images", "200"}, {"heads", "1"}, {"popularity", "hubs"}});
}

TEST_F(SelectionAttentionBackwardOnGpu, WithoutReductionsTheBitsAreTheSameEachTime) {
  for (const char* popularity : {"even", "skewed", "hubs"})
    for (const char* region : {"gradients", "with_inversion"}) {
      variant_run run(tested(),
                      {{"images", "24"}, {"heads", "2"}, {"popularity", popularity}, {"region", region}},
                      inputs_);
      const all_gradients first = gradients_of(run, named("two_pass"));
      for (int time = 0; time < 3; ++time)
        EXPECT_EQ(gradients_of(run, named("two_pass")), first) << popularity << ", " << region;
      // The same sums in the same order.
      EXPECT_EQ(gradients_of(run, named("two_pass+tiles_ahead=0")), first) << popularity << ", " << region;
      const all_gradients uncut = gradients_of(run, named("two_pass+cut=none"));
      EXPECT_EQ(gradients_of(run, named("two_pass+cut=none")), uncut);
      EXPECT_EQ(uncut[0], first[0]);
      if (std::string(popularity) == "even") {
        EXPECT_EQ(uncut, first);
      }
    }
}

TEST_F(SelectionAttentionBackwardOnGpu, ValuesReceiveWhatOutputsAreGiven) {
  constexpr std::size_t tokens = 2016, heads = 2;
  for (const char* popularity : {"even", "hubs"}) {
    variant_run run(tested(), {{"images", "2"}, {"heads", "2"}, {"popularity", popularity}}, inputs_);
    const auto given = run.contents<std::uint16_t>("out_gradient");
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v)) continue;
      const std::vector<std::uint16_t> received = gradients_of(run, v)[2];
      for (std::size_t head = 0; head < heads; ++head)
        for (std::size_t d = 0; d < 64; ++d) {
          double of_outputs = 0, of_values = 0;
          for (std::size_t token = 0; token < tokens; ++token) {
            of_outputs += float_of_bf16(given[(head * tokens + token) * 64 + d]);
            of_values += float_of_bf16(received[(head * tokens + token) * 64 + d]);
          }
          ASSERT_NEAR(of_values, of_outputs, 0.5) << v.name << ", head " << head << ", element " << d;
        }
    }
  }
}

TEST_F(SelectionAttentionBackwardOnGpu, EqualValuesGiveScoresNoGradient) {
  variant_run run(tested(), {{"images", "2"}, {"heads", "2"}}, inputs_);
  for (const char* constant : {"v", "out"}) {
    auto values = run.contents<std::uint16_t>(constant);
    std::ranges::fill(values, bf16_of(1.25f));
    run.put(constant, values);
  }
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    run.check(v);
    for (std::size_t i = 0; i < 2; ++i)
      for (const std::uint16_t bits : run.contents<std::uint16_t>(gradients[i]))
        ASSERT_NEAR(float_of_bf16(bits), 0, 1e-4) << v.name << ", " << gradients[i];
  }
}

TEST_F(SelectionAttentionBackwardOnGpu, ASpoiledElementOfEachGradientIsFoundOut) {
  variant_run run(tested(), {{"images", "3"}, {"heads", "2"}}, inputs_);
  const variant_facts& v = named("two_pass");
  for (const char* gradient : gradients) {
    element_spoiler{run, v}.expect_found(gradient, (3024 + 1777) * 64 + 5, std::uint16_t{0x4000},
                                         "row 1777, head 1");
  }
}

}  // namespace
}  // namespace ablate::test_support::selection_attention_backward_gpu_test
