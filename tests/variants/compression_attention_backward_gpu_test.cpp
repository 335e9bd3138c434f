// compression_attention_backward on the GPU: every variant against plain fp32 gradients and the fp64 oracle.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::compression_attention_backward_gpu_test {
namespace {

const char* const gradients[] = {"q_gradient", "k_gradient", "v_gradient"};

class CompressionAttentionBackwardOnGpu : public every_variant_test {
 protected:
  CompressionAttentionBackwardOnGpu() : every_variant_test("compression_attention_backward") {}
};

TEST_F(CompressionAttentionBackwardOnGpu, LastTilesOfEveryLength) {
  for (const char* images : {"1", "2", "3", "4", "5", "8", "32"})
    for (const char* heads : {"1", "3"}) {
      SCOPED_TRACE(std::string(images) + ", " + heads);
      expect_right({{"images", images}, {"heads", heads}});
    }
}

TEST_F(CompressionAttentionBackwardOnGpu, BlocksScoresAndGeometries) {
  for (const char* block : {"32", "64", "128"})
    expect_right({{"images", "16"}, {"heads", "2"}, {"block", block}});
  expect_right({{"images", "5"}, {"heads", "2"}, {"scores", "zero"}});
  for (const char* images : {"1", "3", "11"})
    expect_right({{"images", images}, {"heads", "2"}, {"geometry", "vggt"}});
}

TEST_F(CompressionAttentionBackwardOnGpu, MoreRowsThanTheOracleTakes) {
  expect_right({{"images", "130"}, {"heads", "2"}});
}

TEST_F(CompressionAttentionBackwardOnGpu, ValuesReceiveWhatOutputsAreGiven) {
  // Rows of P add up to 1: all dV together, keys of zeros left out, are all dO.
  constexpr std::size_t rows = 189, padded = 256, heads = 2;
  variant_run run(tested(), {{"images", "3"}, {"heads", "2"}}, inputs_);
  const auto given = run.contents<std::uint16_t>("out_gradient");
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    EXPECT_TRUE(run.check(v).ok) << v.name;
    const auto received = run.contents<std::uint16_t>("v_gradient");
    for (std::size_t head = 0; head < heads; ++head)
      for (std::size_t d = 0; d < 64; ++d) {
        double of_outputs = 0, of_values = 0;
        for (std::size_t row = 0; row < rows; ++row) {
          of_outputs += window_attention::float_of_bf16(given[(head * padded + row) * 64 + d]);
          of_values += window_attention::float_of_bf16(received[(head * padded + row) * 64 + d]);
        }
        ASSERT_NEAR(of_values, of_outputs, 0.25) << v.name << ", head " << head << ", element " << d;
      }
  }
}

TEST_F(CompressionAttentionBackwardOnGpu, QueriesOfZerosHaveNoGradient) {
  constexpr std::size_t rows = 189, padded = 256;
  variant_run run(tested(), {{"images", "3"}, {"heads", "2"}}, inputs_);
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    EXPECT_TRUE(run.check(v).ok) << v.name;
    const auto gradient = run.contents<std::uint16_t>("q_gradient");
    for (std::size_t head = 0; head < 2; ++head)
      for (std::size_t i = (head * padded + rows) * 64; i < (head + 1) * padded * 64; ++i)
        ASSERT_EQ(gradient[i] & 0x7fff, 0) << v.name << ", element " << i;
  }
}

TEST_F(CompressionAttentionBackwardOnGpu, TwoPassesGiveTheSameBitsEachTime) {
  variant_run run(tested(), {{"images", "33"}, {"heads", "2"}}, inputs_);
  for (const char* name : {"mma_two_pass", "hopper_two_pass"}) {
    const variant_facts& v = test_support::named_variant(tested(), name);
    if (!run.applies(v)) continue;
    std::array<std::vector<std::uint16_t>, 3> first;
    for (int time = 0; time < 3; ++time) {
      EXPECT_TRUE(run.check(v).ok) << name;
      for (std::size_t i = 0; i < 3; ++i) {
        const auto seen = run.contents<std::uint16_t>(gradients[i]);
        if (time == 0)
          first[i] = seen;
        else
          EXPECT_EQ(seen, first[i]) << name << ", " << gradients[i];
      }
    }
  }
}

TEST_F(CompressionAttentionBackwardOnGpu, ASpoiledElementOfEachGradientIsFoundOut) {
  variant_run run(tested(), {{"images", "3"}, {"heads", "2"}}, inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "mma_two_pass");
  for (const char* gradient : gradients) {
    element_spoiler{run, v}.expect_found(gradient, (256 + 188) * 64 + 5, std::uint16_t{0x4000},
                                         "batch 1, row 188");
  }
}

}  // namespace
}  // namespace ablate::test_support::compression_attention_backward_gpu_test
