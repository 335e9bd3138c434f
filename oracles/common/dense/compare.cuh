// What the checks of dense layers share: a warp's tally of errors, and inputs made on the device. Nothing
// here is measured.
#pragma once

#include <cuda_bf16.h>

#include "kernels/common/launch.cuh"
#include "oracles/common/bias.cuh"
#include "oracles/common/dense/comparison.h"
#include "oracles/common/dense/exact.h"
#include "oracles/common/dense/made.h"

namespace ablate::dense_layers {

/// How far `seen` is off, in what is accepted.
__device__ inline float error_of(double seen, const judged& right) {
  if (!isfinite(right.expected)) {
    const bool is_alike = isnan(right.expected) ? isnan(seen) : seen == right.expected;
    return is_alike ? 0 : INFINITY;
  }
  if (!isfinite(seen)) return INFINITY;
  const double off = fabs(seen - right.expected);
  return off == 0 ? 0 : static_cast<float>(off / right.tolerance);
}

/// A thread's elements.
class tally_of_errors {
 public:
  __device__ void add(long long index, double seen, const judged& right) {
    add(index, seen, right, fabs(right.expected));
  }
  __device__ void add(long long index, double seen, const judged_sum& right) {
    add(index, seen, right, right.size());
  }

  /// By all lanes of the warp.
  __device__ void write(comparison* to) {
    for (int far = 16; far > 0; far /= 2) {
      squared_errors_ += __shfl_xor_sync(~0u, squared_errors_, far);
      squares_ += __shfl_xor_sync(~0u, squares_, far);
      elements_ += __shfl_xor_sync(~0u, elements_, far);
      over_ += __shfl_xor_sync(~0u, over_, far);
      not_finite_ += __shfl_xor_sync(~0u, not_finite_, far);
      greatest_ = max(greatest_, __shfl_xor_sync(~0u, greatest_, far));
    }
    const bool is_first = (threadIdx.x + threadIdx.y * blockDim.x) % 32 == 0;
    add_of_warp(signs_, is_first, &to->signs);
    if (!is_first || elements_ == 0) return;
    atomicAdd(&to->squared_errors, squared_errors_);
    atomicAdd(&to->squares, squares_);
    atomicAdd(&to->elements, elements_);
    atomicAdd(&to->elements_over, over_);
    atomicAdd(&to->not_finite, not_finite_);
    atomicMax(&to->greatest, greatest_);
  }

 private:
  __device__ void add(long long index, double seen, const judged& right, double size) {
    const float error = error_of(seen, right);
    ++elements_;
    over_ += !(error <= 1);
    if (!isfinite(error)) {
      ++not_finite_;
    } else if (isfinite(right.expected)) {
      squared_errors_ += (seen - right.expected) * (seen - right.expected);
      squares_ += size * size;
      unit_errors unit;
      unit.add(seen, right.expected, fmax(size, least_of_accepted * right.tolerance));
      signs_.add(unit);
    }
    // Errors are not negative: they are ordered as their bits are.
    greatest_ = max(greatest_, static_cast<unsigned long long>(__float_as_uint(error)) << 32 |
                                   ~static_cast<unsigned>(index));
  }

  double squared_errors_ = 0, squares_ = 0;
  signed_errors signs_{};
  unsigned long long elements_ = 0, over_ = 0, not_finite_ = 0, greatest_ = 0;
};

/// The number of the element with the greatest error.
__device__ inline long long worst_element(const comparison& found) {
  return ~static_cast<unsigned>(found.greatest);
}
__device__ inline void describe_worst(comparison& found, int columns, double expected, double seen) {
  const long long at = worst_element(found);
  found.worst = {__uint_as_float(static_cast<unsigned>(found.greatest >> 32)), static_cast<int>(at % columns),
                 at / columns, static_cast<float>(expected), static_cast<float>(seen)};
}

__device__ inline double sum_of_warp(double x) {
  for (int far = 16; far > 0; far /= 2) x += __shfl_xor_sync(~0u, x, far);
  return x;
}

__device__ inline double number_at(const std::uint16_t* bf16, long long at) {
  return float_of_bf16(bf16[at]);
}

/// Clears `count` comparisons.
void clear(launcher&, comparison*, int count);

/// Fills a tensor of bf16 with generated_bf16.
void make(launcher&, std::uint64_t seed, tensor of, const std::uint16_t* to, long long count, float spread);

/// Fills a tensor of fp32 with generated_number.
void make(launcher&, std::uint64_t seed, tensor of, const float* to, long long count, float spread,
          float center);

}  // namespace ablate::dense_layers
