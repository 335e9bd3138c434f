// The operation sparse_conv on the host: the oracle and its properties, and the check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/common/bf16.h"
#include "tests/support/axis_values.h"
#include "tests/support/biased_errors.h"
#include "tests/support/slab_with_holes.h"
#include "tests/support/solved_workload.h"
#include "variants/sparse_conv/buffers.h"
#include "variants/sparse_conv/prepare.h"

namespace ablate::sparse_conv {
namespace {

using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& convolution() { return *find_operation("sparse_conv"); }

/// A layer on a slab of voxels, with its inputs.
struct small_layer {
  level_map map;
  layer_inputs made;
  checked_problem p;

  explicit small_layer(int kernel, int channels) : map(map_of(test_support::slab_with_holes(), kernel)) {
    p.rows = map.rows();
    p.pairs = map.pairs();
    p.kernel = kernel;
    p.out_channels = channels;
    p.in_channels = kernel == 5 ? stem_channels : channels;
    p.has_bias = kernel == 3;
    p.input_gradient = p.weight_gradient = true;
    made = generated_inputs(p, 7);
    p.ends = map.ends.data();
    p.in_rows = map.in_rows.data();
    p.out_rows = map.out_rows.data();
    p.x = made.x.data();
    p.weights = made.weights.data();
    p.bias = made.bias.data();
    p.out_gradient = made.out_gradient.data();
  }

  double x(std::int64_t row, int c) const { return element(made.x, row * p.in_channels + c); }
  double dy(std::int64_t row, int o) const { return element(made.out_gradient, row * p.out_channels + o); }
  double weight(int o, int q, int c) const {
    return element(made.weights, (static_cast<std::int64_t>(o) * p.offsets() + q) * p.in_channels + c);
  }
  /// All rows of a result.
  std::vector<std::vector<double>> result_rows(int of) const {
    std::vector<std::vector<double>> rows;
    for (std::int32_t row = 0; row < p.rows_of(of); ++row) rows.push_back(reference_row(p, {of, row}).out);
    return rows;
  }

