// The reference on the device: one thread per element, products summed one by one in fp64. Computed once per
// case and compared with all elements of a variant's output. Not measured. Its own arithmetic is checked at
// the sampled rows against the fp64 oracle, which uses the lists instead of the table.
#include <cmath>

#include "kernels/common/launch.cuh"
#include "kernels/sparse_conv/launches.h"
#include "kernels/sparse_conv/weight_gradient.h"
#include "oracles/common/bias.cuh"
#include "oracles/sparse_conv/launches.h"

namespace ablate::sparse_conv {

constexpr int plain_threads = 256;

__device__ inline float plain_float(std::uint16_t bits) {
  return __uint_as_float(static_cast<unsigned>(bits) << 16);
}

struct plain_sum {
  double value = 0;
  float squares = 0;

  __device__ void add(float a, float b) {
    const float product = a * b;  // exact, of two bf16
    value += static_cast<double>(product);
    squares = fmaf(product, product, squares);
  }
};

__device__ plain_sum plain_output(const problem& p, long long row, int out) {
  plain_sum sum;
  for (int q = 0; q < p.offsets(); ++q) {
    const int in_row = p.table[q * p.rows + row];
    if (in_row < 0) continue;
    const std::uint16_t* const x = p.x + static_cast<long long>(in_row) * p.in_channels;
    const std::uint16_t* const w =
        p.weights + (static_cast<long long>(out) * p.offsets() + q) * p.in_channels;
    for (int c = 0; c < p.in_channels; ++c) sum.add(plain_float(x[c]), plain_float(w[c]));
  }
  if (p.has_bias) sum.add(p.bias[out], 1);
  return sum;
}

__device__ plain_sum plain_input_gradient(const problem& p, long long row, int in) {
  plain_sum sum;
  for (int q = 0; q < p.offsets(); ++q) {
    const int out_row = p.table[q * p.rows + row];
    if (out_row < 0) continue;
    const std::uint16_t* const dy = p.out_gradient + static_cast<long long>(out_row) * p.out_channels;
    const std::uint16_t* const w = p.weights + (p.offsets() - 1 - q) * p.in_channels + in;
    const long long from_out_to_out = static_cast<long long>(p.offsets()) * p.in_channels;
    for (int o = 0; o < p.out_channels; ++o) sum.add(plain_float(dy[o]), plain_float(w[o * from_out_to_out]));
  }
  return sum;
}

__device__ plain_sum plain_weight_gradient(const problem& p, long long row, int in) {
  plain_sum sum;
  const int out = static_cast<int>(row) / p.offsets(), q = static_cast<int>(row) % p.offsets();
  for (int pair = p.ends[q]; pair < p.ends[q + 1]; ++pair)
    sum.add(plain_float(p.out_gradient[static_cast<long long>(p.out_rows[pair]) * p.out_channels + out]),
            plain_float(p.x[static_cast<long long>(p.in_rows[pair]) * p.in_channels + in]));
  return sum;
}

__device__ plain_sum plain_bias_gradient(const problem& p, int out) {
  plain_sum sum;
  for (long long row = 0; row < p.rows; ++row)
    sum.add(plain_float(p.out_gradient[row * p.out_channels + out]), 1);
  return sum;
}

__global__ __launch_bounds__(plain_threads) void make_expected(checked_problem p, int of,
                                                               expectation* expected, long long elements) {
  if (*p.is_kept != 0) return;
  const long long i = blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x;
  if (i >= elements) return;
  const long long row = i / p.length_of(of);
  const int column = static_cast<int>(i % p.length_of(of));
  const plain_sum sum = of == y_rows                 ? plain_output(p, row, column)
                        : of == x_gradient_rows      ? plain_input_gradient(p, row, column)
                        : of == weight_gradient_rows ? plain_weight_gradient(p, row, column)
                                                     : plain_bias_gradient(p, column);
  expected[i] = {
      static_cast<float>(sum.value),
      static_cast<float>(tolerance_of(is_bf16(of), sum.value, sqrt(static_cast<double>(sum.squares))))};
}

__global__ void keep_expected(std::uint32_t* is_kept) { *is_kept = 1; }

/// Element i of what the variant left.
__device__ float seen_element(const problem& p, int of, long long i) {
  return of == y_rows                 ? plain_float(p.y[i])
         : of == x_gradient_rows      ? plain_float(p.x_gradient[i])
         : of == weight_gradient_rows ? p.weight_gradient_out[i]
                                      : p.bias_gradient[i];
}

__global__ void clear_found(deviation* found) { found[threadIdx.x] = {}; }

__global__ __launch_bounds__(plain_threads) void find_errors(checked_problem p, int of,
                                                             const expectation* expected,
                                                             long long elements) {
  double squared_errors = 0;
  signed_errors signs{};
  unsigned long long compared = 0, over = 0, greatest = 0;
  for (long long i = blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x; i < elements;
       i += gridDim.x * static_cast<long long>(plain_threads)) {
    const float seen = seen_element(p, of, i), off = fabsf(seen - expected[i].value);
    unit_errors unit;
    unit.add(seen, expected[i].value);
    signs.add(unit);
    float error = off == 0 ? 0 : off / expected[i].tolerance;
    if (!isfinite(error)) error = INFINITY;  // NaN, too
    ++compared;
    over += error > 1;
    if (isfinite(error)) squared_errors += static_cast<double>(error) * static_cast<double>(error);
    // Errors are not negative: they are ordered as their bits are.
    greatest = max(greatest,
                   static_cast<unsigned long long>(__float_as_uint(error)) << 32 | ~static_cast<unsigned>(i));
  }
  for (int far = 16; far > 0; far /= 2) {
    squared_errors += __shfl_xor_sync(~0u, squared_errors, far);
    compared += __shfl_xor_sync(~0u, compared, far);
    over += __shfl_xor_sync(~0u, over, far);
    greatest = max(greatest, __shfl_xor_sync(~0u, greatest, far));
  }
  deviation& found = p.found[of];
  add_of_warp(signs, threadIdx.x % 32 == 0, &found.signs);
  if (threadIdx.x % 32 != 0 || compared == 0) return;
  atomicAdd(&found.elements, compared);
  atomicAdd(&found.over, over);
  atomicMax(&found.greatest, greatest);
  atomicAdd(&found.squared_errors, squared_errors);
}

/// The values at the greatest error.
__global__ void describe_greatest(checked_problem p, int of, const expectation* expected) {
  const unsigned i = ~static_cast<unsigned>(p.found[of].greatest);
  p.found[of].expected = expected[i].value;
  p.found[of].seen = seen_element(p, of, i);
}

/// A block a row, padded with zeros.
__global__ void gather_samples(checked_problem p, int padded) {
  const sampled_row at = p.samples[blockIdx.x];
  const int length = p.length_of(at.of);
  for (int i = static_cast<int>(threadIdx.x); i < padded; i += static_cast<int>(blockDim.x))
    p.sampled_out[static_cast<long long>(blockIdx.x) * padded + i] =
        i < length ? seen_element(p, at.of, static_cast<long long>(at.row) * length + i) : 0;
}

void compare_with_plain(launcher& to, const checked_problem& p, const switches&) {
  launch(to, clear_found, dim3(1), dim3(results), 0, p.found);
  expectation* expected = p.expected;
  for (int of = 0; of < results; ++of) {
    const std::int64_t elements = p.elements_of(of);
    if (elements == 0) continue;
    launch(to, make_expected, dim3(blocks_for(elements, plain_threads)), dim3(plain_threads), 0, p, of,
           expected, elements);
    launch(to, find_errors, dim3(8 * static_cast<unsigned>(to.device().multiprocessors)), dim3(plain_threads),
           0, p, of, expected, elements);
    launch(to, describe_greatest, dim3(1), dim3(1), 0, p, of, expected);
    expected += elements;
  }
  launch(to, keep_expected, dim3(1), dim3(1), 0, p.is_kept);
  launch(to, gather_samples, dim3(static_cast<unsigned>(p.sample_count)), dim3(128), 0, p, p.row_length());
}

}  // namespace ablate::sparse_conv
