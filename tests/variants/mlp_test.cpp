// The operation mlp on the host: the oracle and the check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "oracles/mlp/checked_problem.h"
#include "tests/support/solved_workload.h"

namespace ablate::mlp {
namespace {

using dense_layers::comparison;
using dense_layers::float_of_bf16;
using dense_layers::tensor;
using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& mlps() { return *find_operation("mlp"); }

checked_problem of(kind what, std::int64_t rows, int channels) {
  checked_problem p;
  p.kind = what;
  p.rows = rows;
  p.channels = channels;
  p.first_spread = 1 / std::sqrt(static_cast<float>(channels));
  p.second_spread = p.first_spread / 2;
  return p;
}

double made(const checked_problem& p, tensor t, std::int64_t at, float spread) {
  return static_cast<double>(float_of_bf16(dense_layers::generated_bf16(p.seed, t, at, spread)));
}

/// A row of Y, written out once more: layer by layer.
std::vector<double> row_of(const checked_problem& p, std::int64_t row) {
  const std::int64_t c = p.channels, h = p.hidden_columns();
  std::vector<double> x, normed, hidden, y;
  double mean = 0, squares = 0;
  for (std::int64_t d = 0; d < c; ++d) x.push_back(made(p, tensor::input, row * c + d, 1));
  for (const double value : x) mean += value / static_cast<double>(c);
  for (const double value : x) squares += (value - mean) * (value - mean);
  for (std::int64_t d = 0; d < c; ++d)
    normed.push_back(
        (x[static_cast<std::size_t>(d)] - mean) / std::sqrt(squares / static_cast<double>(c) + 1e-5) *
            static_cast<double>(dense_layers::generated_number(p.seed, tensor::gamma, d, gamma_spread, 1)) +
        static_cast<double>(dense_layers::generated_number(p.seed, tensor::beta, d, beta_spread)));
  const auto z = [&](std::int64_t column) {
    double sum = made(p, tensor::bias, column, bias_spread);
    for (std::int64_t d = 0; d < c; ++d)
      sum += normed[static_cast<std::size_t>(d)] * made(p, tensor::weight, column * c + d, p.first_spread);
    return sum;
  };
  for (std::int64_t j = 0; j < h; ++j)
    hidden.push_back(p.kind == kind::gelu ? z(j) / 2 * std::erfc(-z(j) / std::sqrt(2))
                                          : z(j) / (1 + std::exp(-z(j))) * z(h + j));
  for (std::int64_t d = 0; d < c; ++d) {
    double sum = x[static_cast<std::size_t>(d)] + made(p, tensor::second_bias, d, bias_spread);
    for (std::int64_t j = 0; j < h; ++j)
      sum += hidden[static_cast<std::size_t>(j)] * made(p, tensor::second_weight, d * h + j, p.second_spread);
    y.push_back(sum);
  }
  return y;
}

TEST(Mlp, IsTwoLayersWithNormActivationAndResidual) {
  for (const kind what : {kind::gelu, kind::swiglu}) {
    const checked_problem p = of(what, 5, 32);
    const std::vector<double> y = row_of(p, 3);
    for (std::int32_t d = 0; d < 32; ++d)
      EXPECT_NEAR(reference_element(p, {0, d, 3}).expected, y[static_cast<std::size_t>(d)], 1e-5);
  }
}

TEST(Mlp, AStepOfHiddenColumnsThatIsMissingIsFound) {
  // A sum without 64 of the hidden columns is off by about √(64 / h) of its norm, which is about 1 / 2.
  for (const int channels : {32, 128, 512}) {
    const checked_problem p = of(kind::gelu, 4, channels);
    EXPECT_LT(reference_element(p, {0, 5, 2}).tolerance, 0.25 * std::sqrt(64 / (4.0 * channels))) << channels;
  }
}

checked_problem backward(kind what, std::int64_t rows, int channels) {
  checked_problem p = of(what, rows, channels);
  p.is_backward = true;
  return p;
}
double gradient_at(const checked_problem& p, output what, std::int64_t row, std::int32_t column) {
  return reference_element(p, {static_cast<std::int32_t>(what), column, row}).expected;
}

/// dZ of all of a row's columns of Z, written out once more.
std::vector<double> z_gradients(const checked_problem& p, std::int64_t row) {
  const std::int64_t c = p.channels, h = p.hidden_columns();
  std::vector<double> out(static_cast<std::size_t>(p.first_columns()));
  for (std::int64_t j = 0; j < h; ++j) {
    double of_hidden = 0;
    for (std::int64_t d = 0; d < c; ++d)
      of_hidden += made(p, tensor::gradient, row * c + d, 1) *
                   made(p, tensor::second_weight, d * h + j, p.second_spread);
    const double z = made(p, generated_z, row * p.first_columns() + j, 1);
    if (p.kind == kind::gelu) {
      const double density = std::exp(-z * z / 2) / std::sqrt(2 * 3.14159265358979323846);
      out[static_cast<std::size_t>(j)] = of_hidden * (std::erfc(-z / std::sqrt(2)) / 2 + z * density);
    } else {
      const double up = made(p, generated_z, row * p.first_columns() + h + j, 1),
                   sigmoid = 1 / (1 + std::exp(-z));
      out[static_cast<std::size_t>(j)] = of_hidden * up * sigmoid * (1 + z * (1 - sigmoid));
      out[static_cast<std::size_t>(h + j)] = of_hidden * z * sigmoid;
    }
  }
  return out;
}

TEST(Mlp, GradientsOfTheLayersAreSumsOverTheRows) {
  for (const kind what : {kind::gelu, kind::swiglu}) {
    const checked_problem p = backward(what, 6, 32);
    double of_bias = 0, of_second = 0, of_second_bias = 0;
    for (std::int64_t row = 0; row < 6; ++row) {
      of_bias += z_gradients(p, row)[100];
      const double z = made(p, generated_z, row * p.first_columns() + 17, 1);
      const double hidden =
          what == kind::gelu
              ? z / 2 * std::erfc(-z / std::sqrt(2))
              : z / (1 + std::exp(-z)) * made(p, generated_z, row * p.first_columns() + 128 + 17, 1);
      of_second += made(p, tensor::gradient, row * 32 + 9, 1) * hidden;
      of_second_bias += made(p, tensor::gradient, row * 32 + 9, 1);
    }
    EXPECT_NEAR(gradient_at(p, output::first_gradient, 100, 32), of_bias, 1e-6);
    EXPECT_NEAR(gradient_at(p, output::second_gradient, 9, 17), of_second, 1e-6);
    EXPECT_NEAR(gradient_at(p, output::second_gradient, 9, 128), of_second_bias, 1e-6);
  }
}

TEST(Mlp, TheGradientOfXIsThatOfTheNormAndOfTheResidual) {
  const checked_problem p = backward(kind::swiglu, 5, 32);
  // dN, and the norm's slope in its direction by a small step of X.
  std::vector<double> normed(32);
  const std::vector<double> of_z = z_gradients(p, 3);
  for (std::int64_t n = 0; n < p.first_columns(); ++n)
    for (std::int64_t d = 0; d < 32; ++d)
      normed[static_cast<std::size_t>(d)] +=
          of_z[static_cast<std::size_t>(n)] * made(p, tensor::weight, n * 32 + d, p.first_spread);
  const auto product = [&](std::int64_t moved, double step) {
    std::vector<double> x;
    double mean = 0, squares = 0, sum = 0;
    for (std::int64_t d = 0; d < 32; ++d)
      x.push_back(made(p, tensor::input, 3 * 32 + d, 1) + (d == moved ? step : 0));
    for (const double value : x) mean += value / 32;
    for (const double value : x) squares += (value - mean) * (value - mean);
    for (std::int64_t d = 0; d < 32; ++d)
      sum += normed[static_cast<std::size_t>(d)] * (x[static_cast<std::size_t>(d)] - mean) /
             std::sqrt(squares / 32 + 1e-5) *
             static_cast<double>(dense_layers::generated_number(p.seed, tensor::gamma, d, gamma_spread, 1));
    return sum;
  };
  for (const std::int32_t column : {0, 20, 31})
    EXPECT_NEAR(gradient_at(p, output::input_gradient, 3, column),
                (product(column, 1e-4) - product(column, -1e-4)) / 2e-4 +
                    made(p, tensor::gradient, 3 * 32 + column, 1),
                1e-5);
}

TEST(Mlp, CountsXAndYOnceAndBothProducts) {
  const solved_workload gelu(mlps(), {{"rows", "4096"}, {"channels", "64"}});
  EXPECT_EQ(gelu.work.work.flops, 2.0 * 4096 * 8 * 64 * 64);
  EXPECT_EQ(gelu.work.work.bytes, 4.0 * 4096 * 64 + 16.0 * 64 * 64 + 4.0 * 7 * 64);
  const solved_workload gated(mlps(), {{"rows", "4096"}, {"channels", "64"}, {"kind", "swiglu"}});
  EXPECT_EQ(gated.work.work.flops, 2.0 * 4096 * 12 * 64 * 64);
  const solved_workload backward(mlps(), {{"rows", "64"}, {"channels", "64"}, {"region", "backward"}});
  EXPECT_EQ(backward.work.work.flops, 4.0 * 64 * 8 * 64 * 64);
}

TEST(Mlp, ItsReferencePassesItsCheck) {
  for (const char* kind : {"gelu", "swiglu"})
    for (const char* channels : {"32", "128"}) {
      for (const char* region : {"forward", "backward"}) {
        const solved_workload solved(
            mlps(), {{"kind", kind}, {"rows", "60"}, {"channels", channels}, {"region", region}});
        EXPECT_TRUE(solved.check().ok)
            << kind << " " << channels << " " << region << ": " << solved.check().message;
      }
    }
}

TEST(Mlp, TheCheckFindsOneElementAndWhatWasNotCompared) {
  const axis_values at = {{"rows", "130"}, {"channels", "32"}};
  for (const std::size_t sample : {0u, 1u, 63u}) {
    solved_workload solved(mlps(), at);
    solved.output<float>("sampled_out")[sample] += 0.3f;
    EXPECT_THAT(solved.check().message, HasSubstr("by the oracle on the host"));
  }
  solved_workload uncompared(mlps(), at);
  uncompared.output<comparison>("found")[0].elements -= 1;
  EXPECT_THAT(uncompared.check().message, HasSubstr("y: 4159 of 4160 elements were compared"));
  solved_workload off(mlps(), at);
  off.output<comparison>("found")[0].worst.error = 2;
  EXPECT_FALSE(off.check().ok);
}

}  // namespace
}  // namespace ablate::mlp