 private:
  static double element(const std::vector<std::uint16_t>& values, std::int64_t i) {
    return static_cast<double>(float_of_bf16(values[static_cast<std::size_t>(i)]));
  }
};

/// Else the oracle would take what stood in this memory for what it had computed.
TEST(SparseConv, NothingIsExpectedBeforeTheOracleRan) {
  small_layer layer(3, 32);
  const std::vector<buffer> all = without_members(buffers(layer.p));
  const auto is_kept = std::ranges::find(all, "is_kept", &buffer::name);
  ASSERT_NE(is_kept, all.end());
  EXPECT_EQ(is_kept->reset, buffer_reset::zeros_once);
}

TEST(SparseConv, OnlyTheMiddleOffsetIsALinearLayer) {
  small_layer layer(3, 32);
  for (int o = 0; o < 32; ++o)
    for (int q = 0; q < 27; ++q)
      for (int c = 0; c < 32; ++c)
        if (q != 13) layer.made.weights[static_cast<std::size_t>((o * 27 + q) * 32 + c)] = 0;
  for (std::int32_t row = 0; row < layer.p.rows; ++row) {
    const exact_row found = reference_row(layer.p, {y_rows, row});
    for (int o = 0; o < 32; ++o) {
      double expected = static_cast<double>(layer.made.bias[static_cast<std::size_t>(o)]);
      for (int c = 0; c < 32; ++c) expected += layer.x(row, c) * layer.weight(o, 13, c);
      EXPECT_NEAR(found.out[static_cast<std::size_t>(o)], expected, 1e-12);
    }
  }
}

TEST(SparseConv, TheOracleAddsUpTheNeighborsByTheTable) {
  for (const auto& [kernel, channels] : {std::pair(3, 32), std::pair(5, 32)}) {
    const small_layer layer(kernel, channels);
    const auto y = layer.result_rows(y_rows);
    const auto rows = static_cast<std::size_t>(layer.p.rows);
    for (std::size_t row = 0; row < rows; ++row)
      for (int o = 0; o < channels; ++o) {
        double expected = kernel == 3 ? static_cast<double>(layer.made.bias[static_cast<std::size_t>(o)]) : 0;
        for (int q = 0; q < layer.p.offsets(); ++q) {
          const std::int32_t in = layer.map.table[static_cast<std::size_t>(q) * rows + row];
          for (int c = 0; in >= 0 && c < layer.p.in_channels; ++c)
            expected += layer.x(in, c) * layer.weight(o, q, c);
        }
        ASSERT_NEAR(y[row][static_cast<std::size_t>(o)], expected, 1e-12) << row << " " << o;
      }
  }
}

/// What tiles of rows and the comparison on the device rely on: no second table is needed.
TEST(SparseConv, TheInputGradientIsTheSumOverTheSameTableWithMirroredWeights) {
  const small_layer layer(3, 32);
  const auto found = layer.result_rows(x_gradient_rows);
  const auto rows = static_cast<std::size_t>(layer.p.rows);
  for (std::size_t row = 0; row < rows; ++row)
    for (int c = 0; c < 32; ++c) {
      double expected = 0;
      for (int q = 0; q < 27; ++q) {
        const std::int32_t there = layer.map.table[static_cast<std::size_t>(q) * rows + row];
        for (int o = 0; there >= 0 && o < 32; ++o)
          expected += layer.dy(there, o) * layer.weight(o, 26 - q, c);
      }
      ASSERT_NEAR(found[row][static_cast<std::size_t>(c)], expected, 1e-12) << row << " " << c;
    }
}

TEST(SparseConv, WeightsByOffsetAreTheSameWeights) {
  const small_layer layer(3, 32);
  const std::vector<std::uint16_t> moved = by_offset(layer.p, layer.made.weights);
  ASSERT_EQ(moved.size(), layer.made.weights.size());
  for (std::size_t q = 0; q < 27; ++q)
    for (std::size_t o = 0; o < 32; ++o)
      for (std::size_t c = 0; c < 32; ++c)
        ASSERT_EQ(moved[(q * 32 + o) * 32 + c], layer.made.weights[(o * 27 + q) * 32 + c]);
}

double dot(const std::vector<std::vector<double>>& rows, const auto& element) {
  double sum = 0;
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t i = 0; i < rows[row].size(); ++i)
      sum += rows[row][i] * element(row, static_cast<int>(i));
  return sum;
}

TEST(SparseConv, GradientsAreAdjointToTheForwardPass) {
  for (const auto& [kernel, channels] : {std::pair(3, 32), std::pair(5, 32)}) {
    small_layer layer(kernel, channels);
    layer.p.has_bias = false;
    const auto at = [](std::size_t row) { return static_cast<std::int64_t>(row); };
    const int offsets = layer.p.offsets();
    // <conv x, dY> = <x, dX> = <W, dW>
    const double forward =
        dot(layer.result_rows(y_rows), [&](std::size_t row, int o) { return layer.dy(at(row), o); });
    const double input =
        dot(layer.result_rows(x_gradient_rows), [&](std::size_t row, int c) { return layer.x(at(row), c); });
    const double weights = dot(layer.result_rows(weight_gradient_rows), [&](std::size_t row, int c) {
      return layer.weight(static_cast<int>(row) / offsets, static_cast<int>(row) % offsets, c);
    });
    EXPECT_GT(std::abs(forward), 1e-3);
    EXPECT_NEAR(forward, input, 1e-9);
    EXPECT_NEAR(forward, weights, 1e-9);
  }
}

TEST(SparseConv, TheBiasGradientIsTheSumOfTheRows) {
  const small_layer layer(3, 32);
  const exact_row found = reference_row(layer.p, {bias_gradient_row, 0});
  for (int o = 0; o < 32; ++o) {
    double expected = 0;
    for (std::int64_t row = 0; row < layer.p.rows; ++row) expected += layer.dy(row, o);
    EXPECT_NEAR(found.out[static_cast<std::size_t>(o)], expected, 1e-12);
  }
}

TEST(SparseConv, ToleratesARoundingAndNoMissingProduct) {
  EXPECT_EQ(tolerance_of(false, 1000, 1), 0x1p-12);
  EXPECT_GE(tolerance_of(true, -1, 0), 0x1p-8);
  EXPECT_LT(tolerance_of(true, -1, 0), 0x1.1p-8);
  // One of all products of the widest layer.
  EXPECT_LT(tolerance_of(false, 1, 1), 1 / std::sqrt(27.0 * 512) / 30);
}

const axis_values small = {{"points", "700"}, {"level", "3"}, {"channels", "32"}, {"region", "all"}};

TEST(SparseConv, AcceptsTheReferenceAndReadsEveryRowOfASmallCase) {
  for (const axis_values& at :
       {small, axis_values{{"points", "700"}, {"layer", "stem"}, {"channels", "32"}},
        axis_values{
            {"points", "700"}, {"layer", "stem"}, {"channels", "32"}, {"region", "weight_gradient"}}}) {
    const solved_workload solved(convolution(), at);
    const check_result result = solved.check();
    EXPECT_TRUE(result.ok) << result.message;
    EXPECT_EQ(result.accepted_error, 1);
    EXPECT_LT(solved.quality().at("error_sampled").get<double>(), 1);
  }
  solved_workload solved(convolution(), small);
  const auto rows = solved.work.input.at("points").get<std::size_t>();
  EXPECT_EQ(solved.output<float>("sampled_out").size(), (2 * rows + 32 * 27 + 1) * 32);
}

TEST(SparseConv, FindsASampledElementThatIsOff) {
  solved_workload solved(convolution(), small);
  const auto rows = solved.work.input.at("points").get<std::size_t>();
  const auto spoil = [&](std::size_t row, std::size_t element, const std::string& where) {
    float& value = solved.output<float>("sampled_out")[row * 32 + element];
    const float before = value;
    value += 0.02f * (std::abs(value) + 0.1f);
    const check_result result = solved.check();
    EXPECT_FALSE(result.ok);
    EXPECT_THAT(result.message, HasSubstr(where));
    value = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(solved.check().ok);
    value = before;
    EXPECT_TRUE(solved.check().ok);
  };
  spoil(rows - 1, 31, "y, row " + std::to_string(rows - 1) + ": off by");
  spoil(rows, 0, "x_gradient, row 0: off by");
  spoil(2 * rows + 27 * 5 + 13, 7, "weight_gradient, out channel 5, offset 13: off by");
  spoil(2 * rows + 32 * 27, 9, "bias_gradient: off by");
}

TEST(SparseConv, FindsWhatTheComparisonOfAllElementsReports) {
  solved_workload solved(convolution(), small);
  deviation& of_weights = solved.output<deviation>("found")[weight_gradient_rows];
  const deviation before = of_weights;
  --of_weights.elements;
  EXPECT_THAT(solved.check().message, HasSubstr("of 27648 elements were compared"));
  of_weights = before;
  of_weights.signs = test_support::biased_errors(1e-3);
  EXPECT_THAT(solved.check().message, HasSubstr("weight_gradient: elements are 1.00e-03"));
  of_weights = before;
  const auto report = [&](float error) {
    of_weights.over = 1;
    of_weights.greatest =
        std::uint64_t{std::bit_cast<std::uint32_t>(error)} << 32 | ~std::uint32_t{(27 * 2 + 5) * 32 + 17};
    of_weights.seen = 3;
    of_weights.expected = 4;
    return solved.check();
  };
  EXPECT_TRUE(report(1).ok);
  const check_result over = report(1.5f);
  EXPECT_FALSE(over.ok);
  EXPECT_EQ(
      over.message,
      "weight_gradient, out channel 2, offset 5, channel 17: 3, expected 4: 1.5 times what is accepted, as "
      "are 1 of 27648 elements");
  EXPECT_FALSE(report(std::numeric_limits<float>::infinity()).ok);
}

TEST(SparseConv, RefusesLayersThatDoNotExist) {
  const auto refused = [](const axis_values& given) { return refusal_of(convolution(), given); };
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({{"layer", "stem"}, {"channels", "32"}}), "");
  EXPECT_THAT(refused({{"layer", "stem"}}), HasSubstr("channels=32"));
  EXPECT_THAT(refused({{"layer", "stem"}, {"channels", "32"}, {"region", "input_gradient"}}),
              HasSubstr("no input gradient"));
  EXPECT_THAT(refused({{"points", "0"}}), HasSubstr("point files only"));
}

TEST(SparseConv, WorkIsWhatThePairsNeed) {
  const solved_workload solved(convolution(), {{"points", "700"}, {"level", "3"}, {"channels", "64"}});
  const double rows = solved.work.input.at("points").get<double>(),
               pairs = solved.work.input.at("pairs").get<double>();
  EXPECT_EQ(solved.work.work.flops, 2 * pairs * 64 * 64);
  EXPECT_EQ(solved.work.work.bytes, 4 * 64 * rows + 54 * 64 * 64 + 8 * pairs);
  EXPECT_EQ(solved.work.work.written_bytes, 2 * 64 * rows);
  EXPECT_EQ(solved.work.work.gathered_bytes, 2 * 64 * pairs);
}

TEST(SparseConv, AllocatesNoResultThatIsNotComputed) {
  const solved_workload solved(convolution(), {{"points", "700"}, {"level", "3"}, {"channels", "32"}});
  for (const buffer& b : solved.buffers)
    if (b.name == "x_gradient" || b.name == "weight_gradient" || b.name == "parts" ||
        b.name == "out_gradient") {
      EXPECT_EQ(b.bytes, 0u) << b.name;
    }
}

}  // namespace
}  // namespace ablate::sparse_conv
