// The operation row_norm on the host: the oracle, which rows count, and the check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/common/dense/activation.h"
#include "oracles/row_norm/checked_problem.h"
#include "oracles/row_norm/exact.h"
#include "tests/support/axis_values.h"
#include "tests/support/biased_errors.h"
#include "tests/support/differing_switches.h"
#include "tests/support/solved_workload.h"

namespace ablate::row_norm {
namespace {

using dense_layers::comparison;
using dense_layers::float_of_bf16;
using dense_layers::tensor;
using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& norms() { return *find_operation("row_norm"); }

checked_problem of(kind what, std::int64_t rows, std::int64_t valid, int channels) {
  checked_problem p;
  p.kind = what;
  p.rows = rows;
  p.valid = valid;
  p.channels = channels;
  return p;
}

double element(const checked_problem& p, tensor t, std::int64_t row, std::int64_t column) {
  return static_cast<double>(float_of_bf16(generated_element(p, t, row * p.channels + column)));
}
double parameter(const checked_problem& p, tensor t, std::int64_t column) {
  return static_cast<double>(generated_parameter(p, t, column));
}

double expected(const checked_problem& p, output what, std::int64_t row, std::int32_t column) {
  return oracle(p).at({static_cast<std::int32_t>(what), column, row}).expected;
}

/// y of a layer norm of these numbers, written out once more.
std::vector<double> normalized(const checked_problem& p, const std::vector<double>& x) {
  double mean = 0, squares = 0;
  const auto n = static_cast<double>(x.size());
  for (const double value : x) mean += value / n;
  for (const double value : x) squares += (value - mean) * (value - mean);
  std::vector<double> y;
  for (std::size_t d = 0; d < x.size(); ++d)
    y.push_back((x[d] - mean) / std::sqrt(squares / n + 1e-5) *
                    parameter(p, tensor::gamma, static_cast<std::int64_t>(d)) +
                parameter(p, tensor::beta, static_cast<std::int64_t>(d)));
  return y;
}

TEST(RowNorm, NormalizesEachRow) {
  for (const content values : {content::unit, content::offset}) {
    checked_problem p = of(kind::layer, 9, 9, 64);
    p.what = values;
    std::vector<double> x;
    for (int d = 0; d < 64; ++d) x.push_back(element(p, tensor::input, 7, d));
    const std::vector<double> y = normalized(p, x);
    for (const std::int32_t d : {0, 31, 63})
      EXPECT_NEAR(expected(p, output::out, 7, d), y[static_cast<std::size_t>(d)], 1e-6);
  }
}

TEST(RowNorm, AddsTheBranchBeforeItNormalizes) {
  checked_problem p = of(kind::residual_layer, 9, 9, 32);
  std::vector<double> sum;
  for (int d = 0; d < 32; ++d) {
    const auto exact = static_cast<float>(element(p, tensor::input, 4, d) + element(p, tensor::branch, 4, d));
    EXPECT_NEAR(expected(p, output::sum, 4, d), static_cast<double>(exact), 1e-6);
    sum.push_back(static_cast<double>(float_of_bf16(dense_layers::bf16_of(exact))));
  }
  const std::vector<double> y = normalized(p, sum);
  EXPECT_NEAR(expected(p, output::out, 4, 31), y[31], 1e-6);
}

TEST(RowNorm, DropsTheBranchOfAShareOfTheRowsAndStretchesTheOthers) {
  checked_problem p = of(kind::residual_layer, 4000, 4000, 32);
  p.drop = 0.3f;
  int dropped = 0;
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const float scale = branch_scale(p.seed, p.drop, row);
    dropped += scale == 0;
    EXPECT_TRUE(scale == 0 || scale == 1 / 0.7f) << scale;
  }
  EXPECT_NEAR(dropped, 1200, 120);
  EXPECT_NE(branch_scale(1, 0.5f, 3) + branch_scale(2, 0.5f, 3) + branch_scale(3, 0.5f, 3) +
                branch_scale(4, 0.5f, 3),
            0);
  EXPECT_EQ(branch_scale(p.seed, 0, 17), 1);
}

/// Of a channel's real rows.
struct channel_moments {
  double mean = 0, squares = 0, count;

