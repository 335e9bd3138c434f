#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ablate::jacobian {

constexpr int joints = 6;
constexpr int elements = 3 * joints;  ///< per Jacobian
constexpr std::int64_t most_poses = std::int64_t{1} << 22;

/// A link in Denavit–Hartenberg parameters: T = rotation about z by (angle + offset) · shift along z by `d` ·
/// shift along x by `a` · rotation about x by `alpha`.
struct link {
  float a, alpha, d, offset;  ///< meters, radians, meters, radians
};
/// 24 floats. There is a copy in device memory, too.
using chain = std::array<link, joints>;

/// How the derivative is computed.
enum class method {
  analytic,   ///< column j is z_j × (end − o_j), with the axis z_j and the origin o_j of joint j's frame
  difference  ///< (end(angle_j + step) − end(angle_j)) / step, as published; in fp32 noisy
};
constexpr float difference_step = 1e-5f;  // radians

/// The position Jacobian of a chain of six revolute joints at many poses (docs/operations/jacobian.md):
/// out[pose][row][j] = ∂ end[row] / ∂ angle_j, meters per radian.
struct problem {
  std::int64_t poses = 0;  ///< 1 … most_poses
  method by = method::analytic;
  chain links{};                    ///< on the host: for kernels that take them by value
  const link* in_memory = nullptr;  ///< [joints]: the same
  const float* angles = nullptr;    ///< [poses][joints], radians
  float* out = nullptr;             ///< [poses][3][joints]
};

/// Shoulder, elbow and wrist of a robot arm: the published parameters of a UR5. Its reach() is 1.19 m.
chain arm();

/// Σ |a| + |d|: no element of a Jacobian is greater. Meters.
double reach(const chain&);

/// Accepted error of an element, meters per radian. Analytic: 16 roundings per link, relative to the reach.
/// Difference: the roundings of two positions and of the moved angle, at most about π, divided by the step. A
/// position has 72 roundings per coordinate, each at most 2^-24 of the reach; 12 = √144 is the size of a
/// random walk of all 144, not a bound.
double tolerance(const problem&);

/// By how much of itself a difference at this angle is too great, beside its noise: an angle plus the step is
/// rounded to fp32, to 84 times 2^-23 where it is about 1.
double rounding_of_step(float angle);

/// What may be left in the mean. Analytic: sines and cosines of the device are within an ulp, of which the
/// mean may be a half. Difference: half of the step, by which a derivative changes on the way.
double accepted_bias(method);

/// The oracle: analytic, in fp64, of one pose.
std::array<double, elements> exact(const chain&, const float* angles);

}  // namespace ablate::jacobian
