// The MLP's gradients. Of the hidden layer, dH = dY · W2 never reaches memory where `fused_act` computes it:
// the product's accumulators meet Z in the epilogue, and dZ and act(Z) are stored, by mma.sync
// (kernels/linear/mma_tiles.cuh); the library's form stores dH and reads it again in a separate launch. The
// rest is products and norms of kernels/linear and kernels/row_norm: dW2 and db2; LN(X) again; dW1 and db1;
// dZ · W1; the norm's gradient with dY on the residual's path. The library's one-pass form does everything
// between its products in one launch (kernels/mlp/between_products.cu), with products without epilogues. On a
// second launcher the gradients of parameters, needed by no later step, run in parallel with those of rows.
// Should move: DRAM and L2 bytes, by dH written and read; launches; in parallel, time.
#include "kernels/linear/mma_tiles.cuh"
#include "kernels/linear/parts.h"
#include "kernels/mlp/hidden_gradient.cuh"
#include "kernels/mlp/parts.h"
#include "kernels/row_norm/parts.h"
#include "kernels/row_norm/row_norm.h"

namespace ablate::mlp {

constexpr int elementwise_threads = 256;

template <kind Kind>
__global__ __launch_bounds__(elementwise_threads) void differentiate_hidden(const std::uint16_t* gradient,
                                                                            hidden_view v) {
  const long long at = blockIdx.x * static_cast<long long>(elementwise_threads) + threadIdx.x;
  const int chunks_of_row = v.columns / chunk;
  if (at >= v.rows * chunks_of_row) return;
  float of_hidden[chunk], other[chunk];
  unpack(of_hidden, load_chunk(gradient, at));
  differentiate_columns<Kind>(v, at / chunks_of_row, static_cast<int>(at % chunks_of_row) * chunk, of_hidden,
                              other);
}

using hidden_product =
    linear::tile_product<linear::tile_config{.b = operand_major::mn_major, .columns = 128}>;

/// A block a tile of 128 rows × 128 hidden columns of dH.
template <kind Kind>
__global__ __launch_bounds__(linear::tile_threads) void multiply_and_differentiate(linear::operand gradient,
                                                                                   linear::operand second,
                                                                                   hidden_view v) {
  extern __shared__ __align__(128) unsigned char raw[];
  using product = hidden_product;
  typename product::accumulators d = {};
  const long long first_row = static_cast<long long>(blockIdx.y) * linear::tile_rows;
  const int first_column = static_cast<int>(blockIdx.x) * 128;
  product::run(d, linear::shared_address(raw), gradient, second, first_row, first_column, 0, gradient.columns,
               false, [](unsigned) {});
  const int quad = static_cast<int>(threadIdx.x % 4);
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const long long row = first_row + product::row_of(i, half);
#pragma unroll
      for (int first = 0; first < 2 * product::pairs; first += 4) {
        // Exchanged as fp32, the even and the odd column of each pair in turn: dH is not rounded.
        unsigned even[4], odd[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          even[j] = __float_as_uint(d[i][first + j][2 * half]);
          odd[j] = __float_as_uint(d[i][first + j][2 * half + 1]);
        }
        linear::exchange_in_quad(even);
        linear::exchange_in_quad(odd);
        float of_hidden[chunk], other[chunk];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          of_hidden[2 * j] = __uint_as_float(even[j]);
          of_hidden[2 * j + 1] = __uint_as_float(odd[j]);
        }
        const int column = first_column + product::first_column() + 8 * first + 8 * quad;
        if (row < v.rows && column < v.columns) differentiate_columns<Kind>(v, row, column, of_hidden, other);
      }
    }
}

