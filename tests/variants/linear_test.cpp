// The operation linear on the host: the oracle, layouts, and the check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "kernels/common/dense/activation.h"
#include "oracles/linear/checked_problem.h"
#include "tests/support/axis_values.h"
#include "tests/support/solved_workload.h"

namespace ablate::linear {
namespace {

using dense_layers::comparison;
using dense_layers::float_of_bf16;
using dense_layers::tensor;
using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& layers() { return *find_operation("linear"); }

checked_problem of(std::int64_t rows, int inputs, int outputs, epilogue behind) {
  checked_problem p;
  p.rows = rows;
  p.inputs = inputs;
  p.outputs = outputs;
  p.behind = behind;
  p.weight_spread = 1 / std::sqrt(static_cast<float>(inputs));
  return p;
}

double made(const checked_problem& p, tensor t, std::int64_t at) {
  return static_cast<double>(float_of_bf16(dense_layers::generated_bf16(p.seed, t, at, 1)));
}
double weight(const checked_problem& p, std::int64_t row, std::int64_t column) {
  return static_cast<double>(float_of_bf16(generated_weight(p, row * p.inputs + column)));
}
/// A sum of products and its bias, written out once more.
double z(const checked_problem& p, std::int64_t row, std::int64_t column) {
  double sum = static_cast<double>(float_of_bf16(generated_bias(p, column)));
  for (std::int64_t d = 0; d < p.inputs; ++d)
    sum += made(p, tensor::input, row * p.inputs + d) * weight(p, column, d);
  return sum;
}
double y(const checked_problem& p, std::int64_t row, std::int32_t column) {
  return reference_element(p, {static_cast<std::int32_t>(output::y), column, row}).expected;
}

TEST(Linear, MultipliesAndAddsTheBias) {
  const checked_problem p = of(5, 64, 96, epilogue::bias);
  for (const std::int32_t column : {0, 50, 95}) EXPECT_NEAR(y(p, 3, column), z(p, 3, column), 1e-9);
}

TEST(Linear, DoesWhatStandsBehindTheProduct) {
  const double residual = made(of(5, 64, 128, epilogue::residual), tensor::branch, 2 * 128 + 70);
  EXPECT_NEAR(y(of(5, 64, 128, epilogue::residual), 2, 70),
              z(of(5, 64, 128, epilogue::bias), 2, 70) + residual, 1e-9);
  const double at = z(of(5, 64, 128, epilogue::bias), 2, 70);
  EXPECT_NEAR(y(of(5, 64, 128, epilogue::gelu_erf), 2, 70), at / 2 * std::erfc(-at / std::sqrt(2)), 1e-9);
  EXPECT_NEAR(y(of(5, 64, 128, epilogue::gelu_tanh), 2, 70),
              at / 2 * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (at + 0.044715 * at * at * at))),
              1e-9);
  const checked_problem gated = of(5, 64, 128, epilogue::swiglu);
  EXPECT_EQ(gated.columns(), 64);
  const double gate = z(gated, 2, 40), up = z(gated, 2, 104);
  EXPECT_NEAR(y(gated, 2, 40), gate / (1 + std::exp(-gate)) * up, 1e-9);
}

TEST(Linear, NormalizesRowsFirst) {
  checked_problem p = of(3, 32, 32, epilogue::bias);
  p.has_norm = true;
  double mean = 0, squares = 0, sum = static_cast<double>(float_of_bf16(generated_bias(p, 7)));
  for (std::int64_t d = 0; d < 32; ++d) mean += made(p, tensor::input, 32 + d) / 32;
  for (std::int64_t d = 0; d < 32; ++d) squares += std::pow(made(p, tensor::input, 32 + d) - mean, 2);
  for (std::int64_t d = 0; d < 32; ++d)
    sum +=
        weight(p, 7, d) *
        ((made(p, tensor::input, 32 + d) - mean) / std::sqrt(squares / 32 + 1e-5) *
             static_cast<double>(dense_layers::generated_number(p.seed, tensor::gamma, d, gamma_spread, 1)) +
         static_cast<double>(dense_layers::generated_number(p.seed, tensor::beta, d, beta_spread)));
  EXPECT_NEAR(y(p, 1, 7), sum, 1e-6);
}

TEST(Linear, GradientsAreProducts) {
  const checked_problem p = of(70, 64, 96, epilogue::bias);
  double of_x = 0, of_weight = 0, of_bias = 0;
  for (std::int64_t n = 0; n < 96; ++n) of_x += made(p, tensor::gradient, 5 * 96 + n) * weight(p, n, 9);
  for (std::int64_t row = 0; row < 70; ++row) {
    of_weight += made(p, tensor::gradient, row * 96 + 11) * made(p, tensor::input, row * 64 + 9);
    of_bias += made(p, tensor::gradient, row * 96 + 11);
  }
  const auto at = [&](output what, std::int64_t row, std::int32_t column) {
    return reference_element(p, {static_cast<std::int32_t>(what), column, row}).expected;
  };
  EXPECT_NEAR(at(output::input_gradient, 5, 9), of_x, 1e-9);
  EXPECT_NEAR(at(output::weight_gradient, 11, 9), of_weight, 1e-9);
  EXPECT_NEAR(at(output::weight_gradient, 11, 64), of_bias, 1e-9);
}

