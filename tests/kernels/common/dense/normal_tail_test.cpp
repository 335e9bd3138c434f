// Exact GELU by the polynomial of the normal tail's logarithm, against erfc in double.
#include "kernels/common/dense/normal_tail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "oracles/common/dense/exact.h"

namespace ablate {
namespace {

using namespace dense_layers;

double exact_gelu(double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); }
double gelu_by_tail(double x) {
  const auto size = static_cast<float>(std::abs(x));
  return std::max(x, 0.0) - size * std::exp2(static_cast<double>(log2_normal_tail(size)));
}

TEST(NormalTail, GeluIsOffByFarLessThanARoundingToBf16) {
  for (int i = -3000; i <= 3000; ++i) {
    const double x = i / 1000.0, right = exact_gelu(x);
    EXPECT_LE(std::abs(gelu_by_tail(x) - right), 6e-5 * std::abs(right)) << x;
  }
}

TEST(NormalTail, WhereGeluHasNoSlopeTheErrorIsAPartOfWhatIsAllowed) {
  for (int i = -8000; i <= 8000; ++i) {
    const double x = i / 1000.0;
    const judged right = exact_activated(activation::gelu_erf, x, bf16_rounding(x));
    EXPECT_LE(std::abs(gelu_by_tail(x) - right.expected), 0.1 * right.tolerance + 1e-15) << x;
  }
}

TEST(NormalTail, FarOutTheErrorIsSmallAndGeluGoesToZero) {
  for (int i = 300; i <= 3000; ++i)
    for (const double x : {i / 100.0, i / -100.0}) EXPECT_NEAR(gelu_by_tail(x), exact_gelu(x), 3e-6) << x;
  EXPECT_EQ(gelu_by_tail(-1e30), 0);
  EXPECT_EQ(gelu_by_tail(1e30), 1e30);
}

TEST(NormalTail, FallsEverywhere) {
  for (int i = 1; i <= 10000; ++i)
    EXPECT_LT(log2_normal_tail(static_cast<float>(i) / 100),
              log2_normal_tail(static_cast<float>(i - 1) / 100));
}

}  // namespace
}  // namespace ablate
