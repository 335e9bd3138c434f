#include "kernels/common/bias.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "kernels/common/bf16.h"

namespace ablate::bias_test {
namespace {

double rounded(double x) { return static_cast<double>(float_of_bf16(bf16_of(static_cast<float>(x)))); }

double of_upper_bits(double x, std::uint32_t more) {
  const auto value = static_cast<float>(x);
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<double>(float_of_bf16(static_cast<std::uint16_t>((bits + more) >> 16)));
}
double truncated(double x) { return of_upper_bits(x, 0); }
double rounded_down(double x) { return of_upper_bits(x, x < 0 ? 0xffff : 0); }

/// Rows of unit normal numbers, and what `see` makes of each.
template <class See>
signed_errors seen_in(unsigned seed, int rows, int columns, See see) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  signed_errors all{};
  for (int row = 0; row < rows; ++row) {
    unit_errors unit;
    for (int column = 0; column < columns; ++column) {
      const double x = static_cast<double>(static_cast<float>(normal(random)));
      unit.add(see(x), x);
    }
    all.add(unit);
  }
  return all;
}

constexpr unsigned seeds = 1000;

/// Of these seeds, the share that is found biased.
template <class See>
double found_share(int rows, int columns, double systematic, See see) {
  int found = 0;
  for (unsigned seed = 0; seed < seeds; ++seed)
    found += !tensor_bias(seen_in(seed, rows, columns, see), systematic).is_accepted();
  return found / static_cast<double>(seeds);
}

TEST(Bias, RoundingToTheNearestLeavesNone) {
  // Even without a systematic part: what is accepted is the errors' own scatter.
  for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{64, 8}, {8, 64}, {1, 64}, {256, 1}})
    EXPECT_EQ(found_share(rows, columns, 0x1p-18, rounded), 0) << rows << " x " << columns;
}

TEST(Bias, TruncationIsFoundFromSomeHundredElementsOn) {
  EXPECT_EQ(found_share(512, 1, accepted_bias_of_bf16, truncated), 1);
  EXPECT_EQ(found_share(128, 8, accepted_bias_of_bf16, truncated), 1);
  const tensor_bias found(seen_in(1, 1000, 8, truncated), accepted_bias_of_bf16);
  EXPECT_TRUE(found.is_in_factor());
  EXPECT_NEAR(found.factor.value, -2.8e-3, 2e-4);
}

TEST(Bias, AFactorIsFound) {
  const auto times = [](double factor) { return [factor](double x) { return rounded(x * factor); }; };
  EXPECT_EQ(found_share(100, 16, accepted_bias_of_bf16, times(1.002)), 1);
  EXPECT_EQ(found_share(300, 32, accepted_bias_of_bf16, times(0.999)), 1);
  EXPECT_EQ(found_share(300, 32, accepted_bias_of_bf16, times(1.0001)), 0) << "less than the systematic part";
}

TEST(Bias, RoundingDownIsAnOffset) {
  EXPECT_EQ(found_share(256, 8, accepted_bias_of_bf16, rounded_down), 1);
  const tensor_bias found(seen_in(1, 1000, 8, rounded_down), accepted_bias_of_bf16);
  EXPECT_FALSE(found.is_in_factor());
  EXPECT_LT(found.offset.value, -2e-3);
  EXPECT_LT(found.factor.share(), 1) << "as many numbers are too small as too great";
}

TEST(Bias, FewUnitsAreNeverFoundBiased) {
  EXPECT_EQ(found_share(1, 4096, 0, truncated), 0) << "one row";
  EXPECT_EQ(found_share(36, 1, 0, truncated), 0);
  EXPECT_FALSE(tensor_bias(seen_in(1, 50, 100, truncated), 0).is_accepted());
}

