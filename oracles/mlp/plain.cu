// The yardstick on the device: the hidden layer in fp64, kept as fp32, and Y from it, compared element by
// element; and the inputs. Nothing here is measured. Its own arithmetic is held against the host's oracle at
// the sampled elements.
#include "kernels/common/switches.h"
#include "kernels/mlp/launches.h"
#include "kernels/mlp/parts.h"
#include "oracles/common/dense/plain_product.cuh"
#include "oracles/mlp/exact.h"
#include "oracles/mlp/launches.h"

namespace ablate::mlp {

using namespace dense_layers;

/// A row's element less its mean, over its deviation.
__device__ double standardized(const checked_problem& p, long long row, long long column) {
  return (number_at(p.x, row * p.channels + column) - p.moments[2 * row]) * p.moments[2 * row + 1];
}

/// LN(X).
__device__ double normalized(const checked_problem& p, long long row, long long column) {
  return standardized(p, row, column) * p.gamma[column] + p.beta[column];
}

/// LN(X) · W1ᵀ: of swiglu both halves of the columns.
template <int Parts>
struct first_product {
  static constexpr int parts = Parts;
  checked_problem p;
  long long rows, terms;
  int columns;

  __device__ double left(long long row, long long term) const { return normalized(p, row, term); }
  __device__ double right(int column, long long term, int part) const {
    return number_at(p.first, (column + static_cast<long long>(part) * columns) * terms + term);
  }
};

template <int Parts>
struct keeping_hidden {
  checked_problem p;

  __device__ void take(long long row, int column, const product_sum* sums) {
    double bias[Parts];
    for (int part = 0; part < Parts; ++part) bias[part] = p.first_bias[column + part * p.hidden_columns()];
    p.plain_hidden[row * p.hidden_columns() + column] = static_cast<float>(exact_hidden(p.kind, sums, bias));
  }
  __device__ void finish() {}
};

struct second_product {
  static constexpr int parts = 1;
  checked_problem p;
  long long rows, terms;
  int columns;

  __device__ double left(long long row, long long term) const { return p.plain_hidden[row * terms + term]; }
  __device__ double right(int column, long long term, int) const {
    return number_at(p.second, column * terms + term);
  }
  __device__ judged judge(long long row, int column, const product_sum* sums) const {
    return exact_y(*sums, p.second_bias[column], number_at(p.x, row * columns + column));
  }
  __device__ double seen(long long row, int column) const { return number_at(p.y, row * columns + column); }
};

/// dY · W2, from which dZ is kept; act(Z) too.
struct hidden_gradient_product {
  static constexpr int parts = 1;
  checked_problem p;
  long long rows, terms;
  int columns;

  __device__ double left(long long row, long long term) const {
    return number_at(p.gradient, row * terms + term);
  }
  __device__ double right(int column, long long term, int) const {
    return number_at(p.second, term * columns + column);
  }
};

template <int Parts>
struct keeping_z_gradient {
  checked_problem p;

  __device__ void take(long long row, int column, const product_sum* sums) {
    const int h = p.hidden_columns();
    double z[2];
    for (int part = 0; part < Parts; ++part) z[part] = number_at(p.z, row * Parts * h + column + part * h);
    p.plain_hidden[row * h + column] = static_cast<float>(hidden_of(p.kind, z));
    for (int part = 0; part < Parts; ++part)
      p.plain_z_gradient[row * Parts * h + column + part * h] =
          static_cast<float>(exact_z_gradient(p.kind, part, sums->sum, z));
  }
  __device__ void finish() {}
};

/// Of W1; the column past the last is the bias's.
struct first_gradient_product {
  static constexpr int parts = 1;
  checked_problem p;
  long long rows, terms;
  int columns;

  __device__ double left(long long row, long long term) const {
    return p.plain_z_gradient[term * rows + row];
  }
  __device__ double right(int column, long long term, int) const {
    return column == p.channels ? 1 : normalized(p, term, column);
  }
  __device__ bool is_alike(long long term) const { return p.is_alike(term); }
  __device__ judged_sum judge(long long, int, const row_product_sum* sums) const {
    return exact_first_gradient(*sums);
  }
  __device__ double seen(long long row, int column) const {
    return column == p.channels ? p.first_bias_gradient[row] : p.first_gradient[row * p.channels + column];
  }
};

/// The same of W2.
struct second_gradient_product {
  static constexpr int parts = 1;
  checked_problem p;
  long long rows, terms;
  int columns;

  __device__ double left(long long row, long long term) const {
    return number_at(p.gradient, term * rows + row);
  }
  __device__ double right(int column, long long term, int) const {
    return column == p.hidden_columns() ? 1 : p.plain_hidden[term * p.hidden_columns() + column];
  }
  __device__ bool is_alike(long long term) const { return p.is_alike(term); }
  __device__ judged_sum judge(long long, int, const row_product_sum* sums) const {
    return exact_second_gradient(*sums);
  }
  __device__ double seen(long long row, int column) const {
    const int h = p.hidden_columns();
    return column == h ? p.second_bias_gradient[row] : p.second_gradient[row * h + column];
  }
};

/// dZ · W1.
struct normed_gradient_product {
  static constexpr int parts = 1;
  checked_problem p;
  long long rows, terms;
  int columns;

