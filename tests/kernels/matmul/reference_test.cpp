// The oracle of matmul, and that its check of the whole product by projections finds single wrong elements.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/inputs/random_floats.h"
#include "oracles/matmul/reference.h"

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
    const known_product known(made.p, 1);
    const auto found = known.check(made.c.data());
    EXPECT_EQ(found.violation, std::nullopt) << m << "x" << n << "x" << k;
    EXPECT_LE(found.max_error, 0.5) << "one rounding of the two at k = 1";
    EXPECT_LT(known.relative_error(made.c.data()), 1e-6);
  }
}

TEST(MatmulReference, SequentialSumsOfFp32Pass) {
  for (const std::int64_t k : {1, 2, 16, 300, 2000, 8192}) {
    product made(40, 150, k);
    for (std::int64_t i = 0; i < made.p.m; ++i)
      for (std::int64_t j = 0; j < made.p.n; ++j) {
        float sum = 0;
        for (std::int64_t l = 0; l < made.p.k; ++l)
          sum += made.a[static_cast<std::size_t>(i * made.p.k + l)] *
                 made.b[static_cast<std::size_t>(l * made.p.n + j)];
        made.c[static_cast<std::size_t>(i * made.p.n + j)] = sum;
      }
    const auto found = known_product(made.p, 1).check(made.c.data());
    EXPECT_EQ(found.violation, std::nullopt) << k;
    EXPECT_GT(found.max_error, 0);
    EXPECT_LT(found.max_error, k < 16 ? 1 : 0.5) << k << ": half of what is accepted is to spare";
  }
}

TEST(MatmulReference, OneWrongElementIsFoundWhereverItIs) {
  product made(30, 270, 50);
  const known_product known(made.p, 1);
  for (const std::size_t place : {std::size_t{0}, std::size_t{127}, std::size_t{128}, std::size_t{269},
                                  std::size_t{7 * 270 + 255}, std::size_t{16 * 270 + 33}, made.c.size() - 1})
    for (const float by : {static_cast<float>(1e-3 * element_rms(made.p)), -1.0f,
                           std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      const float right = made.c[place];
      made.c[place] += by;
      const auto found = known.check(made.c.data());
      ASSERT_TRUE(found.violation) << place << " by " << by;
      EXPECT_THAT(*found.violation, HasSubstr("row " + std::to_string(place / 270) + ", column " +
                                              std::to_string(place % 270) + ": expected"));
      EXPECT_GT(found.max_error, 1);
      made.c[place] = right;
    }
  EXPECT_EQ(known.check(made.c.data()).violation, std::nullopt);
}

// At the depth of the largest case of the suites, every element of a few rows: none is missed.
TEST(MatmulReference, AThousandthOfAnElementIsFoundAtEveryColumn) {
  product made(4, 300, 4096);
  const known_product known(made.p, 5);
  const auto by = static_cast<float>(1e-3 * element_rms(made.p));
  for (std::size_t place = 300; place < 600; ++place) {  // of a row without a known element
    const float right = made.c[place];
    made.c[place] += by;
    EXPECT_TRUE(known.check(made.c.data()).violation) << place;
    made.c[place] = right;
  }
}

TEST(MatmulReference, NoTwoColumnsMayBeExchanged) {
  product made(6, 130, 20);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const known_product known(made.p, seed);
    for (std::size_t one = 0; one < 130; ++one)
      for (std::size_t other = one + 1; other < 130; ++other) {
        std::vector<float> c = made.c;
        for (const std::size_t row : {1, 2, 4})  // without a known element
          std::swap(c[130 * row + one], c[130 * row + other]);
        ASSERT_TRUE(known.check(c.data()).violation) << one << " and " << other;
      }
  }
}

// Of rows without a known element.
TEST(MatmulReference, NoTwoElementsOfARowMayBeExchanged) {
  product made(4, 128, 64);
  const known_product known(made.p, 1);
  int missed = 0;
  for (std::size_t one = 0; one < 128; ++one)
    for (std::size_t other = one + 1; other < 128; ++other) {
      std::vector<float> c = made.c;
      std::swap(c[128 + one], c[128 + other]);
      missed += !known.check(c.data()).violation;
    }
  EXPECT_EQ(missed, 0) << "of 8128";
}

TEST(MatmulReference, ExchangedRowsTilesOperandsAndTransposesAreFound) {
  const product made(64, 64, 64);
  const known_product known(made.p, 1);
  std::vector<float> other = made.c;
  std::swap_ranges(other.begin() + 64 * 5, other.begin() + 64 * 6, other.begin() + 64 * 9);
  EXPECT_THAT(known.check(other.data()).violation.value_or("none"), HasSubstr("row 5, column 0: expected"));
  other = made.c;
  for (std::ptrdiff_t i = 16; i < 32; ++i)
    std::swap_ranges(other.begin() + 64 * i, other.begin() + 64 * i + 16, other.begin() + 64 * i + 32);
  EXPECT_THAT(known.check(other.data()).violation.value_or("none"), HasSubstr("row 16, column 0: expected"));
  problem exchanged = made.p;
  std::swap(exchanged.a, exchanged.b);
  exchanged.c = other.data();
  reference(exchanged);
  EXPECT_TRUE(known.check(other.data()).violation);
  for (std::size_t i = 0; i < 64; ++i)
    for (std::size_t j = 0; j < 64; ++j) other[64 * i + j] = made.c[64 * j + i];
  EXPECT_TRUE(known.check(other.data()).violation);
}

// The last of k steps left out, in one element.
TEST(MatmulReference, AMissingProductIsFound) {
  product made(4, 40, 4096);
  const known_product known(made.p, 1);
  made.c[40 + 17] -= made.a[2 * 4096 - 1] * made.b[4095 * 40 + 17];
  EXPECT_THAT(known.check(made.c.data()).violation.value_or("none"), HasSubstr("row 1, column 17: expected"));
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
  EXPECT_TRUE(known_product(made.p, 1).check(made.c.data()).violation);
}

}  // namespace
}  // namespace ablate::matmul::reference_test