TEST(Bias, WhatIsNoNumberIsLeftOut) {
  constexpr double infinity = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  unit_errors unit;
  for (const auto& [seen, expected] : std::vector<std::pair<double, double>>{
           {nan, 1}, {1, nan}, {nan, nan}, {infinity, infinity}, {1, -infinity}})
    unit.add(seen, expected);
  EXPECT_EQ(unit.squares, 0);
  unit.add(1.5, 1);
  EXPECT_EQ(unit.errors, 0.5);
  EXPECT_EQ(unit.products, 0.5);
}

TEST(Bias, OfNothingIsNothing) {
  signed_errors zeros{};
  for (int i = 0; i < 1000; ++i) {
    unit_errors unit;
    unit.add(0, 0);
    zeros.add(unit);
  }
  for (const signed_errors& none : {zeros, signed_errors{}}) {
    const tensor_bias found(none, accepted_bias_of_bf16);
    EXPECT_TRUE(found.is_accepted());
    EXPECT_EQ(found.worse().value, 0);
  }
}

// A row that 500 others repeat: no number of copies makes its roundings average out. The last one is no
// kernel's fault and is not counted; what was rounded before, here a factor, is.
TEST(Bias, OfRowsThatAreAlikeIsThatOfOne) {
  constexpr int width = 64, copies = 500;
  double greatest = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    unit_errors rounded_once, row;
    for (int d = 0; d < width; ++d) {
      const double x = static_cast<double>(static_cast<float>(normal(random)));
      rounded_once.add(rounded(x), x);
      row.add(3 * rounded(x / 3), x);
    }
    signed_errors once{}, all{};
    for (int i = 0; i < copies; ++i) {
      once.add(rounded_once);
      all.add(row);
    }
    EXPECT_EQ(tensor_bias(once, 0).worse().value, 0) << seed;
    EXPECT_TRUE(tensor_bias(all, accepted_bias_of_bf16 + bias_of_alike(width)).is_accepted()) << seed;
    greatest = std::max(greatest, tensor_bias(all, accepted_bias_of_bf16).worse().share());
  }
  EXPECT_GT(greatest, 1) << "copies taken for independent rows would raise a false alarm";
}

// The case that row errors hide: attention whose probabilities are truncated and whose sums are not.
TEST(Bias, OfTruncatedProbabilitiesIsFoundInOutputs) {
  constexpr int keys = 128, width = 16, queries = 128;
  const auto attended = [&](auto round) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    std::vector<double> values(keys * width);
    for (double& v : values) v = rounded(normal(random));
    signed_errors all{};
    double greatest = 0;
    for (int q = 0; q < queries; ++q) {
      std::vector<double> right(width), seen(width);
      double sum = 0, noise = 0, apart = 0, norm = 0;
      for (int k = 0; k < keys; ++k) {
        const double p = std::exp(normal(random) - 3), weight = round(p);
        sum += p;
        for (int d = 0; d < width; ++d) {
          right[d] += p * values[k * width + d];
          seen[d] += weight * values[k * width + d];
          noise += p * p * values[k * width + d] * values[k * width + d];
        }
      }
      for (int d = 0; d < width; ++d) {
        seen[d] = rounded(seen[d] / sum);
        right[d] /= sum;
        norm += right[d] * right[d];
        apart += (seen[d] - right[d]) * (seen[d] - right[d]);
      }
      const double scale = std::max(std::sqrt(norm), std::sqrt(noise) / sum);
      greatest = std::max(greatest, std::sqrt(apart) / scale);
      unit_errors unit;
      for (int d = 0; d < width; ++d)
        unit.add(seen[d] / scale, right[d] / scale, 1 / std::sqrt(double{width}));
      all.add(unit);
    }
    EXPECT_LT(greatest, 0x1p-7) << "each row is within its tolerance";
    return tensor_bias(all, accepted_bias_of_bf16);
  };
  EXPECT_TRUE(attended(rounded).is_accepted());
  const tensor_bias found = attended(truncated);
  EXPECT_FALSE(found.is_accepted());
  EXPECT_LT(found.factor.value, -1e-3);
}

}  // namespace
}  // namespace ablate::bias_test
