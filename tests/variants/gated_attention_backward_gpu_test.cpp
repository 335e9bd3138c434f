// gated_attention_backward on the GPU: every variant part by part against plain arithmetic, and whole against
// the fp64 oracle; what must hold of gradients whatever the kernels; and the whole as one CUDA graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::gated_attention_backward_gpu_test {
namespace {

using window_attention::bf16_of;
using window_attention::float_of_bf16;

constexpr std::size_t width = 64;
const char* const gradients[] = {"q_gradient", "k_gradient", "v_gradient"};

class GatedAttentionBackwardOnGpu : public every_variant_test {
 protected:
  GatedAttentionBackwardOnGpu() : every_variant_test("gated_attention_backward") {}

  using all_gradients = std::array<std::vector<std::uint16_t>, 3>;
  static all_gradients contents_of(const variant_run& run) {
    return {run.contents<std::uint16_t>(gradients[0]), run.contents<std::uint16_t>(gradients[1]),
            run.contents<std::uint16_t>(gradients[2])};
  }
  static all_gradients gradients_of(variant_run& run, const variant_facts& v) {
    const check_result result = run.check(v);
    EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
    return contents_of(run);
  }
  const variant_facts& named(const char* name) const { return test_support::named_variant(tested(), name); }
  bool runs(const variant_facts& v) const { return v.minimum_compute_capability <= compute_capability(); }

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

TEST_F(GatedAttentionBackwardOnGpu, ImagesOfEveryNumber) {
  for (const char* images : {"1", "2", "3", "5", "8", "33"})
    for (const char* heads : {"1", "5"})
      for (const char* region : {"both", "backward"}) {
        SCOPED_TRACE(std::string(images) + ", " + heads + ", " + region);
        expect_right({{"images", images}, {"heads", heads}, {"region", region}});
      }
}

TEST_F(GatedAttentionBackwardOnGpu, BlocksAndListsOfEverySize) {
  for (const char* block : {"16", "32", "64", "128"})
    for (const char* selected : {"1", "8", "32", "64"}) {
      SCOPED_TRACE(std::string(block) + ", " + selected);
      expect_right({{"images", "8"}, {"heads", "2"}, {"block", block}, {"selected", selected}});
    }
}

TEST_F(GatedAttentionBackwardOnGpu, ScoresOfEveryKind) {
  for (const char* scores : {"scene", "unit", "integers", "ascending", "equal"})
    for (const char* block : {"16", "64"}) {
      SCOPED_TRACE(std::string(scores) + ", " + block);
      expect_right({{"images", "20"}, {"heads", "2"}, {"block", block}, {"scores", scores}});
    }
}

TEST_F(GatedAttentionBackwardOnGpu, RowsThatAreWholeTilesStayWhereTheyAre) {
  // 8064 pooled rows; each head's are compared, some heads at a time of the two streams.
  expect_right({{"images", "128"}, {"heads", "5"}});
}

TEST_F(GatedAttentionBackwardOnGpu, WithoutReductionsTheBitsAreTheSameEachTime) {
  variant_run run(tested(), {{"images", "24"}, {"heads", "4"}}, inputs_);
  for (const char* name : {"published", "threshold", "threshold_adjoint_apart", "threshold_two_streams",
                           "hopper", "hopper_adjoint_apart", "hopper_two_streams"}) {
    const variant_facts& v = named(name);
    if (!runs(v)) continue;
    const all_gradients first = gradients_of(run, v);
    const auto gates = run.contents<float>("gate_gradients");
    for (int time = 0; time < 3; ++time) {
      EXPECT_EQ(gradients_of(run, v), first) << name;
      EXPECT_EQ(run.contents<float>("gate_gradients"), gates) << name;
    }
  }
  // Two streams leave the sums as they are.
  const all_gradients in_turn = gradients_of(run, named("threshold_adjoint_apart"));
  EXPECT_EQ(gradients_of(run, named("threshold_two_streams")), in_turn);
}

TEST_F(GatedAttentionBackwardOnGpu, BackwardAloneLeavesWhatBothLeave) {
  variant_run both(tested(), {{"images", "6"}, {"heads", "2"}}, inputs_);
  variant_run alone(tested(), {{"images", "6"}, {"heads", "2"}, {"region", "backward"}}, inputs_);
  for (const char* name : {"published", "threshold"})
    EXPECT_EQ(gradients_of(both, named(name)), gradients_of(alone, named(name))) << name;
}

TEST_F(GatedAttentionBackwardOnGpu, TheWholeIsOneGraph) {
  const axis_values at = values_of(tested(), {{"images", "8"}, {"heads", "4"}});
  variant_run run(tested(), at, inputs_);
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    const all_gradients right = gradients_of(run, v);
    for (const char* gradient : gradients) {
      auto spoiled = run.contents<std::uint16_t>(gradient);
      std::ranges::fill(spoiled, bf16_of(100));
      run.put(gradient, spoiled);
    }
    run.launch_as_graph(v);
    const check_result result = run.check_outputs(v);
    EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
    if (v.name == "threshold" || v.name == "published") {
      EXPECT_EQ(contents_of(run), right) << v.name;
    }
  }
}

TEST_F(GatedAttentionBackwardOnGpu, EqualValuesGiveScoresNoGradient) {
  variant_run run(tested(), {{"images", "3"}, {"heads", "2"}}, inputs_);
  auto values = run.contents<std::uint16_t>("v");
  std::ranges::fill(values, bf16_of(1.25f));
  run.put("v", values);
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    run.launch(v);
    const all_gradients seen = contents_of(run);
    for (std::size_t i = 0; i < 2; ++i)
      for (const std::uint16_t bits : seen[i])
        ASSERT_NEAR(float_of_bf16(bits), 0, 2e-3) << v.name << ", " << gradients[i];
  }
}

