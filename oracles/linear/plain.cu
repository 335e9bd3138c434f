// The yardstick on the device: Y, dX, dW and db in fp64, compared element by element; and the inputs. Nothing
// here is measured. Its own arithmetic is held against the host's oracle at the sampled elements.
#include "kernels/linear/launches.h"
#include "kernels/linear/parts.h"
#include "oracles/common/dense/plain_product.cuh"
#include "oracles/linear/exact.h"
#include "oracles/linear/launches.h"

namespace ablate::linear {

using namespace dense_layers;

/// in(X) · Wᵀ: of swiglu both halves of the columns.
template <int Parts>
struct forward_product {
  static constexpr int parts = Parts;
  checked_problem p;
  long long rows, terms;
  int columns;

  __device__ double left(long long row, long long term) const {
    const double x = number_at(p.x, row * p.inputs + term);
    if (!p.has_norm) return x;
    return (x - p.plain[2 * row]) * p.plain[2 * row + 1] * p.gamma[term] + p.beta[term];
  }
  __device__ double right(int column, long long term, int part) const {
    return number_at(p.weight, (column + static_cast<long long>(part) * columns) * p.inputs + term);
  }
  __device__ judged judge(long long row, int column, const product_sum* sums) const {
    double bias[Parts];
    for (int part = 0; part < Parts; ++part) bias[part] = p.bias[column + part * columns];
    return exact_y(p.behind, p.has_norm, sums, bias,
                   p.behind == epilogue::residual ? number_at(p.residual, row * p.outputs + column) : 0);
  }
  __device__ double seen(long long row, int column) const {
    return number_at(p.y, p.place_of_y(row, column));
  }
};

struct input_gradient_product {
  static constexpr int parts = 1;
  checked_problem p;
  long long rows, terms;
  int columns;

  __device__ double left(long long row, long long term) const {
    return number_at(p.gradient, row * p.outputs + term);
  }
  __device__ double right(int column, long long term, int) const {
    return number_at(p.weight, term * p.inputs + column);
  }
  __device__ judged judge(long long, int, const product_sum* sums) const {
    return exact_input_gradient(*sums);
  }
  __device__ double seen(long long row, int column) const {
    return number_at(p.input_gradient, row * columns + column);
  }
};

/// The column past the last is the bias's.
struct weight_gradient_product {
  static constexpr int parts = 1;
  checked_problem p;
  long long rows, terms;
  int columns;

  __device__ double left(long long row, long long term) const {
    return number_at(p.gradient, term * p.outputs + row);
  }
  __device__ double right(int column, long long term, int) const {
    return column == p.inputs ? 1 : number_at(p.x, term * p.inputs + column);
  }
  __device__ bool is_alike(long long term) const { return p.is_alike(term); }
  __device__ judged judge(long long, int, const row_product_sum* sums) const {
    return exact_weight_gradient(*sums);
  }
  __device__ double seen(long long row, int column) const {
    return column == p.inputs ? p.bias_gradient[row] : p.weight_gradient[row * p.inputs + column];
  }
};

__global__ void gather_samples(checked_problem p) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i >= p.sample_count) return;
  const sampled_element& e = p.samples[i];
  const long long rows = p.rows;
  double seen = 0;
  switch (static_cast<output>(e.of)) {
    case output::y:
      seen = forward_product<1>{p, rows, p.inputs, p.columns()}.seen(e.row, e.column);
      break;
    case output::input_gradient:
      seen = input_gradient_product{p, rows, p.outputs, p.inputs}.seen(e.row, e.column);
      break;
    case output::weight_gradient:
      seen = weight_gradient_product{p, p.outputs, rows, p.inputs + 1}.seen(e.row, e.column);
  }
  p.sampled_out[i] = static_cast<float>(seen);
}

/// The same object says what is multiplied and what is right.
template <class Product>
void compare_one(launcher& to, const Product& product, output of) {
  compare_product(to, product, product, product.p.found + static_cast<int>(of));
}

void compare_with_plain(launcher& to, const checked_problem& p, const switches&) {
  clear(to, p.found, output_count);
  if (p.has(output::y)) {
    if (p.has_norm) plain_moments(to, p.x, p.rows, p.inputs, p.plain);
    if (p.behind == epilogue::swiglu)
      compare_one(to, forward_product<2>{p, p.rows, p.inputs, p.columns()}, output::y);
    else
      compare_one(to, forward_product<1>{p, p.rows, p.inputs, p.columns()}, output::y);
  }
  if (p.has(output::input_gradient))
    compare_one(to, input_gradient_product{p, p.rows, p.outputs, p.inputs}, output::input_gradient);
  if (p.has(output::weight_gradient))
    compare_one(to, weight_gradient_product{p, p.outputs, p.rows, p.inputs + 1}, output::weight_gradient);
  launch(to, gather_samples, dim3(blocks_for(p.sample_count, 32)), dim3(32), 0, p);
}

__global__ void make_biases(checked_problem p) {
  for (int i = static_cast<int>(threadIdx.x); i < p.outputs; i += static_cast<int>(blockDim.x)) {
    const std::uint16_t made = generated_bias(p, i);
    const_cast<std::uint16_t*>(p.bias_bf16)[i] = made;
    const_cast<float*>(p.bias)[i] = float_of_bf16(made);
  }
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  make(to, p.seed, tensor::input, p.x, p.rows * p.inputs, 1);
  make(to, p.seed, tensor::weight, p.weight, static_cast<long long>(p.outputs) * p.inputs, p.weight_spread);
  launch(to, make_biases, dim3(1), dim3(256), 0, p);
  if (p.behind == epilogue::residual) make(to, p.seed, tensor::branch, p.residual, p.rows * p.outputs, 1);
  if (p.has(output::input_gradient) || p.has(output::weight_gradient))
    make(to, p.seed, tensor::gradient, p.gradient, p.rows * p.outputs, 1);
  if (!p.has_norm) return;
  make(to, p.seed, tensor::gamma, p.gamma, p.inputs, gamma_spread, 1.0f);
  make(to, p.seed, tensor::beta, p.beta, p.inputs, beta_spread, 0.0f);
}

}  // namespace ablate::linear
