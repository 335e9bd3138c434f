// Gradients of parameters whose terms cancel. After the gradient of a batch norm the rows of each channel sum
// to 0, and nearly so those of the MLP before it: sums over its rows are small, but their terms' rounding
// errors in bf16 are not. The check must accept a right implementation with these errors, emulated here on
// the steps of a small PTv3, and still find a missing row.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tests/kernels/backbone/emulated_mlp.h"
#include "tests/kernels/backbone/ptv3_pass.h"

namespace ablate::backbone::cancelled_sums_test {
namespace {

using emulated::errors_of_sums;
using emulated::mlp_gradients;
using emulated::weight_gradient;

/// The last block before the first pool.
const std::string before_pool = "encoder.0.1";

/// 600 voxels, each alone in its cell of the next level: the pool's gradient is all of its rows'.
ptv3_pass voxels_apart() {
  std::vector<cell> cells = drawn_cells(600, "a");
  for (cell& c : cells)
    for (std::int32_t& place : c) place *= 2;
  ptv3_pass pass({cells}, layer_form::library, "small_ptv3", {}, pass_kind::training);
  make_index(pass.on_host(), *pass.steps);
  return pass;
}

void see_mlps(const std::string& name, const std::function<void(const mlp_gradients&)>& see) {
  ptv3_pass pass = voxels_apart();
  const problem p = pass.on_host();
  reference_pass(p, *pass.steps, rounding::bf16,
                 [&](const step& s, const std::vector<emulated::numbers>& tensors) {
                   if (s.kind != step_kind::mlp_gradient || s.name.find(name) == std::string::npos) return;
                   for (const bool rounds_hidden : {false, true})
                     see(mlp_gradients(p, *pass.steps, s, tensors, rounds_hidden));
                 });
}

TEST(CancelledSums, ARightMlpIsAccepted) {
  see_mlps("", [](const mlp_gradients& of) {
    for (const errors_of_sums& found : {of.norm.found(), of.first.found(), of.second.found()}) {
      EXPECT_LT(found.worst, 0.7) << of.name;
      EXPECT_LT(found.relative(), 0.7 * dense_layers::accepted_of_gradients) << of.name;
    }
  });
}

/// What was accepted when each sum counted for what it is.
TEST(CancelledSums, AShareOfTheSumsDoesNotExplainIt) {
  double greatest = 0;
  see_mlps(before_pool, [&](const mlp_gradients& of) {
    greatest = std::max(greatest, of.norm.found().relative_to_sums());
    const weight_gradient& second = of.second;
    for (std::size_t o = 0; o < second.outputs(); ++o) {
      const dense_layers::row_product_sum of_bias = second.sums(o, second.inputs() - 1);
      EXPECT_LT(std::abs(of_bias.sum), 0.1 * std::sqrt(of_bias.squares)) << "channel " << o;
    }
  });
  EXPECT_GT(greatest, dense_layers::accepted_of_gradients);
}

/// By the norm of the whole tensor, which is what cancels, and by an element.
TEST(CancelledSums, ARowThatIsMissingIsFound) {
  see_mlps(before_pool, [](const mlp_gradients& of) {
    for (std::size_t row = 0; row < of.norm.real; ++row) {
      const errors_of_sums found = of.norm.found(row);
      EXPECT_GT(found.relative(), 1.5 * dense_layers::accepted_of_gradients) << "row " << row;
      EXPECT_GT(found.worst, 1) << "row " << row;
    }
    for (const weight_gradient* one : {&of.first, &of.second})
      for (std::size_t row = 0; row < one->real; row += 7)
        EXPECT_TRUE(one->finds_missing(row, row + 1)) << "row " << row;
  });
}

/// A sum that does not cancel counts for what it is.
TEST(CancelledSums, OtherSumsAreHeldToTheirShare) {
  dense_layers::row_product_sum same, cancelled;
  for (int row = 0; row < 600; ++row) {
    same.add(1.25, 1.5, false);
    cancelled.add(row % 2 == 0 ? 1.25 : -1.25, 1.5, false);
  }
  EXPECT_EQ(mlp::exact_first_gradient(same).size(), same.sum);
  const double least = mlp::exact_first_gradient(cancelled).size();
  EXPECT_EQ(cancelled.sum, 0);
  EXPECT_NEAR(least, 200 * 1.66e-3 * std::sqrt(3 * cancelled.squares), 1e-9);
}

}  // namespace
}  // namespace ablate::backbone::cancelled_sums_test
