#pragma once

#include <array>
#include <cstdint>

namespace ablate::jacobian {

constexpr int joints = 6;
constexpr int elements = 3 * joints;  ///< per Jacobian
constexpr std::int64_t max_poses = std::int64_t{1} << 22;

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
  std::int64_t poses = 0;  ///< 1 … max_poses
  method by = method::analytic;
  chain links{};                    ///< on the host: for kernels that take them by value
  const link* in_memory = nullptr;  ///< [joints]: the same
  const float* angles = nullptr;    ///< [poses][joints], radians
  float* out = nullptr;             ///< [poses][3][joints]
};

}  // namespace ablate::jacobian
