// The oracle of matmul, and that its check of the whole product by projections finds single wrong elements.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "harness/inputs/random_floats.h"
#include "kernels/matmul/matmul.h"

namespace ablate::matmul::reference_test {
namespace {

using ::testing::HasSubstr;

struct product {
  product(std::int64_t m, std::int64_t n, std::int64_t k)
      : a(random_floats(m * k, 1, "a")), b(random_floats(k * n, 1, "b")), c(static_cast<std::size_t>(m * n)) {
    p = {.m = m, .n = n, .k = k, .a = a.data(), .b = b.data(), .c = c.data()};
    reference(p);
  }
  std::vector<float> a, b, c;
  problem p;
};

TEST(MatmulReference, MultipliesByHand) {
  const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {7, 8, 9, 10, 11, 12};
  float c[4];
  reference({.m = 2, .n = 2, .k = 3, .a = a, .b = b, .c = c});
  EXPECT_THAT(c, ::testing::ElementsAre(58, 64, 139, 154));
}

TEST(MatmulReference, PassesItsOwnCheck) {
  for (const auto& [m, n, k] : {std::array{1, 1, 1}, {5, 7, 3}, {64, 33, 100}, {1, 200, 9}, {200, 1, 9}}) {
    const product made(m, n, k);
    const auto found = projections(made.p).check(made.c.data());
    EXPECT_EQ(found.violation, std::nullopt) << m << "x" << n << "x" << k;
    EXPECT_LT(found.max_error, 1e-5);
    EXPECT_LT(relative_error(made.p, made.c.data()), 1e-6);
  }
}

TEST(MatmulReference, SequentialSumsOfFp32Pass) {
  product made(40, 50, 2000);
  for (std::int64_t i = 0; i < made.p.m; ++i)
    for (std::int64_t j = 0; j < made.p.n; ++j) {
      float sum = 0;
      for (std::int64_t l = 0; l < made.p.k; ++l)
        sum += made.a[static_cast<std::size_t>(i * made.p.k + l)] *
               made.b[static_cast<std::size_t>(l * made.p.n + j)];
      made.c[static_cast<std::size_t>(i * made.p.n + j)] = sum;
    }
  const auto found = projections(made.p).check(made.c.data());
  EXPECT_EQ(found.violation, std::nullopt);
  EXPECT_GT(found.max_error, 0);
}

TEST(MatmulReference, OneWrongElementIsFoundWhereverItIs) {
  product made(30, 70, 50);
  const projections check(made.p);
  for (const std::size_t place :
       {std::size_t{0}, std::size_t{69}, std::size_t{15 * 70 + 33}, made.c.size() - 1})
    for (const float by : {static_cast<float>(2.5 * tolerance(made.p)), -1.0f,
                           std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      const float right = made.c[place];
      made.c[place] += by;
      const auto found = check.check(made.c.data());
      ASSERT_TRUE(found.violation) << place << " by " << by;
      EXPECT_THAT(*found.violation, HasSubstr("row " + std::to_string(place / 70) + ", column " +
                                              std::to_string(place % 70) + ": expected"));
      EXPECT_FALSE(found.max_error < 1e-9);
      made.c[place] = right;
    }
  EXPECT_EQ(check.check(made.c.data()).violation, std::nullopt);
}

TEST(MatmulReference, ExchangedOperandsAndTransposesAreFound) {
  const product made(32, 32, 32);
  problem exchanged = made.p;
  std::swap(exchanged.a, exchanged.b);
  std::vector<float> other(made.c.size());
  exchanged.c = other.data();
  reference(exchanged);
  EXPECT_TRUE(projections(made.p).check(other.data()).violation);
  for (std::size_t i = 0; i < 32; ++i)
    for (std::size_t j = 0; j < 32; ++j) other[32 * i + j] = made.c[32 * j + i];
  EXPECT_TRUE(projections(made.p).check(other.data()).violation);
}

/// `value` with the ten bits of mantissa that a TF32 operand keeps.
float tf32(float value) {
  const float factor = std::ldexp(1.0f, std::ilogb(value) - 10);
  return value == 0 ? 0 : std::nearbyint(value / factor) * factor;
}

TEST(MatmulReference, Tf32IsNotAccepted) {
  product made(128, 128, 256);
  std::vector<float> a(made.a.size()), b(made.b.size());
  std::transform(made.a.begin(), made.a.end(), a.begin(), tf32);
  std::transform(made.b.begin(), made.b.end(), b.begin(), tf32);
  problem rounded = made.p;
  rounded.a = a.data(), rounded.b = b.data();
  reference(rounded);
  EXPECT_TRUE(projections(made.p).check(made.c.data()).violation);
}

}  // namespace
}  // namespace ablate::matmul::reference_test
