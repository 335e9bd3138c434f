// The check on the device: every row against plain attention's. Bound by reading both, a few milliseconds at
// the largest sizes. Nothing here is measured.
#include "oracles/window_attention/compare_rows.cuh"

#include "oracles/common/bias.cuh"

namespace ablate::window_attention {

constexpr int compare_threads = 256, compared_lanes = 4;

/// Whether both are finite, or both NaN, or the same infinity.
__device__ bool are_alike(float seen, float expected) {
  if (isfinite(expected)) return isfinite(seen);
  return isnan(expected) ? isnan(seen) : seen == expected;
}

/// How far an element is off; infinitely where it is of another kind.
__device__ float distance(float seen, float expected) {
  if (!are_alike(seen, expected)) return INFINITY;
  return isfinite(expected) ? fabsf(seen - expected) : 0;
}

/// Where a row is: rows are numbered as they follow each other in memory.
__device__ deviation::place place_of_row(long long row, long long tokens, int heads, bool by_head) {
  deviation::place at{};
  at.row = static_cast<int>((by_head ? row : row / heads) % tokens);
  at.head = static_cast<int>((by_head ? row / tokens : row) % heads);
  at.batch = static_cast<int>(row / heads / tokens);
  return at;
}

/// Rows of heads, four lanes each.
struct rows_of_heads {
  const __nv_bfloat16* seen;
  const float *expected, *scale;
  long long tokens;
  int heads, width;
  bool by_head;

  __device__ float seen_at(long long row, int d) const { return __bfloat162float(seen[row * width + d]); }
  __device__ float expected_at(long long row, int d) const { return expected[row * width + d]; }
  __device__ deviation::place place(long long row) const { return place_of_row(row, tokens, heads, by_head); }
  __device__ float error(long long row, double squared_distance) const {
    return squared_distance == 0 ? 0 : static_cast<float>(sqrt(squared_distance) / scale[row]);
  }
  /// In units of the row's scale, shared by its elements. A row of scale zero or NaN says nothing of a
  /// bias.
  __device__ void add_signed(long long row, int d, unit_errors& errors) const {
    const double unit = scale[row];
    if (unit > 0) errors.add(seen_at(row, d), expected_at(row, d), rsqrt(double(width)), 1 / unit);
  }
};

/// Log-sum-exps as rows of one element.
struct log_sums {
  const float *seen, *expected;
  long long tokens;
  int heads;
  static constexpr int width = 1;

  __device__ float seen_at(long long row, int) const { return seen[row]; }
  __device__ float expected_at(long long row, int) const { return expected[row]; }
  __device__ deviation::place place(long long row) const { return place_of_row(row, tokens, heads, true); }
  __device__ float error(long long, double squared_distance) const {
    return static_cast<float>(sqrt(squared_distance));
  }
  /// A difference of logarithms is a relative error of the sum.
  __device__ void add_signed(long long row, int, unit_errors& errors) const {
    errors.add(1 + (static_cast<double>(seen[row]) - expected[row]), 1);
  }
};

__global__ void clear_deviation(deviation* found) { *found = {}; }

template <class T>
__device__ T sum_of_warp(T x) {
  for (int lane = 16; lane > 0; lane /= 2) x += __shfl_xor_sync(~0u, x, lane);
  return x;
}

template <class Rows>
__global__ __launch_bounds__(compare_threads) void find_errors(Rows rows, long long count, float accepted,
                                                               deviation* found) {
  const int lane = static_cast<int>(threadIdx.x) % compared_lanes;
  double squared_errors = 0;
  signed_errors signs{};
  unsigned long long over = 0, not_finite = 0, compared = 0, greatest = 0;
  const int row_of_warp = static_cast<int>(threadIdx.x) % 32 / compared_lanes;
  const long long first =
      (blockIdx.x * static_cast<long long>(compare_threads) + threadIdx.x) / compared_lanes;
  // A warp goes on together, since its lanes exchange sums; rows past the last are unused.
  for (long long row = first; row - row_of_warp < count;
       row += gridDim.x * static_cast<long long>(compare_threads / compared_lanes)) {
    const bool is_there = row < count;
    double squared = 0;
    unit_errors of_lane;
    for (int d = lane; is_there && d < rows.width; d += compared_lanes) {
      const double apart = distance(rows.seen_at(row, d), rows.expected_at(row, d));
      squared += apart * apart;
      rows.add_signed(row, d, of_lane);
    }
    squared = sum_of_lanes<compared_lanes>(squared);
    const unit_errors unit = unit_of_lanes<compared_lanes>(of_lane);
    if (lane != 0 || !is_there) continue;
    const float error = rows.error(row, squared);
    signs.add(unit);
    ++compared;
    over += !(error <= accepted);
    if (isfinite(error))
      squared_errors += static_cast<double>(error) * error;
    else
      ++not_finite;
    // Errors are not negative: they are ordered as their bits are.
    greatest = max(greatest, static_cast<unsigned long long>(__float_as_uint(error)) << 32 |
                                 (~static_cast<unsigned>(row)));
  }
  __syncwarp();
  squared_errors = sum_of_warp(squared_errors);
  over = sum_of_warp(over);
  not_finite = sum_of_warp(not_finite);
  compared = sum_of_warp(compared);
  add_of_warp(signs, threadIdx.x % 32 == 0, &found->signs);
  for (int far = 16; far > 0; far /= 2) greatest = max(greatest, __shfl_xor_sync(~0u, greatest, far));
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&found->squared_errors, squared_errors);
  atomicAdd(&found->rows, compared);
  atomicAdd(&found->rows_over, over);
  atomicAdd(&found->rows_not_finite, not_finite);
  atomicMax(&found->greatest, greatest);
}

/// The place of the greatest error, by one thread.
template <class Rows>
__global__ void describe_greatest(Rows rows, deviation* found) {
  const long long row = ~static_cast<unsigned>(found->greatest);
  deviation::place at = rows.place(row);
  at.error = __uint_as_float(static_cast<unsigned>(found->greatest >> 32));
  float greatest = -1;
  for (int d = 0; d < rows.width; ++d) {
    const float seen = rows.seen_at(row, d), expected = rows.expected_at(row, d);
    if (!(distance(seen, expected) > greatest)) continue;
    greatest = distance(seen, expected);
    at.element = d;
    at.expected = expected;
    at.seen = seen;
  }
  found->worst = at;
}

template <class Rows>
void compare(launcher& to, const Rows& rows, std::int64_t count, double accepted, deviation* found) {
  launch(to, clear_deviation, dim3(1), dim3(1), 0, found);
  launch(to, find_errors<Rows>, dim3(8 * to.device().multiprocessors), dim3(compare_threads), 0, rows, count,
         static_cast<float>(accepted), found);
  launch(to, describe_greatest<Rows>, dim3(1), dim3(1), 0, rows, found);
}

void compare_rows(launcher& to, const row_shape& shape, const compared_tensor& t, double accepted,
                  deviation* found) {
  compare(to,
          rows_of_heads{reinterpret_cast<const __nv_bfloat16*>(t.seen), t.expected, t.scale, shape.tokens,
                        static_cast<int>(shape.heads), shape.width, shape.by_head},
          shape.rows(), accepted, found);
}

void compare_log_sums(launcher& to, const row_shape& shape, const float* seen, const float* expected,
                      double accepted, deviation* found) {
  compare(to, log_sums{seen, expected, shape.tokens, static_cast<int>(shape.heads)}, shape.rows(), accepted,
          found);
}

}  // namespace ablate::window_attention
