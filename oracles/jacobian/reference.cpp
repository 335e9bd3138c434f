#include "oracles/jacobian/reference.h"

#include <cmath>

#include "kernels/common/bias.h"
#include "oracles/common/rounding.h"

namespace ablate::jacobian {
namespace {

using vector3 = std::array<double, 3>;

vector3 cross(const vector3& a, const vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Columns of the rotation, and the origin.
struct frame {
  vector3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1}, origin{};
};

frame behind(const frame& f, const link& l, double angle) {
  const double turn = angle + static_cast<double>(l.offset), twist = static_cast<double>(l.alpha);
  frame next;
  for (std::size_t i = 0; i < 3; ++i) {
    next.x[i] = std::cos(turn) * f.x[i] + std::sin(turn) * f.y[i];
    const double turned_y = std::cos(turn) * f.y[i] - std::sin(turn) * f.x[i];
    next.y[i] = std::cos(twist) * turned_y + std::sin(twist) * f.z[i];
    next.z[i] = std::cos(twist) * f.z[i] - std::sin(twist) * turned_y;
    next.origin[i] = f.origin[i] + static_cast<double>(l.d) * f.z[i] + static_cast<double>(l.a) * next.x[i];
  }
  return next;
}

}  // namespace

chain arm() {
  constexpr float quarter_turn = 1.57079633f;
  return {{{0, quarter_turn, 0.089159f, 0},
           {-0.425f, 0, 0, 0},
           {-0.39225f, 0, 0, 0},
           {0, quarter_turn, 0.10915f, 0},
           {0, -quarter_turn, 0.09465f, 0},
           {0, 0, 0.0823f, 0}}};
}

double reach(const chain& links) {
  double sum = 0;
  for (const link& l : links) sum += std::abs(static_cast<double>(l.a)) + std::abs(static_cast<double>(l.d));
  return sum;
}

double tolerance(const problem& p) {
  // Of a link: its angle's sum and the four sines and cosines, by 8, and three combinations of two products.
  constexpr double roundings_of_link = 16;
  if (p.by == method::analytic) return roundings_of_link * fp32_rounding * joints * reach(p.links);
  // Two walks of 72 roundings a coordinate, of random sign: √144. And the moved angle's, of up to about π.
  constexpr double rounded_position = 12 * fp32_rounding, rounded_angle = 3.15 * fp32_rounding;
  return (rounded_position + rounded_angle) / static_cast<double>(difference_step) * reach(p.links);
}

double rounding_of_step(float angle) {
  const float moved = angle + difference_step;
  return (static_cast<double>(moved) - static_cast<double>(angle)) / static_cast<double>(difference_step) - 1;
}

double accepted_bias(method by) {
  return by == method::analytic ? fp32_rounding
                                : accepted_bias_of_fp32 + static_cast<double>(difference_step) / 2;
}

std::array<double, elements> exact(const chain& links, const float* angles) {
  std::array<frame, joints + 1> frames;
  for (std::size_t j = 0; j < joints; ++j)
    frames[j + 1] = behind(frames[j], links[j], static_cast<double>(angles[j]));
  const vector3& end = frames[joints].origin;
  std::array<double, elements> out{};
  for (std::size_t j = 0; j < joints; ++j) {
    const vector3& origin = frames[j].origin;
    const vector3 column = cross(frames[j].z, {end[0] - origin[0], end[1] - origin[1], end[2] - origin[2]});
    for (std::size_t row = 0; row < 3; ++row) out[row * joints + j] = column[row];
  }
  return out;
}

}  // namespace ablate::jacobian