namespace {

/// A layer whose gradients are wanted: dOut, and where they go.
linear::problem gradients_of(const problem& p, int inputs, int outputs) {
  linear::problem layer;
  layer.rows = p.rows;
  layer.inputs = inputs;
  layer.outputs = outputs;
  layer.does[0] = false;
  layer.workspace = p.workspace;
  layer.partial = p.partial;
  return layer;
}

linear::problem of_second(const problem& p) {
  linear::problem layer = gradients_of(p, p.hidden_columns(), p.channels);
  layer.gradient = p.gradient;
  layer.weight = p.second;
  layer.x = p.hidden;
  layer.input_gradient = p.hidden_gradient;
  layer.weight_gradient = p.second_gradient;
  layer.bias_gradient = p.second_bias_gradient;
  return layer;
}

linear::problem of_first(const problem& p) {
  linear::problem layer = gradients_of(p, p.channels, p.first_columns());
  layer.gradient = p.product;
  layer.weight = p.first;
  layer.x = p.normed;
  layer.input_gradient = p.normed_gradient;
  layer.weight_gradient = p.first_gradient;
  layer.bias_gradient = p.first_bias_gradient;
  return layer;
}

row_norm::problem norm_of(const problem& p) {
  row_norm::problem norm;
  norm.rows = norm.valid = p.rows;
  norm.channels = p.channels;
  norm.in = p.x;
  norm.gamma = p.gamma;
  norm.beta = p.beta;
  norm.out = p.normed;
  norm.partial = p.partial;
  return norm;
}

/// The sums of γ's and β's gradients by `sums`.
void norm_backward(launcher& to, launcher& sums, const problem& p) {
  row_norm::problem norm = norm_of(p);
  norm.kind = row_norm::kind::residual_layer;
  norm.is_backward = true;
  norm.gradient = p.normed_gradient;
  norm.sum_gradient = p.gradient_of_residual();
  norm.input_gradient = p.input_gradient;
  norm.parameter_gradients = p.norm_gradient;
  row_norm::layer_backward(to, sums, norm);
}

/// What follows dZ and act(Z). `input_gradient` and `weight_gradient`: the products' forms.
template <class OfInput, class OfWeight>
void finish_backward(launcher& to, const problem& p, OfInput input_gradient, OfWeight weight_gradient) {
  weight_gradient(of_second(p));
  row_norm::normalize(to, norm_of(p));
  weight_gradient(of_first(p));
  input_gradient(of_first(p));
  norm_backward(to, to, p);
}

void finish_mma_backward(launcher& to, const problem& p, linear::own_weight_gradient weight_gradient) {
  finish_backward(
      to, p, [&](const linear::problem& layer) { linear::mma_input_gradient(to, layer); },
      [&](const linear::problem& layer) { weight_gradient(to, layer); });
}

void differentiate_activation(launcher& to, const problem& p) {
  const dim3 blocks(blocks_for(p.rows * p.hidden_columns() / chunk, elementwise_threads));
  const auto kernel =
      p.kind == kind::swiglu ? differentiate_hidden<kind::swiglu> : differentiate_hidden<kind::gelu>;
  launch(to, kernel, blocks, dim3(elementwise_threads), 0, p.hidden_gradient, hidden_view_of(p));
}

linear::problem with_memory(linear::problem layer, const memory_beside& memory) {
  layer.partial = memory.partial;
  layer.workspace = memory.workspace;
  return layer;
}

}  // namespace

void library_backward(launcher& to, const problem& p, bool sums_in_products) {
  const auto input_gradient = [&](const linear::problem& layer) {
    linear::library_input_gradient(to, layer);
  };
  const auto weight_gradient = [&](const linear::problem& layer) {
    linear::library_weight_gradient(to, layer, sums_in_products);
  };
  input_gradient(of_second(p));
  differentiate_activation(to, p);
  finish_backward(to, p, input_gradient, weight_gradient);
}

void library_backward_beside(launcher& to, launcher& second, const problem& p, const memory_beside& memory) {
  linear::library_input_gradient(to, of_second(p));
  differentiate_activation(to, p);
  row_norm::normalize(to, norm_of(p));
  second.wait_for(to);
  linear::library_input_gradient(to, of_first(p));
  linear::library_weight_gradient(second, with_memory(of_second(p), memory), false);
  linear::library_weight_gradient(second, with_memory(of_first(p), memory), false);
  norm_backward(to, second, p);
}

void one_pass_backward(launcher& to, const problem& p) {
  linear::problem first = of_first(p), second = of_second(p);
  first.bias_gradient = second.bias_gradient = nullptr;
  linear::library_input_gradient(to, second);
  pass_between_products(to, p);
  linear::library_weight_gradient(to, second, false);
  linear::library_weight_gradient(to, first, false);
  linear::library_input_gradient(to, first);
  norm_backward(to, to, p);
}

void mma_backward_in_steps(launcher& to, const problem& p, linear::own_weight_gradient weight_gradient) {
  linear::mma_input_gradient(to, of_second(p));
  differentiate_activation(to, p);
  finish_mma_backward(to, p, weight_gradient);
}

void mma_backward(launcher& to, const problem& p, linear::own_weight_gradient weight_gradient) {
  const linear::operand gradient = {p.gradient, p.rows, p.channels},
                        second = {p.second, p.channels, p.hidden_columns()};
  const auto kernel = p.kind == kind::swiglu ? multiply_and_differentiate<kind::swiglu>
                                             : multiply_and_differentiate<kind::gelu>;
  launch(to, kernel, dim3(blocks_for(p.hidden_columns(), 128), blocks_for(p.rows, linear::tile_rows)),
         dim3(linear::tile_threads), hidden_product::shared_bytes, gradient, second, hidden_view_of(p));
  finish_mma_backward(to, p, weight_gradient);
}

}  // namespace ablate::mlp
