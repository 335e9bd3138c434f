#pragma once

#include <array>

#include "kernels/jacobian/jacobian.h"

namespace ablate::jacobian {

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

/// The mean signed error that is accepted. Analytic: the device's sines and cosines are within one ulp, and
/// may be off by half an ulp in the mean. Difference quotient: half a step, since the derivative changes
/// along the step.
double accepted_bias(method);

/// The oracle: analytic, in fp64, of one pose.
std::array<double, elements> exact(const chain&, const float* angles);

}  // namespace ablate::jacobian
