// The yardstick on the device: all outputs in fp64, first what is known of each row and of each channel, then
// element by element, each compared at once; and the inputs. Nothing here is measured. Its own arithmetic is
// held against the host's oracle at the sampled elements.
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/row_norm/launches.h"
#include "kernels/row_norm/layer_rows.cuh"
#include "oracles/common/dense/compare.cuh"
#include "oracles/row_norm/exact.h"
#include "oracles/row_norm/launches.h"

namespace ablate::row_norm {

constexpr int plain_threads = 256;

/// What is known of a channel, in this order.
enum channel_value {
  channel_mean,
  channel_variance,
  unbiased_variance,
  product_sum,
  gradient_sum,
  product_squares,
  gradient_squares,
  product_magnitude,
  gradient_magnitude
};
static_assert(gradient_magnitude + 1 == plain_of_channel);

/// A problem as the yardstick sees it.
struct plain_view {
  checked_problem p;

  __device__ double* row(long long at) const { return p.plain + at * plain_of_row; }
  __device__ double* channel(int at) const { return p.plain + p.rows * plain_of_row + at * plain_of_channel; }
  /// The number that is normalized: of residual_layer, forward, s as the variant has written it, which is
  /// compared itself.
  __device__ double normalized_number(long long row, int column) const {
    const long long at = row * p.channels + column;
    return number_at(p.kind == kind::residual_layer && !p.is_backward ? p.sum : p.in, at);
  }
  __device__ moments moments_at(long long at, int column) const {
    if (p.is_layer()) return {row(at)[0], row(at)[1]};
    return {channel(column)[channel_mean], 1 / sqrt(channel(column)[channel_variance] + batch_epsilon)};
  }
  __device__ double gradient_at(long long row, int column, double normalized) const {
    return gradient_of_norm(p, number_at(p.gradient, row * p.channels + column), normalized, p.gamma[column],
                            p.beta[column]);
  }

  __device__ judged statistic(int which, int column) const {
    const double* const known = channel(column);
    const double kept = momentum;
    const double value = which == 0   ? known[channel_mean]
                         : which == 1 ? 1 / sqrt(known[channel_variance] + batch_epsilon)
                         : which == 2 ? (1 - kept) * p.mean[column] + kept * known[channel_mean]
                                      : (1 - kept) * p.variance[column] + kept * known[unbiased_variance];
    return {value, 1e-5 * fmax(fabs(value), sqrt(known[channel_variance]))};
  }

  __device__ judged expected(output of, long long at, int column) const {
    if (of == output::statistics) return statistic(static_cast<int>(at), column);
    if (of == output::parameter_gradients)
      return exact_parameter_gradient(channel(column)[product_sum + at],
                                      channel(column)[product_squares + at],
                                      channel(column)[product_magnitude + at]);
    if (at >= p.valid) return padding();
    const double scale = branch_scale(p.seed, p.drop, at);
    const long long element = at * p.channels + column;
    if (of == output::sum) return exact_sum(number_at(p.in, element), number_at(p.branch, element), scale);
    const moments m = moments_at(at, column);
    const double x = normalized_number(at, column);
    if (of == output::out) return exact_out(p, x, 0, m, p.gamma[column], p.beta[column]);
    const double normalized = (x - m.mean) * m.inverse_deviation, gamma = p.gamma[column];
    const double g = gradient_at(at, column, normalized);
    if (!p.is_layer()) {
      const double n = static_cast<double>(p.valid);
      return exact_layer_gradient(g * gamma, normalized, m, channel(column)[gradient_sum] * gamma / n,
                                  channel(column)[product_sum] * gamma / n, 0);
    }
    const double added = p.kind == kind::residual_layer ? number_at(p.sum_gradient, element) : 0;
    const judged of_sum = exact_layer_gradient(g * gamma, normalized, m, row(at)[2], row(at)[3], added);
    return of == output::branch_gradient ? exact_branch_gradient(of_sum, scale) : of_sum;
  }