  __device__ double left(long long row, long long term) const {
    return p.plain_z_gradient[row * terms + term];
  }
  __device__ double right(int column, long long term, int) const {
    return number_at(p.first, term * columns + column);
  }
};

/// What is known of a row: of its normalized gradient [C] sums and [C] those of squares, and gradient_means.
__device__ double* plain_row(const checked_problem& p, long long row) {
  return p.plain_rows + row * (2ll * p.channels + plain_of_row);
}
__device__ judged_sum normed_gradient_at(const checked_problem& p, long long row, int column) {
  return exact_normed_gradient({plain_row(p, row)[column], plain_row(p, row)[p.channels + column]});
}

struct keeping_normed_gradient {
  checked_problem p;

  __device__ void take(long long row, int column, const product_sum* sums) {
    plain_row(p, row)[column] = sums->sum;
    plain_row(p, row)[p.channels + column] = sums->squares;
  }
  __device__ void finish() {}
};

/// A warp a row.
__global__ __launch_bounds__(plain_threads) void mean_gradients(checked_problem p) {
  const long long row = (blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x) / 32;
  if (row >= p.rows) return;
  gradient_means means{};
  for (int d = static_cast<int>(threadIdx.x) % 32; d < p.channels; d += 32) {
    const judged normed = normed_gradient_at(p, row, d);
    const double gamma = p.gamma[d], share = 1.0 / p.channels;
    means.gradient += normed.expected * gamma * share;
    means.product += normed.expected * gamma * standardized(p, row, d) * share;
    means.off += fabs(gamma) * normed.tolerance * share;
  }
  means = {sum_of_warp(means.gradient), sum_of_warp(means.product), sum_of_warp(means.off)};
  if (threadIdx.x % 32 != 0) return;
  double* const to = plain_row(p, row) + 2 * p.channels;
  to[0] = means.gradient, to[1] = means.product, to[2] = means.off;
}

__device__ judged input_gradient_at(const checked_problem& p, long long row, int column) {
  const double* const known = plain_row(p, row) + 2 * p.channels;
  return exact_input_gradient(normed_gradient_at(p, row, column), p.gamma[column],
                              standardized(p, row, column), p.moments[2 * row + 1],
                              {known[0], known[1], known[2]},
                              number_at(p.gradient_of_residual(), row * p.channels + column));
}

__global__ __launch_bounds__(plain_threads) void compare_input_gradients(checked_problem p,
                                                                         comparison* found) {
  tally_of_errors errors;
  for (long long i = blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x;
       i < p.rows * p.channels; i += gridDim.x * static_cast<long long>(plain_threads))
    errors.add(i, number_at(p.input_gradient, i),
               input_gradient_at(p, i / p.channels, static_cast<int>(i % p.channels)));
  errors.write(found);
}

/// A warp an element: the sums over the rows of one channel, for γ (row 0) or β (row 1).
__device__ judged_sum norm_gradient_at(const checked_problem& p, int which, int column) {
  norm_gradient_sum sum;
  for (long long row = threadIdx.x % 32; row < p.rows; row += 32)
    sum.add(normed_gradient_at(p, row, column), which == 0 ? standardized(p, row, column) : 1,
            p.is_alike(row));
  sum.sum = sum_of_warp(sum.sum);
  sum.squares = sum_of_warp(sum.squares);
  sum.distinct = sum_of_warp(sum.distinct);
  sum.off = sum_of_warp(sum.off);
  sum.off_alike = sum_of_warp(sum.off_alike);
  sum.lost = sum_of_warp(sum.lost);
  sum.lost_alike = sum_of_warp(sum.lost_alike);
  return sum.right();
}

__global__ void compare_norm_gradients(checked_problem p, comparison* found) {
  tally_of_errors errors;
  const int at = static_cast<int>(blockIdx.x);
  const judged_sum right = norm_gradient_at(p, at / p.channels, at % p.channels);
  if (threadIdx.x == 0) errors.add(at, p.norm_gradient[at], right);
  errors.write(found);
}

/// A warp for each of the two.
__global__ void describe_gradients(checked_problem p, comparison* input, comparison* norm) {
  if (blockIdx.x == 0 && threadIdx.x == 0 && input->elements > 0) {
    const long long at = worst_element(*input);
    describe_worst(*input, p.channels,
                   input_gradient_at(p, at / p.channels, static_cast<int>(at % p.channels)).expected,
                   number_at(p.input_gradient, at));
  }
  if (blockIdx.x == 0 || norm->elements == 0) return;
  const int at = static_cast<int>(worst_element(*norm));
  const judged right = norm_gradient_at(p, at / p.channels, at % p.channels);
  if (threadIdx.x == 0) describe_worst(*norm, p.channels, right.expected, p.norm_gradient[at]);
}

__device__ double seen_at(const checked_problem& p, const sampled_element& e) {
  const long long in_row = e.row * p.channels + e.column;
  switch (static_cast<output>(e.of)) {
    case output::y:
      return number_at(p.y, in_row);
    case output::input_gradient:
      return number_at(p.input_gradient, in_row);
    case output::norm_gradient:
      return p.norm_gradient[in_row];
    case output::first_gradient:
      return first_gradient_product{p, p.first_columns(), p.rows, p.channels + 1}.seen(e.row, e.column);
    default:
      return second_gradient_product{p, p.channels, p.rows, p.hidden_columns() + 1}.seen(e.row, e.column);
  }
}

__global__ void gather_samples(checked_problem p) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < p.sample_count) p.sampled_out[i] = static_cast<float>(seen_at(p, p.samples[i]));
}