TEST_F(GatedAttentionBackwardOnGpu, ValuesReceiveWhatOutputsAreGiven) {
  constexpr std::size_t tokens = 2016, heads = 2;
  variant_run run(tested(), {{"images", "2"}, {"heads", "2"}}, inputs_);
  put_gates(run, 0.25f, 0.5f);
  const auto given = run.contents<std::uint16_t>("out_gradient");
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    run.launch(v);
    const std::vector<std::uint16_t> received = contents_of(run)[2];
    for (std::size_t head = 0; head < heads; ++head)
      for (std::size_t d = 0; d < width; ++d) {
        double of_outputs = 0, of_values = 0;
        for (std::size_t token = 0; token < tokens; ++token) {
          of_outputs += 0.75 * float_of_bf16(given[(head * tokens + token) * width + d]);
          of_values += float_of_bf16(received[(head * tokens + token) * width + d]);
        }
        ASSERT_NEAR(of_values, of_outputs, 0.6) << v.name << ", head " << head << ", element " << d;
      }
  }
}

// Of the selection alone, keys in no list receive nothing.
TEST_F(GatedAttentionBackwardOnGpu, AClosedGateOfTheCompressionLeavesTheSelection) {
  variant_run run(tested(), {{"images", "5"}, {"heads", "1"}, {"selected", "1"}}, inputs_);
  put_gates(run, 0, 1);
  for (const char* name : {"published", "threshold"}) {
    run.launch(named(name));
    const auto table = run.contents<std::int32_t>("table");
    const auto k = run.contents<std::uint16_t>("k_gradient"), v = run.contents<std::uint16_t>("v_gradient");
    std::vector<bool> is_named(315);
    for (const std::int32_t block : table) is_named[static_cast<std::size_t>(block)] = true;
    ASSERT_TRUE(std::ranges::count(is_named, false) > 0);
    for (std::size_t i = 0; i < k.size(); ++i) {
      if (is_named[i / width / 16]) continue;
      ASSERT_EQ(float_of_bf16(k[i]), 0) << name << ", key " << i / width;
      ASSERT_EQ(float_of_bf16(v[i]), 0) << name << ", key " << i / width;
    }
  }
}

TEST_F(GatedAttentionBackwardOnGpu, ListsTurnedAroundAreTheTableTransposed) {
  variant_run run(tested(), {{"images", "7"}, {"heads", "2"}}, inputs_);
  for (const char* name : {"published", "threshold", "threshold_reduced"}) {
    ASSERT_TRUE(run.check(named(name)).ok);
    constexpr std::size_t blocks = 441;
    const auto table = run.contents<std::int32_t>("table"), queries = run.contents<std::int32_t>("queries");
    const auto offsets = run.contents<std::int64_t>("offsets");
    std::size_t at = 0;
    for (std::size_t row = 0; row < 2 * blocks; ++row) {
      ASSERT_EQ(offsets[row], static_cast<std::int64_t>(at)) << name << ", row " << row;
      std::vector<std::int32_t> expected;
      for (std::size_t query = 0; query < blocks; ++query)
        for (std::size_t slot = 0; slot < 32; ++slot)
          if (table[(row / blocks * blocks + query) * 32 + slot] == static_cast<std::int32_t>(row % blocks))
            expected.push_back(static_cast<std::int32_t>(query));
      std::vector<std::int32_t> seen(&queries[at], &queries[at] + expected.size());
      std::ranges::sort(seen);
      ASSERT_EQ(seen, expected) << name << ", row " << row;
      at += expected.size();
    }
  }
}

TEST_F(GatedAttentionBackwardOnGpu, ASpoiledPartIsFoundOut) {
  variant_run run(tested(), {{"images", "3"}, {"heads", "2"}}, inputs_);
  const variant_facts& v = named("threshold");
  const element_spoiler spoiled{run, v};
  using ::std::string;
  constexpr std::uint16_t exponent = 0x4000;
  for (const char* gradient : gradients)
    EXPECT_NE(spoiled(gradient, (3024 + 1777) * width + 5, exponent).find("row 1777, head 1"), string::npos)
        << gradient;
  EXPECT_NE(spoiled("selected_out", (3024 + 1777) * width + 5, exponent).find("S: "), string::npos);
  // What pooled rows got is of what it was before, and is compared first.
  EXPECT_NE(spoiled("compressed_gradient", (189 + 100) * width + 7, exponent).find("pooled rows"),
            string::npos);
  EXPECT_NE(spoiled("gate_gradients", (2000 * 2 + 1) * 2, std::uint32_t{0x40000000}).find("gates: "),
            string::npos);
  // What tokens got of it is what it was before.
  EXPECT_FALSE(spoiled("pooled_k_gradient", (189 + 100) * width + 7, exponent).empty());
}

}  // namespace
}  // namespace ablate::test_support::gated_attention_backward_gpu_test