  channel_moments(const checked_problem& p, std::int64_t channel) : count(static_cast<double>(p.valid)) {
    for (std::int64_t row = 0; row < p.valid; ++row) mean += element(p, tensor::input, row, channel) / count;
    for (std::int64_t row = 0; row < p.valid; ++row)
      squares += std::pow(element(p, tensor::input, row, channel) - mean, 2);
  }
};

TEST(RowNorm, StatisticsOfABatchAreThoseOfTheRealRows) {
  const checked_problem p = of(kind::batch_training, 48, 45, 32);
  const channel_moments m(p, 5);
  EXPECT_NEAR(expected(p, output::statistics, 0, 5), m.mean, 1e-9);
  EXPECT_NEAR(expected(p, output::statistics, 1, 5), 1 / std::sqrt(m.squares / 45 + 1e-3), 1e-7);
  EXPECT_NEAR(expected(p, output::statistics, 2, 5), 0.99 * parameter(p, tensor::mean, 5) + 0.01 * m.mean,
              1e-7);
  EXPECT_NEAR(expected(p, output::statistics, 3, 5),
              0.99 * parameter(p, tensor::variance, 5) + 0.01 * m.squares / 44, 1e-7)
      << "the running variance takes the unbiased one";
  EXPECT_NEAR(expected(p, output::out, 44, 5),
              (element(p, tensor::input, 44, 5) - m.mean) / std::sqrt(m.squares / 45 + 1e-3) *
                      parameter(p, tensor::gamma, 5) +
                  parameter(p, tensor::beta, 5),
              1e-6);
  EXPECT_EQ(expected(p, output::out, 45, 5), 0);
}

TEST(RowNorm, InferenceTakesTheRunningStatisticsAndActivates) {
  checked_problem p = of(kind::batch_inference, 8, 8, 32);
  p.act = activation::gelu_erf;
  const double z = (element(p, tensor::input, 3, 9) - parameter(p, tensor::mean, 9)) /
                       std::sqrt(parameter(p, tensor::variance, 9) + 1e-3) * parameter(p, tensor::gamma, 9) +
                   parameter(p, tensor::beta, 9);
  EXPECT_NEAR(expected(p, output::out, 3, 9), z / 2 * std::erfc(-z / std::sqrt(2)), 1e-6);
}

/// The sum of gradient · y over the real rows, of an input that is moved by `step` at one place.
double product_with_gradient(const checked_problem& p, std::int64_t row, std::int64_t column, double step) {
  std::vector<double> x;
  for (std::int64_t d = 0; d < p.channels; ++d)
    x.push_back(element(p, tensor::input, row, d) + (d == column ? step : 0));
  const std::vector<double> y = normalized(p, x);
  double sum = 0;
  for (std::int64_t d = 0; d < p.channels; ++d)
    sum += element(p, tensor::gradient, row, d) * y[static_cast<std::size_t>(d)];
  return sum;
}

TEST(RowNorm, TheGradientOfALayerNormIsItsSlope) {
  checked_problem p = of(kind::layer, 6, 6, 32);
  p.is_backward = true;
  for (const std::int32_t column : {0, 13, 31}) {
    const double slope =
        (product_with_gradient(p, 2, column, 1e-4) - product_with_gradient(p, 2, column, -1e-4)) / 2e-4;
    EXPECT_NEAR(expected(p, output::input_gradient, 2, column), slope, 1e-5);
    p.kind = kind::residual_layer;
    EXPECT_NEAR(expected(p, output::input_gradient, 2, column),
                slope + element(p, tensor::sum_gradient, 2, column), 1e-5);
    p.kind = kind::layer;
  }
  double of_beta = 0;
  for (std::int64_t row = 0; row < 6; ++row) of_beta += element(p, tensor::gradient, row, 4);
  EXPECT_NEAR(expected(p, output::parameter_gradients, 1, 4), of_beta, 1e-9);
}

TEST(RowNorm, TheGradientOfABatchNormKeepsNothingAlongWhatItNormalizesAway) {
  checked_problem p = of(kind::batch_training, 40, 36, 32);
  p.is_backward = true;
  p.act = activation::gelu_erf;
  // With the statistics that are given, the sums over the rows that dx has subtracted are those of dγ and dβ.
  const double deviation = std::sqrt(parameter(p, tensor::variance, 3) + 1e-3),
               gamma = parameter(p, tensor::gamma, 3);
  double gradients = 0, products = 0, total = 0, sum_of_normalized = 0;
  for (std::int64_t row = 0; row < 36; ++row) {
    const double normalized = (element(p, tensor::input, row, 3) - parameter(p, tensor::mean, 3)) / deviation;
    const double g = element(p, tensor::gradient, row, 3) *
                     dense_layers::gelu_erf_slope(normalized * gamma + parameter(p, tensor::beta, 3));
    gradients += g;
    products += g * normalized;
    sum_of_normalized += normalized;
    total += expected(p, output::input_gradient, row, 3);
  }
  EXPECT_NEAR(expected(p, output::parameter_gradients, 0, 3), products, 1e-9);
  EXPECT_NEAR(expected(p, output::parameter_gradients, 1, 3), gradients, 1e-9);
  EXPECT_NEAR(total, -gamma / deviation * sum_of_normalized * products / 36, 1e-6);
  EXPECT_EQ(expected(p, output::input_gradient, 36, 3), 0);
}

TEST(RowNorm, PaddingIsNaNAndReachesNoRealRow) {
  const checked_problem p = of(kind::batch_training, 48, 45, 32);
  EXPECT_TRUE(std::isnan(element(p, tensor::input, 45, 0)));
  EXPECT_FALSE(std::isnan(element(p, tensor::input, 44, 31)));
  for (const std::int64_t row : {0, 44}) EXPECT_TRUE(std::isfinite(expected(p, output::out, row, 0)));
}

TEST(RowNorm, RefusesWhatIsNoNorm) {
  const auto refusal = [](const axis_values& given) { return refusal_of(norms(), given); };
  EXPECT_EQ(refusal({{"kind", "layer"}}), "");
  EXPECT_THAT(refusal({{"kind", "layer"}, {"act", "gelu"}}), HasSubstr("batch norm"));
  EXPECT_THAT(refusal({{"kind", "batch_training"}, {"drop", "0.3"}}), HasSubstr("residual_layer"));
  EXPECT_THAT(refusal({{"kind", "batch_inference"}, {"region", "backward"}}), HasSubstr("no gradient"));
}

TEST(RowNorm, CountsWhatIsReadAndWritten) {
  const double rows = 2 * 24576.0 * 64;
  const auto bytes = [](const axis_values& at) { return solved_workload(norms(), at).work.work.bytes; };
  EXPECT_EQ(bytes({{"kind", "layer"}}), 2 * rows);
  EXPECT_EQ(bytes({{"kind", "residual_layer"}}), 4 * rows);
  EXPECT_EQ(bytes({{"kind", "layer"}, {"padding", "sixteenth"}}), rows * (1 + 15.0 / 16));
  EXPECT_EQ(bytes({{"kind", "layer"}, {"region", "backward"}, {"rows", "1024"}}), 3 * 2 * 1024.0 * 64);
  EXPECT_EQ(bytes({{"kind", "residual_layer"}, {"region", "backward"}, {"rows", "1024"}}),
            4 * 2 * 1024.0 * 64);
}

TEST(RowNorm, ItsReferencePassesItsCheck) {
  for (const char* kind : {"layer", "residual_layer", "batch_inference", "batch_training"})
    for (const char* region : {"forward", "backward"})
      for (const char* values : {"unit", "offset"}) {
        const axis_values at = {{"kind", kind},
                                {"region", region},
                                {"values", values},
                                {"rows", "200"},
                                {"padding", "sixteenth"},
                                {"channels", "32"},
                                {"act", kind[0] == 'b' ? "gelu" : "none"},
                                {"drop", kind[0] == 'r' ? "0.3" : "0"}};
        if (std::string(kind) == "batch_inference" && region[0] == 'b') continue;
        const solved_workload solved(norms(), at);
        EXPECT_TRUE(solved.check().ok)
            << kind << " " << region << " " << values << ": " << solved.check().message;
      }
}

TEST(RowNorm, TheCheckFindsOneElementAndWhatWasNotCompared) {
  const axis_values at = {{"kind", "residual_layer"}, {"rows", "100"}, {"channels", "32"}};
  for (const std::size_t sample : {0u, 41u, 95u}) {
    solved_workload solved(norms(), at);
    solved.output<float>("sampled_out")[sample] += 0.1f;
    EXPECT_THAT(solved.check().message, HasSubstr("by the oracle on the host"));
  }
  solved_workload no_number(norms(), at);
  no_number.output<float>("sampled_out")[1] = NAN;
  EXPECT_FALSE(no_number.check().ok);
  solved_workload uncompared(norms(), at);
  uncompared.output<comparison>("found")[1].elements -= 1;
  EXPECT_THAT(uncompared.check().message, HasSubstr("sum: 3199 of 3200 elements were compared"));
  solved_workload off(norms(), at);
  off.output<comparison>("found")[0].worst.error = 1.01f;
  EXPECT_THAT(off.check().message, HasSubstr("out: "));
  solved_workload on_the_whole(norms(), at);
  on_the_whole.output<comparison>("found")[0].squares = 1;
  on_the_whole.output<comparison>("found")[0].squared_errors = 1.7e-5;
  EXPECT_THAT(on_the_whole.check().message, HasSubstr("of its norm, expected at most 4.0e-03"));
  solved_workload truncated(norms(), at);
  truncated.output<comparison>("found")[1].signs = test_support::biased_errors(-2e-3);
  EXPECT_THAT(truncated.check().message, HasSubstr("sum: elements are 2.00e-03 of themselves too small"));
  EXPECT_NEAR(truncated.quality().at("bias").get<double>(), -2e-3, 1e-9);
}

TEST(RowNorm, EachStepTurnsOneSwitch) {
  const auto& separate = norms().find_variant("separate")->switches;
  const auto& one = norms().find_variant("one_row")->switches;
  const auto& four = norms().find_variant("four_rows")->switches;
  for (const auto& [name, value] : one) {
    EXPECT_EQ(value == separate.word(name), name != "steps");
    EXPECT_EQ(value == four.word(name), name != "rows_in_flight");
  }
  using names = std::vector<std::string>;
  EXPECT_EQ(test_support::differing_switches(norms(), "one_row", "one_row+rows_in_flight=2"),
            names{"rows_in_flight"});
  EXPECT_EQ(
      test_support::differing_switches(norms(), "separate+rows_in_flight=2", "one_row+rows_in_flight=2"),
      names{"steps"});
}

/// Where a value is the mean and beta is 0, all of y is what fp32 takes from a mean of numbers that are a
/// deviation apart. A mean that is given is exact, and what is seen of it would be an error.
TEST(RowNormOracle, AllowsWhatFp32TakesFromAMeanAndNothingElse) {
  constexpr double lost = 2e-8, wrong = 1e-6;  // in deviations
  const moments m{0, 1};
  for (const kind takes_it : {kind::layer, kind::residual_layer, kind::batch_training}) {
    const checked_problem p = of(takes_it, 768, 768, 128);
    EXPECT_GT(exact_out(p, 0, 0, m, 1, 0).tolerance, lost);
    EXPECT_LT(exact_out(p, 0, 0, m, 1, 0).tolerance, wrong);
    EXPECT_LT(exact_out(p, 0, 0, m, 0.125, 0).tolerance, wrong / 8) << "it is a part of gamma";
  }
  EXPECT_LT(exact_out(of(kind::batch_inference, 768, 768, 128), 0, 0, m, 1, 0).tolerance, 1e-3 * lost);
}

}  // namespace
}  // namespace ablate::row_norm
