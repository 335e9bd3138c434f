// The operation mlp on the host: the oracle and the check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/mlp/mlp.h"
#include "tests/support/solved_workload.h"

namespace ablate::mlp {
namespace {

using dense_layers::comparison;
using dense_layers::float_of_bf16;
using dense_layers::tensor;
using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& mlps() { return *find_operation("mlp"); }

problem of(kind what, std::int64_t rows, int channels) {
  problem p;
  p.kind = what;
  p.rows = rows;
  p.channels = channels;
  p.first_spread = 1 / std::sqrt(static_cast<float>(channels));
  p.second_spread = p.first_spread / 2;
  return p;
}

double made(const problem& p, tensor t, std::int64_t at, float spread) {
  return static_cast<double>(float_of_bf16(dense_layers::made_bf16(p.seed, t, at, spread)));
}

/// A row of Y, written out once more: layer by layer.
std::vector<double> row_of(const problem& p, std::int64_t row) {
  const std::int64_t c = p.channels, h = p.hidden_columns();
  std::vector<double> x, normed, hidden, y;
  double mean = 0, squares = 0;
  for (std::int64_t d = 0; d < c; ++d) x.push_back(made(p, tensor::input, row * c + d, 1));
  for (const double value : x) mean += value / static_cast<double>(c);
  for (const double value : x) squares += (value - mean) * (value - mean);
  for (std::int64_t d = 0; d < c; ++d)
    normed.push_back(
        (x[static_cast<std::size_t>(d)] - mean) / std::sqrt(squares / static_cast<double>(c) + 1e-5) *
            static_cast<double>(dense_layers::made_number(p.seed, tensor::gamma, d, gamma_spread, 1)) +
        static_cast<double>(dense_layers::made_number(p.seed, tensor::beta, d, beta_spread)));
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
    const problem p = of(what, 5, 32);
    const std::vector<double> y = row_of(p, 3);
    for (std::int32_t d = 0; d < 32; ++d)
      EXPECT_NEAR(reference_element(p, {0, d, 3}).expected, y[static_cast<std::size_t>(d)], 1e-5);
  }
}

TEST(Mlp, AHiddenColumnThatIsMissingIsFound) {
  // A sum over all but one of the hidden columns is off by about 1 / √h of its norm.
  for (const int channels : {32, 128}) {
    const problem p = of(kind::gelu, 4, channels);
    const judged right = reference_element(p, {0, 5, 2});
    EXPECT_LT(right.tolerance, 0.5 / std::sqrt(4.0 * channels)) << channels;
  }
}

TEST(Mlp, CountsXAndYOnceAndBothProducts) {
  const solved_workload gelu(mlps(), {{"rows", "4096"}, {"channels", "64"}});
  EXPECT_EQ(gelu.work.work.flops, 2.0 * 4096 * 8 * 64 * 64);
  EXPECT_EQ(gelu.work.work.bytes, 4.0 * 4096 * 64 + 16.0 * 64 * 64 + 4.0 * 7 * 64);
  const solved_workload gated(mlps(), {{"rows", "4096"}, {"channels", "64"}, {"kind", "swiglu"}});
  EXPECT_EQ(gated.work.work.flops, 2.0 * 4096 * 12 * 64 * 64);
}

TEST(Mlp, ItsReferencePassesItsCheck) {
  for (const char* kind : {"gelu", "swiglu"})
    for (const char* channels : {"32", "128"}) {
      const solved_workload solved(mlps(), {{"kind", kind}, {"rows", "130"}, {"channels", channels}});
      EXPECT_TRUE(solved.check().ok) << kind << " " << channels << ": " << solved.check().message;
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