  __device__ double seen(output of, long long at, int column) const {
    const long long element = at * p.channels + column;
    switch (of) {
      case output::out:
        return number_at(p.out, element);
      case output::sum:
        return number_at(p.sum, element);
      case output::statistics:
        return p.statistics[element];
      case output::input_gradient:
        return number_at(p.input_gradient, element);
      case output::branch_gradient:
        return number_at(p.branch_gradient, element);
      default:
        return p.parameter_gradients[element];
    }
  }
};

/// A warp a real row.
__global__ __launch_bounds__(plain_threads) void plain_rows(plain_view v) {
  const int lane = static_cast<int>(threadIdx.x) % 32, channels = v.p.channels;
  const long long row = (blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x) / 32;
  if (row >= v.p.valid) return;
  double mean = 0, variance = 0, gradient = 0, product = 0;
  for (int d = lane; d < channels; d += 32) mean += v.normalized_number(row, d) / channels;
  mean = sum_of_warp(mean);
  for (int d = lane; d < channels; d += 32) {
    const double apart = v.normalized_number(row, d) - mean;
    variance += apart * apart / channels;
  }
  const double inverse = 1 / sqrt(sum_of_warp(variance) + layer_epsilon);
  if (v.p.is_backward)
    for (int d = lane; d < channels; d += 32) {
      const double normalized = (v.normalized_number(row, d) - mean) * inverse;
      const double g = v.gradient_at(row, d, normalized) * v.p.gamma[d] / channels;
      gradient += g;
      product += g * normalized;
    }
  gradient = sum_of_warp(gradient);
  product = sum_of_warp(product);
  if (lane != 0) return;
  double* const to = v.row(row);
  to[0] = mean, to[1] = inverse, to[2] = gradient, to[3] = product;
}

__device__ double sum_of_block(double x) {
  __shared__ double parts[plain_threads / 32];
  x = sum_of_warp(x);
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < plain_threads / 32; ++i) sum += parts[i];
  return sum;
}

/// A block a channel.
__global__ __launch_bounds__(plain_threads) void plain_channels(plain_view v) {
  const int column = static_cast<int>(blockIdx.x);
  double* const known = v.channel(column);
  const double n = static_cast<double>(v.p.valid);
  const bool takes_moments = v.p.kind == kind::batch_training && !v.p.is_backward;
  double mean = 0, variance = 0, squares = 0;
  if (takes_moments) {
    for (long long row = threadIdx.x; row < v.p.valid; row += plain_threads)
      mean += v.normalized_number(row, column) / n;
    mean = sum_of_block(mean);
    for (long long row = threadIdx.x; row < v.p.valid; row += plain_threads) {
      const double apart = v.normalized_number(row, column) - mean;
      squares += apart * apart;
    }
    squares = sum_of_block(squares);
    variance = squares / n;
  } else if (!v.p.is_layer()) {
    mean = v.p.mean[column];
    variance = v.p.variance[column];
  }
  if (threadIdx.x == 0) {
    known[channel_mean] = mean;
    known[channel_variance] = variance;
    known[unbiased_variance] = squares / fmax(n - 1, 1.0);
  }
  if (!v.p.is_backward) return;
  __syncthreads();
  double sums[6] = {};
  for (long long row = threadIdx.x; row < v.p.valid; row += plain_threads) {
    const moments m = v.moments_at(row, column);
    const double normalized = (v.normalized_number(row, column) - m.mean) * m.inverse_deviation;
    const double g = v.gradient_at(row, column, normalized);
    const double rounded = rounded_terms(v.p, number_at(v.p.gradient, row * v.p.channels + column), g);
    sums[0] += g * normalized;
    sums[1] += g;
    sums[2] += rounded * normalized * rounded * normalized;
    sums[3] += rounded * rounded;
    sums[4] += fabs(rounded * normalized);
    sums[5] += fabs(rounded);
  }
  for (int i = 0; i < 6; ++i) {
    const double sum = sum_of_block(sums[i]);
    if (threadIdx.x == 0) known[product_sum + i] = sum;
  }
}