TEST(Linear, EveryElementOfASplitOutputHasItsPlace) {
  checked_problem p = of(7, 32, 96, epilogue::bias);
  p.is_split = true;
  std::set<std::int64_t> places;
  for (std::int64_t row = 0; row < 7; ++row)
    for (int column = 0; column < 96; ++column) places.insert(p.place_of_y(row, column));
  EXPECT_EQ(places.size(), 7u * 96);
  EXPECT_EQ(*places.rbegin(), 7 * 96 - 1);
  EXPECT_EQ(p.place_of_y(2, 33), 7 * 32 + 2 * 32 + 1);
}

TEST(Linear, RowsAreSplitAsTheGpuHasRoomForAndMemoryIsEnoughForAny) {
  checked_problem p = of(98304, 128, 1024, epilogue::bias);
  p.does[static_cast<int>(output::weight_gradient)] = true;
  EXPECT_EQ(splits_of_rows(p, 132), 264 / 8);
  for (const int multiprocessors : {1, 108, 132, 160, 200})
    EXPECT_LE(splits_of_rows(p, multiprocessors) * sizeof(float) * 1024 * 129, partial_bytes(p));
  p.rows = 100;
  EXPECT_EQ(splits_of_rows(p, 132), 1);
}

TEST(Linear, RefusesWhatIsNoLayer) {
  const auto refusal = [](const axis_values& given) { return refusal_of(layers(), given); };
  EXPECT_EQ(refusal({{"shape", "expand_gated"}, {"epilogue", "swiglu"}, {"channels", "32"}}), "");
  EXPECT_THAT(refusal({{"shape", "square"}, {"epilogue", "swiglu"}, {"channels", "64"}}),
              HasSubstr("multiple of 128"));
  EXPECT_THAT(refusal({{"shape", "contract"}, {"prologue", "norm"}, {"channels", "256"}}),
              HasSubstr("1024 elements"));
  EXPECT_THAT(refusal({{"shape", "square"}, {"output", "split"}}), HasSubstr("qkv"));
  EXPECT_THAT(refusal({{"epilogue", "gelu_erf"}, {"region", "all"}}), HasSubstr("belong to mlp"));
}

TEST(Linear, CountsWhatIsReadWrittenAndMultiplied) {
  const solved_workload solved(layers(), {{"rows", "4096"}, {"channels", "64"}, {"shape", "qkv"}});
  EXPECT_EQ(solved.work.work.bytes, 2.0 * 4096 * 64 + 2.0 * 192 * 64 + 4.0 * 192 + 2.0 * 4096 * 192);
  EXPECT_EQ(solved.work.work.flops, 2.0 * 4096 * 64 * 192);
  const solved_workload all(layers(),
                            {{"rows", "4096"}, {"channels", "64"}, {"shape", "square"}, {"region", "all"}});
  EXPECT_EQ(all.work.work.flops, 3 * 2.0 * 4096 * 64 * 64);
}

TEST(Linear, ItsReferencePassesItsCheck) {
  for (const char* epilogue : {"bias", "residual", "gelu_erf", "gelu_tanh", "swiglu"})
    for (const char* prologue : {"none", "norm"})
      for (const char* region : {"forward", "all"}) {
        if (region[0] == 'a' && (prologue[1] == 'o' && prologue[0] == 'n' && prologue[2] == 'r')) continue;
        if (region[0] == 'a' && epilogue[0] != 'b' && epilogue[0] != 'r') continue;
        const solved_workload solved(layers(), {{"rows", "150"},
                                                {"channels", "32"},
                                                {"shape", "expand"},
                                                {"epilogue", epilogue},
                                                {"prologue", prologue},
                                                {"region", region}});
        EXPECT_TRUE(solved.check().ok)
            << epilogue << " " << prologue << " " << region << ": " << solved.check().message;
      }
}

TEST(Linear, TheCheckFindsOneElementAndWhatWasNotCompared) {
  const axis_values at = {{"rows", "150"}, {"channels", "32"}, {"region", "all"}};
  for (const std::size_t sample : {0u, 50u, 95u}) {
    solved_workload solved(layers(), at);
    float& seen = solved.output<float>("sampled_out")[sample];
    seen += 0.05f * (1 + std::abs(seen));
    EXPECT_THAT(solved.check().message, HasSubstr("by the oracle on the host"));
  }
  solved_workload uncompared(layers(), at);
  uncompared.output<comparison>("found")[2].elements -= 1;
  EXPECT_THAT(uncompared.check().message, HasSubstr("gradients of the weight and the bias: 3167 of 3168"));
  solved_workload off(layers(), at);
  off.output<comparison>("found")[1].worst.error = INFINITY;
  EXPECT_THAT(off.check().message, HasSubstr("gradient of x"));
}

TEST(Linear, AProductThatLacksItsLastTermIsOff) {
  const checked_problem p = of(5, 512, 96, epilogue::bias);
  int found = 0;
  for (std::int32_t column = 0; column < 96; ++column) {
    const judged right = reference_element(p, {0, column, 4});
    found += std::abs(made(p, tensor::input, 4 * 512 + 511) * weight(p, column, 511)) > right.tolerance;
  }
  EXPECT_GT(found, 80) << "of 96";
}

}  // namespace
}  // namespace ablate::linear