/// Products whose elements are all kept for what follows.
template <class Product, class Sink>
void keep(launcher& to, const Product& product, const Sink& sink) {
  launch(to, plain_products<Product, Sink>, plain_grid(product), dim3(plain_threads), 0, product, sink);
}

void compare_forward(launcher& to, const checked_problem& p) {
  if (p.kind == kind::swiglu)
    keep(to, first_product<2>{p, p.rows, p.channels, p.hidden_columns()}, keeping_hidden<2>{p});
  else
    keep(to, first_product<1>{p, p.rows, p.channels, p.hidden_columns()}, keeping_hidden<1>{p});
  const second_product product{p, p.rows, p.hidden_columns(), p.channels};
  compare_product(to, product, product, p.found + static_cast<int>(output::y));
}

void compare_backward(launcher& to, const checked_problem& p) {
  const hidden_gradient_product of_hidden{p, p.rows, p.channels, p.hidden_columns()};
  if (p.kind == kind::swiglu)
    keep(to, of_hidden, keeping_z_gradient<2>{p});
  else
    keep(to, of_hidden, keeping_z_gradient<1>{p});
  const first_gradient_product of_first{p, p.first_columns(), p.rows, p.channels + 1};
  compare_product(to, of_first, of_first, p.found + static_cast<int>(output::first_gradient));
  const second_gradient_product of_second{p, p.channels, p.rows, p.hidden_columns() + 1};
  compare_product(to, of_second, of_second, p.found + static_cast<int>(output::second_gradient));
  keep(to, normed_gradient_product{p, p.rows, p.first_columns(), p.channels}, keeping_normed_gradient{p});
  launch(to, mean_gradients, dim3(blocks_for(32 * p.rows, plain_threads)), dim3(plain_threads), 0, p);
  comparison* const of_input = p.found + static_cast<int>(output::input_gradient);
  comparison* const of_norm = p.found + static_cast<int>(output::norm_gradient);
  launch(to, compare_input_gradients, dim3(8 * static_cast<unsigned>(to.device().multiprocessors)),
         dim3(plain_threads), 0, p, of_input);
  launch(to, compare_norm_gradients, dim3(2 * static_cast<unsigned>(p.channels)), dim3(32), 0, p, of_norm);
  launch(to, describe_gradients, dim3(2), dim3(32), 0, p, of_input, of_norm);
}

void compare_with_plain(launcher& to, const checked_problem& p, const switches&) {
  clear(to, p.found, output_count);
  plain_moments(to, p.x, p.rows, p.channels, p.moments);
  p.is_backward ? compare_backward(to, p) : compare_forward(to, p);
  launch(to, gather_samples, dim3(blocks_for(p.sample_count, 32)), dim3(32), 0, p);
}

__global__ void make_biases(std::uint64_t seed, tensor of, const std::uint16_t* bf16, const float* fp32,
                            int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    const std::uint16_t made = generated_bf16(seed, of, i, bias_spread);
    const_cast<std::uint16_t*>(bf16)[i] = made;
    const_cast<float*>(fp32)[i] = float_of_bf16(made);
  }
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  const long long c = p.channels;
  make(to, p.seed, tensor::input, p.x, p.rows * c, 1);
  make(to, p.seed, tensor::weight, p.first, p.first_columns() * c, p.first_spread);
  make(to, p.seed, tensor::second_weight, p.second, p.hidden_columns() * c, p.second_spread);
  make(to, p.seed, tensor::gamma, p.gamma, c, gamma_spread, 1.0f);
  make(to, p.seed, tensor::beta, p.beta, c, beta_spread, 0.0f);
  launch(to, make_biases, dim3(1), dim3(256), 0, p.seed, tensor::bias, p.first_bias_bf16, p.first_bias,
         p.first_columns());
  launch(to, make_biases, dim3(1), dim3(256), 0, p.seed, tensor::second_bias, p.second_bias_bf16,
         p.second_bias, p.channels);
  if (!p.is_backward) return;
  make(to, p.seed, tensor::gradient, p.gradient, p.rows * c, 1);
  make(to, p.seed, generated_z, p.z, p.rows * p.first_columns(), 1);
}

}  // namespace ablate::mlp
