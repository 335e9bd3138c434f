// sparse_conv on the GPU: every variant against plain arithmetic and the fp64 oracle, and its properties.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/common/bf16.h"
#include "kernels/common/unsupported.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::sparse_conv_gpu_test {
namespace {

using bits = std::vector<std::uint16_t>;

std::vector<double> numbers(const bits& elements) {
  std::vector<double> all;
  for (const std::uint16_t element : elements) all.push_back(static_cast<double>(float_of_bf16(element)));
  return all;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

class SparseConvOnGpu : public every_variant_test {
 protected:
  SparseConvOnGpu() : every_variant_test("sparse_conv") {}

  /// What the variant's check says; nothing where this machine lacks the library that it calls.
  static std::optional<check_result> checked(variant_run& run, const variant_facts& v) {
    try {
      return run.check(v);
    } catch (const unsupported& lacking) {
      EXPECT_EQ(v.name, "gather_gemm_scatter") << lacking.what();
      return std::nullopt;
    }
  }
  void expect_all_right(const axis_values& given) const {
    variant_run run(tested(), given, inputs_);
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v)) continue;
      const auto result = checked(run, v);
      EXPECT_TRUE(!result || result->ok) << v.name << ": " << result->message;
    }
  }

  const variant_facts& named(const char* variant) const {
    return test_support::named_variant(tested(), variant);
  }
  bits y_of(variant_run& run, const char* variant) const {
    const check_result result = run.check(named(variant));
    EXPECT_TRUE(result.ok) << variant << ": " << result.message;
    return run.contents<std::uint16_t>("y");
  }
};

TEST_F(SparseConvOnGpu, EveryWidthAndRegion) {
  for (const char* channels : {"32", "64", "128", "256", "512"})
    for (const char* region : {"forward", "input_gradient", "weight_gradient", "all"}) {
      SCOPED_TRACE(std::string(channels) + ", " + region);
      expect_all_right({{"points", "4000"}, {"level", "3"}, {"channels", channels}, {"region", region}});
    }
}

TEST_F(SparseConvOnGpu, EveryLevelAndOrder) {
  for (const char* level : {"1", "2", "5"})
    for (const char* order : {"scan", "morton", "shuffled"}) {
      SCOPED_TRACE(std::string(level) + ", " + order);
      expect_all_right(
          {{"points", "3000"}, {"level", level}, {"channels", "64"}, {"order", order}, {"region", "all"}});
    }
}

TEST_F(SparseConvOnGpu, FromOneVoxelOn) {
  for (const char* points : {"1", "2", "63", "64", "65", "200"})
    for (const char* channels : {"32", "256"}) {
      SCOPED_TRACE(std::string(points) + ", " + channels);
      expect_all_right({{"points", points}, {"level", "1"}, {"channels", channels}, {"region", "all"}});
    }
}

TEST_F(SparseConvOnGpu, ListsOfSeveralSplits) {
  expect_all_right({{"level", "5"}, {"channels", "64"}, {"region", "all"}});
}

TEST_F(SparseConvOnGpu, TheStem) {
  for (const char* points : {"1", "65", "5000", "60000"})
    for (const char* level : {"1", "4"})
      for (const char* region : {"forward", "weight_gradient"}) {
        SCOPED_TRACE(std::string(points) + ", " + level + ", " + region);
        expect_all_right({{"points", points},
                          {"level", level},
                          {"layer", "stem"},
                          {"channels", "32"},
                          {"region", region}});
      }
}

TEST_F(SparseConvOnGpu, AtARealSize) { expect_all_right({{"region", "all"}}); }

TEST_F(SparseConvOnGpu, TilesAddUpTheSameBitsHoweverRowsStand) {
  variant_run run(tested(), {{"points", "20000"}, {"level", "3"}, {"channels", "128"}}, inputs_);
  const bits y = y_of(run, "output_tiles");
  EXPECT_EQ(y, y_of(run, "output_tiles"));
  EXPECT_EQ(y, y_of(run, "output_tiles+offsets=all"));
  EXPECT_EQ(y, y_of(run, "output_tiles_by_mask"));
}

