#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/jacobian/jacobian.h"

namespace ablate::jacobian {

constexpr int block_threads = 128;

/// The frame of a joint: its rotation's columns and its origin.
struct frame {
  float3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1}, origin{0, 0, 0};

  /// Goes on over a link.
  __device__ void pass(const link& l, float angle) {
    float sine, cosine, sine_of_twist, cosine_of_twist;
    sincosf(angle + l.offset, &sine, &cosine);
    sincosf(l.alpha, &sine_of_twist, &cosine_of_twist);
    const float3 turned_y = combined(cosine, y, -sine, x);
    const float3 shifted = combined(1, origin, l.d, z);
    x = combined(cosine, x, sine, y);
    y = combined(cosine_of_twist, turned_y, sine_of_twist, z);
    z = combined(cosine_of_twist, z, -sine_of_twist, turned_y);
    origin = combined(1, shifted, l.a, x);
  }

 private:
  __device__ static float3 combined(float a, const float3& of_a, float b, const float3& of_b) {
    return make_float3(a * of_a.x + b * of_b.x, a * of_a.y + b * of_b.y, a * of_a.z + b * of_b.z);
  }
};

__device__ inline float3 operator-(const float3& a, const float3& b) {
  return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}

__device__ inline float3 cross(const float3& a, const float3& b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

template <class Links>
__device__ float3 end_of_chain(const Links& links, const float (&angles)[joints]) {
  frame f;
#pragma unroll
  for (int j = 0; j < joints; ++j) f.pass(links[j], angles[j]);
  return f.origin;
}

struct columns {
  float3 of_joint[joints];
};

template <class Links>
__device__ columns by_cross_products(const Links& links, const float (&angles)[joints]) {
  frame f;
  float3 axes[joints], origins[joints];
#pragma unroll
  for (int j = 0; j < joints; ++j) {
    axes[j] = f.z, origins[j] = f.origin;
    f.pass(links[j], angles[j]);
  }
  columns c;
#pragma unroll
  for (int j = 0; j < joints; ++j) c.of_joint[j] = cross(axes[j], f.origin - origins[j]);
  return c;
}

/// Seven walks along the chain. Six of them share their code: unrolled, it is more than the instruction cache
/// holds.
template <class Links>
__device__ columns by_differences(const Links& links, const float (&angles)[joints]) {
  const float3 end = end_of_chain(links, angles);
  columns c;
#pragma unroll 1
  for (int moved = 0; moved < joints; ++moved) {
    float beside[joints];
#pragma unroll
    for (int j = 0; j < joints; ++j) beside[j] = j == moved ? angles[j] + difference_step : angles[j];
    const float3 step = end_of_chain(links, beside) - end;
#pragma unroll
    for (int j = 0; j < joints; ++j)
      if (j == moved)
        c.of_joint[j] =
            make_float3(step.x / difference_step, step.y / difference_step, step.z / difference_step);
  }
  return c;
}

/// The Jacobian of one pose. `Links`: whatever gives link j as links[j].
template <method By, class Links>
__device__ columns jacobian_of(const Links& links, const float* of_pose) {
  float angles[joints];
#pragma unroll
  for (int j = 0; j < joints; ++j) angles[j] = of_pose[j];
  if constexpr (By == method::analytic)
    return by_cross_products(links, angles);
  else
    return by_differences(links, angles);
}

/// Into [3][joints] floats.
__device__ inline void store(const columns& c, float* out) {
#pragma unroll
  for (int j = 0; j < joints; ++j) {
    out[j] = c.of_joint[j].x;
    out[joints + j] = c.of_joint[j].y;
    out[2 * joints + j] = c.of_joint[j].z;
  }
}

/// This thread's pose: one a thread.
__device__ inline long long pose_of_thread() {
  return static_cast<long long>(blockIdx.x) * block_threads + threadIdx.x;
}

/// Links that a kernel takes by value, so that they are in its constant bank.
struct constant_links {
  link of_joint[joints];
  explicit constant_links(const problem& p) {
    for (std::size_t j = 0; j < joints; ++j) of_joint[j] = p.links[j];
  }
};

/// Calls `form(std::integral_constant<method, …>{})`.
template <class Form>
void with_method(const problem& p, Form form) {
  if (p.by == method::analytic)
    form(std::integral_constant<method, method::analytic>{});
  else
    form(std::integral_constant<method, method::difference>{});
}

}  // namespace ablate::jacobian
