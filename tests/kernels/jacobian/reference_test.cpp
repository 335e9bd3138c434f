// The oracle of jacobian against differences of its own chain in fp64, and against arms that are easy.
#include <gtest/gtest.h>

#include <cmath>

#include "harness/inputs/random_floats.h"
#include "oracles/jacobian/reference.h"

namespace ablate::jacobian::reference_test {
namespace {

using end_point = std::array<double, 3>;

/// The end by 4×4 matrices, as Denavit and Hartenberg write them.
end_point end_of(const chain& links, const std::array<double, joints>& angles) {
  using matrix = std::array<std::array<double, 4>, 4>;
  matrix t{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
  for (std::size_t j = 0; j < joints; ++j) {
    const double q = angles[j] + static_cast<double>(links[j].offset),
                 w = static_cast<double>(links[j].alpha);
    const double a = static_cast<double>(links[j].a), d = static_cast<double>(links[j].d);
    const matrix step{{{std::cos(q), -std::sin(q) * std::cos(w), std::sin(q) * std::sin(w), a * std::cos(q)},
                       {std::sin(q), std::cos(q) * std::cos(w), -std::cos(q) * std::sin(w), a * std::sin(q)},
                       {0, std::sin(w), std::cos(w), d},
                       {0, 0, 0, 1}}};
    matrix next{};
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t c = 0; c < 4; ++c)
        for (std::size_t k = 0; k < 4; ++k) next[r][c] += t[r][k] * step[k][c];
    t = next;
  }
  return {t[0][3], t[1][3], t[2][3]};
}

TEST(JacobianReference, IsTheDerivativeOfTheEnd) {
  chain links = arm();
  links[2].offset = 0.3f;
  const std::vector<float> made = random_floats(50 * joints, 1, "angles");
  for (std::size_t pose = 0; pose < 50; ++pose) {
    const auto found = exact(links, &made[pose * joints]);
    for (std::size_t j = 0; j < joints; ++j) {
      std::array<double, joints> above{}, below{};
      for (std::size_t i = 0; i < joints; ++i)
        above[i] = below[i] = static_cast<double>(made[pose * joints + i]);
      constexpr double step = 1e-6;
      above[j] += step, below[j] -= step;
      const end_point high = end_of(links, above), low = end_of(links, below);
      for (std::size_t row = 0; row < 3; ++row)
        ASSERT_NEAR(found[row * joints + j], (high[row] - low[row]) / (2 * step), 1e-8) << pose << ", " << j;
    }
  }
}

TEST(JacobianReference, OfAStraightPlanarArm) {
  chain links{};
  for (link& l : links) l.a = 1;
  const float angles[joints] = {};
  const auto found = exact(links, angles);
  for (std::size_t j = 0; j < joints; ++j) {
    EXPECT_EQ(found[j], 0);
    EXPECT_EQ(found[joints + j], static_cast<double>(joints - j));
    EXPECT_EQ(found[2 * joints + j], 0);
  }
}

TEST(JacobianReference, NoElementIsGreaterThanTheReach) {
  const std::vector<float> angles = random_floats(100 * joints, 2, "angles");
  const double most = reach(arm());
  EXPECT_NEAR(most, 1.1925, 1e-4);
  for (std::size_t pose = 0; pose < 100; ++pose)
    for (const double element : exact(arm(), &angles[pose * joints])) EXPECT_LE(std::abs(element), most);
}

TEST(JacobianReference, DifferencesMayBeFarOff) {
  const problem analytic{.poses = 1, .links = arm()};
  problem difference = analytic;
  difference.by = method::difference;
  EXPECT_LT(tolerance(analytic), 1e-5);
  EXPECT_GT(tolerance(difference), 0.05 * reach(arm()));
  EXPECT_LT(tolerance(difference), 0.1 * reach(arm()));
}

}  // namespace
}  // namespace ablate::jacobian::reference_test