TEST_F(SparseConvOnGpu, GradientsOfWeightsHaveTheSameBitsEachTime) {
  variant_run run(tested(), {{"channels", "128"}, {"region", "weight_gradient"}}, inputs_);
  ASSERT_TRUE(run.check(named("lists_fused")).ok);
  const auto first = run.contents<std::uint32_t>("weight_gradient");
  const auto of_bias = run.contents<std::uint32_t>("bias_gradient");
  ASSERT_TRUE(run.check(named("lists_fused")).ok);
  EXPECT_EQ(run.contents<std::uint32_t>("weight_gradient"), first);
  EXPECT_EQ(run.contents<std::uint32_t>("bias_gradient"), of_bias);
}

TEST_F(SparseConvOnGpu, OnlyTheMiddleOffsetIsALinearLayer) {
  for (const std::size_t channels : {32, 128}) {
    variant_run run(tested(), {{"points", "2000"}, {"level", "3"}, {"channels", std::to_string(channels)}},
                    inputs_);
    auto weights = run.contents<std::uint16_t>("weights");
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (i / channels % 27 != 13) weights[i] = 0;
    run.put("weights", weights);
    auto by_offset = run.contents<std::uint16_t>("weights_by_offset");
    for (std::size_t i = 0; i < by_offset.size(); ++i)
      if (i / (channels * channels) != 13) by_offset[i] = 0;
    run.put("weights_by_offset", by_offset);
    const auto x = numbers(run.contents<std::uint16_t>("x")), w = numbers(weights);
    const auto bias = run.contents<float>("bias");
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v) || !checked(run, v)) continue;
      const auto y = numbers(run.contents<std::uint16_t>("y"));
      for (std::size_t row = 0; row < y.size() / channels; ++row)
        for (std::size_t o = 0; o < channels; ++o) {
          double expected = static_cast<double>(bias[o]);
          for (std::size_t c = 0; c < channels; ++c)
            expected += x[row * channels + c] * w[(o * 27 + 13) * channels + c];
          ASSERT_NEAR(y[row * channels + o], expected, 0x1.1p-8 * std::abs(expected) + 1e-5)
              << v.name << " " << row << " " << o;
        }
    }
  }
}

TEST_F(SparseConvOnGpu, GradientsAreAdjointToTheForwardPass) {
  variant_run run(tested(), {{"points", "3000"}, {"level", "3"}, {"channels", "64"}, {"region", "all"}},
                  inputs_);
  run.put("bias", std::vector<float>(64));
  const auto x = numbers(run.contents<std::uint16_t>("x")),
             dy = numbers(run.contents<std::uint16_t>("out_gradient")),
             weights = numbers(run.contents<std::uint16_t>("weights"));
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v) || !checked(run, v)) continue;
    const auto y = numbers(run.contents<std::uint16_t>("y"));
    const double forward = dot(y, dy);
    const double accepted = 1e-3 * std::sqrt(dot(y, y) * dot(dy, dy));
    EXPECT_NEAR(dot(numbers(run.contents<std::uint16_t>("x_gradient")), x), forward, accepted) << v.name;
    std::vector<double> of_weights;
    for (const float gradient : run.contents<float>("weight_gradient"))
      of_weights.push_back(static_cast<double>(gradient));
    EXPECT_NEAR(dot(of_weights, weights), forward, accepted) << v.name;
  }
}

TEST_F(SparseConvOnGpu, ASpoiledElementIsFoundOut) {
  variant_run run(tested(), {{"points", "4000"}, {"level", "3"}, {"channels", "64"}, {"region", "all"}},
                  inputs_);
  const variant_facts& v = named("output_tiles");
  const element_spoiler spoiled{run, v};
  // Sampled rows are the first, the last and some others: these are found by comparing all.
  spoiled.expect_found("y", 77 * 64 + 5, std::uint16_t{0x40}, "y, row 77, channel 5");
  spoiled.expect_found("x_gradient", 78 * 64 + 63, std::uint16_t{0x40}, "x_gradient, row 78, channel 63");
  spoiled.expect_found("weight_gradient", (9 * 27 + 20) * 64 + 3, std::uint32_t{1} << 21,
                       "weight_gradient, out channel 9, offset 20, channel 3");
  spoiled.expect_found("bias_gradient", 63, std::uint32_t{1} << 21, "bias_gradient, channel 63");
}

}  // namespace
}  // namespace ablate::test_support::sparse_conv_gpu_test
