// Gradients of rows that are alike, as padding of a window is. A right implementation in bf16 rounds them
// alike, so that its sums over rows are off by more than roundings that are independent make: it has to be
// accepted, emulated here on the steps of a whole backbone, most of whose rows are padding. Faults have to be
// found beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/backbone/networks.h"
#include "oracles/linear/exact.h"
#include "oracles/window_attention_backward/checked_problem.h"
#include "tests/kernels/backbone/emulated_mlp.h"
#include "tests/kernels/backbone/flash_pass.h"

namespace ablate::backbone::alike_rows_test {
namespace {

using namespace emulated;

/// 300 points in windows of 256: of 19 rows at the last level 237 more are padding.
flash_pass mostly_padding() {
  window_shape shape = small_windows;
  shape.align = alignment::window;
  flash_pass pass(network_of(model_of("small"), {300}, shape, layer_form::library, pass_kind::training));
  make_index(pass.on_host(), *pass.steps);
  return pass;
}

void see_mlps(const std::function<void(const mlp_gradients&)>& see, const std::string& name = "") {
  flash_pass pass = mostly_padding();
  const problem p = pass.on_host();
  reference_pass(p, *pass.steps, rounding::bf16, [&](const step& s, const std::vector<numbers>& tensors) {
    if (s.kind != step_kind::mlp_gradient || s.name.find(name) == std::string::npos) return;
    for (const bool rounds_hidden : {false, true})
      see(mlp_gradients(p, *pass.steps, s, tensors, rounds_hidden));
  });
}

TEST(AlikeRows, ARightMlpIsAccepted) {
  see_mlps([](const mlp_gradients& of) {
    for (const weight_gradient* one : {&of.first, &of.second}) {
      const errors_of_sums found = one->found();
      EXPECT_LT(found.worst, 0.7) << of.name;
      EXPECT_LT(found.relative(), dense_layers::accepted_of_gradients) << of.name;
    }
  });
}

/// What was accepted when all roundings were taken for independent ones.
TEST(AlikeRows, IndependentRoundingsDoNotExplainIt) {
  const auto beyond = [](const weight_gradient& of, double accepted) {
    int elements = 0;
    for (std::size_t o = 0; o < of.outputs(); ++o)
      for (std::size_t i = 0; i < of.inputs(); ++i) {
        const row_product_sum sums = of.sums(o, i);
        elements += std::abs(of.seen(o, i) - sums.sum) > accepted * std::sqrt(sums.squares);
      }
    return elements;
  };
  see_mlps(
      [&](const mlp_gradients& of) {
        using namespace dense_layers;
        const int first = beyond(of.first, accepted_of_row_products + mlp::accepted_of_first_gradient),
                  second = beyond(of.second, accepted_of_row_products + accepted_of_rounded_factor);
        EXPECT_GT(first, 0);
        EXPECT_LT(first, 200);
        EXPECT_GT(second, 0);
        EXPECT_LT(second, 200);
      },
      "encoder.4.0");
}

TEST(AlikeRows, ARealRowThatIsMissingIsFound) {
  see_mlps(
      [](const mlp_gradients& of) {
        for (const weight_gradient* one : {&of.first, &of.second})
          for (std::size_t row = 0; row < one->real; ++row)
            EXPECT_TRUE(one->finds_missing(row, row + 1)) << "row " << row;
      },
      "encoder.4.0");
}

TEST(AlikeRows, ATileOfPaddingThatIsMissingIsFound) {
  see_mlps(
      [](const mlp_gradients& of) {
        for (const weight_gradient* one : {&of.first, &of.second})
          EXPECT_TRUE(one->finds_missing(one->rows - 32, one->rows));
      },
      "encoder.4.0");
}

TEST(AlikeRows, AnElementOfItsNeighborIsFound) {
  see_mlps(
      [](const mlp_gradients& of) {
        int found = 0, all = 0;
        for (const weight_gradient* one : {&of.first, &of.second})
          for (std::size_t o = 0; o < one->outputs(); o += 7, ++all)
            found += error_of(one->seen(o, o % 32 + 1), one->judge(one->sums(o, o % 32))) > 1;
        EXPECT_GT(found, 9 * all / 10);
      },
      "encoder.4.0");
}

TEST(AlikeRows, ALayerOfTheOtherSignIsFound) {
  see_mlps([](const mlp_gradients& of) {
    for (const weight_gradient* one : {&of.first, &of.second}) {
      int found = 0, all = 0;
      for (std::size_t o = 0; o < one->outputs(); ++o, ++all)
        found += error_of(-one->seen(o, 5), one->judge(one->sums(o, 5))) > 1;
      EXPECT_GT(found, 9 * all / 10) << of.name;
    }
  });
}

/// Sums of numbers that tensor cores truncate at each 16th row, all of one sign.
TEST(AlikeRows, TruncatedSumsAreAccepted) {
  constexpr std::int64_t rows = 98'304;
  for (const double factor : {1.0 / 3, 0.7, 0.99}) {
    row_product_sum right;
    float seen = 0;
    for (std::int64_t row = 0; row < rows; row += 16) {
      double block = 0;
      for (int i = 0; i < 16; ++i) {
        right.add(bf16_rounded(factor), bf16_rounded(1.1), row >= rows / 2);
        block += bf16_rounded(factor) * bf16_rounded(1.1);
      }
      const double exact = static_cast<double>(seen) + block;
      seen = static_cast<float>(exact);
      if (static_cast<double>(seen) > exact) seen = std::nextafter(seen, 0.0f);
    }
    const double error = error_of(static_cast<double>(seen), linear::exact_weight_gradient(right));
    EXPECT_GT(error, 0);
    EXPECT_LT(error, 1);
  }
}

/// A row of padding and a row whose gradient is not its own.
TEST(AlikeRows, RowsOfALinearLayerThatAreMissingAreFound) {
  const std::vector<float> x = drawn(4096, "x"), gradient = drawn(4096, "gradient");
  row_product_sum right;
  double real = 0;
  for (std::size_t row = 0; row < 4096; ++row) {
    const bool is_alike = row >= 3072;
    const std::size_t at = is_alike ? 3072 : row;
    const double l = bf16_rounded(static_cast<double>(gradient[at])),
                 r = bf16_rounded(static_cast<double>(x[at]));
    right.add(l, r, is_alike);
    if (!is_alike) real = std::max(real, std::abs(l * r));
  }
  const judged of = linear::exact_weight_gradient(right);
  EXPECT_LT(error_of(right.sum, of), 1e-6);
  EXPECT_GT(error_of(right.sum - real, of), 1);
  EXPECT_GT(error_of(right.sum - 8 * gradient[3072] * x[3072], of), 1);
}

/// dQ of a window whose values are all alike, in whole precision 0, and in fp32 the rounding of Σ dO · v − Δ.
TEST(AlikeRows, RowsNearZeroAreComparedWithTheTensor) {
  namespace backward = window_attention_backward;
  constexpr int width = 16, rows = 256;
  const std::vector<float> value = drawn(width, "value"), gradient = drawn(width, "gradient"),
                           others = drawn(rows, "others");
  float product = 0, delta = 0;
  for (int d = 0; d < width; ++d) product = std::fma(gradient[d], value[d], product);
  for (int d = width - 1; d >= 0; --d) delta += gradient[d] * value[d];
  const double rounding_noise = std::max<double>(std::abs(product - delta), 0x1p-24) / 16;
  double squares = 0;
  for (const float other : others) squares += static_cast<double>(other) * other / 100;
  const double least = backward::least_scale(squares, rows + 1), typical = std::sqrt(squares / rows);
  EXPECT_LT(rounding_noise / least, backward::accepted_row_error);
  EXPECT_GT(1e-3 * typical / least, backward::accepted_row_error);
  EXPECT_GT(1e-4 * typical / least, backward::accepted_row_error);
  // A tensor of zeros is zero.
  EXPECT_EQ(backward::least_scale(0, rows), 0);
}

}  // namespace
}  // namespace ablate::backbone::alike_rows_test
