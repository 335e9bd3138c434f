// How the checks of pooling and of its gradients look at all rows: each is computed plainly and compared at
// once, so that nothing is kept. `Rows` says which there are:
//   heads(), count(of): rows of a head in output `of`;
//   expected(of, place): the lane's part of a plain_row; seen(of, place): what the variant left;
//   is_copy(of): whether it must be equal.
#pragma once

#include "oracles/block_pooling/checked_problem.h"
#include "oracles/block_pooling/plain_rows.cuh"
#include "oracles/common/bias.cuh"

namespace ablate::block_pooling {

/// How far an element is off, in units of what is accepted; bitwise copies may not be off at all.
__device__ inline float error_of_element(float seen, float expected, float floor, bool is_copy) {
  if (!isfinite(expected)) {
    const bool is_alike = isnan(expected) ? isnan(seen) : seen == expected;
    return is_alike ? 0 : INFINITY;
  }
  if (!isfinite(seen)) return INFINITY;
  const float off = fabsf(seen - expected);
  return off == 0 ? 0 : is_copy ? INFINITY : off / tolerance_of(expected, floor);
}

/// Of the lane's two elements.
template <class Rows>
struct lane_errors {
  plain_row expected;
  float seen[2], error[2];

  __device__ lane_errors(const Rows& rows, int of, const row_place& at) : expected(rows.expected(of, at)) {
    const float2 both = elements_of(rows.seen(of, at));
    seen[0] = both.x, seen[1] = both.y;
    for (int i = 0; i < 2; ++i)
      error[i] = error_of_element(seen[i], expected.x[i], expected.floor, rows.is_copy(of));
  }
  __device__ float greatest() const { return fmaxf(error[0], error[1]); }
  /// Where the terms of an element cancel, it counts by what is accepted there.
  __device__ unit_errors signs() const {
    constexpr double least_of_accepted = 16;
    unit_errors of_lane;
    for (int i = 0; i < 2; ++i) {
      const double x = expected.x[i];
      of_lane.add(seen[i], x, fmax(fabs(x), least_of_accepted * tolerance_of(expected.x[i], expected.floor)));
    }
    return of_lane;
  }
};

template <class Rows>
__device__ row_place place_of_row(const Rows& rows, int of, int index) {
  return {index / rows.count(of), index % rows.count(of)};
}

template <int Count>
__global__ void clear_found(deviation* found) {
  if (threadIdx.x < Count) found[threadIdx.x] = {};
}

/// blockIdx.y: what is compared. A warp a row.
template <class Rows>
__global__ __launch_bounds__(threads_of_block) void find_errors(Rows rows, deviation* found) {
  const int of = static_cast<int>(blockIdx.y), count = rows.heads() * rows.count(of);
  const int warps = static_cast<int>(gridDim.x) * (threads_of_block / 32);
  double squared_errors = 0;
  signed_errors signs{};
  unsigned long long over = 0, not_finite = 0, seen_rows = 0, greatest = 0;
  for (int index = static_cast<int>(blockIdx.x * (threads_of_block / 32) + threadIdx.x / 32); index < count;
       index += warps) {
    const lane_errors<Rows> errors(rows, of, place_of_row(rows, of, index));
    const float error = max_of_warp(errors.greatest());
    signs.add(unit_of_lanes<32>(errors.signs()));
    ++seen_rows;
    over += !(error <= 1);
    if (isfinite(error))
      squared_errors += static_cast<double>(error) * error;
    else
      ++not_finite;
    // Errors are not negative: they are ordered as their bits are.
    greatest = max(greatest, static_cast<unsigned long long>(__float_as_uint(error)) << 32 |
                                 ~static_cast<unsigned>(index));
  }
  // All lanes have the sums of the warp's rows.
  if (threadIdx.x % 32 != 0) return;
  add_signs(signs, &found[of].signs);
  atomicAdd(&found[of].squared_errors, squared_errors);
  atomicAdd(&found[of].rows, seen_rows);
  atomicAdd(&found[of].rows_over, over);
  atomicAdd(&found[of].rows_not_finite, not_finite);
  atomicMax(&found[of].greatest, greatest);
}

/// A warp for what is compared: the place of the greatest error.
template <class Rows>
__global__ void describe_greatest(Rows rows, deviation* found) {
  const int of = static_cast<int>(blockIdx.x);
  const int index = static_cast<int>(~static_cast<unsigned>(found[of].greatest));
  const row_place at = place_of_row(rows, of, index);
  const lane_errors<Rows> errors(rows, of, at);
  const float greatest = max_of_warp(errors.greatest());
  const unsigned lanes = __ballot_sync(~0u, errors.greatest() == greatest);
  if (threadIdx.x != static_cast<unsigned>(__ffs(static_cast<int>(lanes)) - 1)) return;
  const int i = errors.error[0] == greatest ? 0 : 1;
  found[of].worst = {
      greatest,      0, at.row, at.head, static_cast<int>(2 * threadIdx.x) + i, errors.expected.x[i],
      errors.seen[i]};
}

template <class Rows>
__global__ void gather_samples(Rows rows, const sampled_row* samples, float* out) {
  const sampled_row& at = samples[blockIdx.x];
  *reinterpret_cast<float2*>(out + blockIdx.x * static_cast<long long>(width) + threadIdx.x * 2) =
      elements_of(rows.seen(at.of, {at.head, at.row}));
}

/// Compares the rows of the first `Outputs` of `Rows`, and gathers those that the check reads itself.
template <int Outputs, class Rows>
void compare_all_rows(launcher& to, const Rows& rows, deviation* found, const sampled_row* samples,
                      std::int64_t sample_count, float* sampled_out) {
  launch(to, find_errors<Rows>, dim3(8 * static_cast<unsigned>(to.device().multiprocessors), Outputs),
         dim3(threads_of_block), 0, rows, found);
  launch(to, describe_greatest<Rows>, dim3(Outputs), dim3(32), 0, rows, found);
  launch(to, gather_samples<Rows>, dim3(static_cast<unsigned>(sample_count)), dim3(32), 0, rows, samples,
         sampled_out);
}

}  // namespace ablate::block_pooling