__global__ __launch_bounds__(plain_threads) void compare_norms(plain_view v, output of) {
  const long long count = v.p.rows_of(of) * v.p.channels;
  tally_of_errors errors;
  for (long long i = blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(plain_threads)) {
    const int column = static_cast<int>(i % v.p.channels);
    const long long row = i / v.p.channels;
    errors.add(i, v.seen(of, row, column), v.expected(of, row, column));
  }
  errors.write(v.p.found + static_cast<int>(of));
}

/// A thread an output, and a thread a sample.
__global__ void describe_norms(plain_view v) {
  if (blockIdx.x == 0) {
    comparison& found = v.p.found[threadIdx.x];
    if (threadIdx.x >= outputs || found.elements == 0) return;
    const auto of = static_cast<output>(threadIdx.x);
    const long long at = worst_element(found), row = at / v.p.channels;
    const int column = static_cast<int>(at % v.p.channels);
    describe_worst(found, v.p.channels, v.expected(of, row, column).expected, v.seen(of, row, column));
    return;
  }
  const long long i = (blockIdx.x - 1ll) * blockDim.x + threadIdx.x;
  if (i >= v.p.sample_count) return;
  const sampled_element& e = v.p.samples[i];
  v.p.sampled_out[i] = static_cast<float>(v.seen(static_cast<output>(e.of), e.row, e.column));
}

void compare_with_plain(launcher& to, const checked_problem& p, const switches&) {
  const plain_view v{p};
  clear(to, p.found, outputs);
  if (p.is_layer())
    launch(to, plain_rows, dim3(blocks_for(32 * p.valid, plain_threads)), dim3(plain_threads), 0, v);
  launch(to, plain_channels, dim3(static_cast<unsigned>(p.channels)), dim3(plain_threads), 0, v);
  for (int i = 0; i < outputs; ++i)
    if (const auto of = static_cast<output>(i); p.has(of))
      launch(to, compare_norms, dim3(8 * static_cast<unsigned>(to.device().multiprocessors)),
             dim3(plain_threads), 0, v, of);
  launch(to, describe_norms, dim3(1 + blocks_for(p.sample_count, 32)), dim3(32), 0, v);
}

__global__ __launch_bounds__(plain_threads) void make_rows(checked_problem p, tensor of, std::uint16_t* to) {
  for (long long i = blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x; i < p.elements();
       i += gridDim.x * static_cast<long long>(plain_threads))
    to[i] = generated_element(p, of, i);
}

__global__ void make_parameters(checked_problem p) {
  const tensor names[] = {tensor::gamma, tensor::beta, tensor::mean, tensor::variance};
  const float* const all[] = {p.gamma, p.beta, p.mean, p.variance};
  const int count = p.is_layer() ? 2 : 4;
  for (int which = 0; which < count; ++which)
    for (int channel = static_cast<int>(threadIdx.x); channel < p.channels;
         channel += static_cast<int>(blockDim.x))
      const_cast<float*>(all[which])[channel] = generated_parameter(p, names[which], channel);
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  const dim3 blocks(16 * static_cast<unsigned>(to.device().multiprocessors));
  const auto make_tensor = [&](tensor of, const std::uint16_t* at) {
    launch(to, make_rows, blocks, dim3(plain_threads), 0, p, of, const_cast<std::uint16_t*>(at));
  };
  make_tensor(tensor::input, p.in);
  if (p.kind == kind::residual_layer && !p.is_backward) make_tensor(tensor::branch, p.branch);
  if (p.is_backward) make_tensor(tensor::gradient, p.gradient);
  if (p.kind == kind::residual_layer && p.is_backward) make_tensor(tensor::sum_gradient, p.sum_gradient);
  launch(to, make_parameters, dim3(1), dim3(256), 0, p);
}

}  // namespace ablate::row_norm
