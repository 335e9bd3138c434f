// The yardstick on the device: the hidden layer in fp64, kept as fp32, and Y from it, compared element by
// element; and the inputs. Nothing here is measured. Its own arithmetic is held against the host's oracle at
// the sampled elements.
#include "kernels/common/switches.h"
#include "kernels/dense_layers/plain_product.cuh"
#include "kernels/mlp/exact.h"
#include "kernels/mlp/parts.h"

namespace ablate::mlp {

using namespace dense_layers;

/// LN(X) · W1ᵀ: of swiglu both halves of the columns.
template <int Parts>
struct first_product {
  static constexpr int parts = Parts;
  problem p;
  long long rows, terms;
  int columns;

  __device__ double left(long long row, long long term) const {
    return (number_at(p.x, row * terms + term) - p.moments[2 * row]) * p.moments[2 * row + 1] *
               p.gamma[term] +
           p.beta[term];
  }
  __device__ double right(int column, long long term, int part) const {
    return number_at(p.first, (column + static_cast<long long>(part) * columns) * terms + term);
  }
};

template <int Parts>
struct keeping_hidden {
  problem p;

  __device__ void take(long long row, int column, const product_sum* sums) {
    double bias[Parts];
    for (int part = 0; part < Parts; ++part) bias[part] = p.first_bias[column + part * p.hidden_columns()];
    p.plain_hidden[row * p.hidden_columns() + column] = static_cast<float>(exact_hidden(p.kind, sums, bias));
  }
  __device__ void finish() {}
};

struct second_product {
  static constexpr int parts = 1;
  problem p;
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

__global__ void gather_samples(problem p) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < p.sample_count)
    p.sampled_out[i] =
        static_cast<float>(number_at(p.y, p.samples[i].row * p.channels + p.samples[i].column));
}

template <int Parts>
void keep_hidden(launcher& to, const problem& p) {
  const first_product<Parts> product{p, p.rows, p.channels, p.hidden_columns()};
  launch(to, plain_products<first_product<Parts>, keeping_hidden<Parts>>, plain_grid(product),
         dim3(plain_threads), 0, product, keeping_hidden<Parts>{p});
}

void compare_with_plain(launcher& to, const problem& p) {
  clear(to, p.found, 1);
  plain_moments(to, p.x, p.rows, p.channels, p.moments);
  p.kind == kind::swiglu ? keep_hidden<2>(to, p) : keep_hidden<1>(to, p);
  const second_product product{p, p.rows, p.hidden_columns(), p.channels};
  compare_product(to, product, product, p.found);
  launch(to, gather_samples, dim3(blocks_for(p.sample_count, 32)), dim3(32), 0, p);
}

__global__ void make_biases(std::uint64_t seed, tensor of, const std::uint16_t* bf16, const float* fp32,
                            int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    const std::uint16_t made = made_bf16(seed, of, i, bias_spread);
    const_cast<std::uint16_t*>(bf16)[i] = made;
    const_cast<float*>(fp32)[i] = float_of_bf16(made);
  }
}

void make_inputs(launcher& to, const problem& p, const switches&) {
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
}

}  // namespace ablate::mlp
