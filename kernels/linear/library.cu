// The layer by cuBLASLt: its products, with the epilogues it supports (bias, tanh GELU, the residual as C
// with β = 1, the bias's gradient with the weight's), and an elementwise launch for those it lacks (exact
// GELU, SwiGLU) or may not use (`epilogue` separate: the product alone, then everything else). A norm is a
// preceding launch. Should move: DRAM and L2 bytes: each extra launch reads and writes all of Z.
#include "kernels/common/dense/column_sums.h"
#include "kernels/common/dense/cublaslt.h"
#include "kernels/common/dense/row_chunk.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/linear/launches.h"
#include "kernels/linear/parts.h"
#include "kernels/row_norm/row_norm.h"

namespace ablate::linear {

using namespace dense_layers;

constexpr int elementwise_threads = 256;

/// What is left to do with a product.
struct elementwise_view {
  const std::uint16_t *product, *residual;  ///< product: [rows][outputs]
  const float* bias;                        ///< null: it is in the product
  std::uint16_t* y;
  long long chunks;  ///< of Y
  problem p;         ///< for the place of Y
};

__device__ void load_z(float (&z)[chunk], const elementwise_view& v, long long row, int column) {
  unpack(z, load_chunk(v.product, (row * v.p.outputs + column) / chunk));
  if (v.bias == nullptr) return;
  float bias[chunk];
  load_parameters(bias, v.bias + column);
#pragma unroll
  for (int i = 0; i < chunk; ++i) z[i] += bias[i];
}

__global__ __launch_bounds__(elementwise_threads) void finish_elements(elementwise_view v) {
  const long long at = blockIdx.x * static_cast<long long>(elementwise_threads) + threadIdx.x;
  if (at >= v.chunks) return;
  const int columns = v.p.columns(), chunks_of_row = columns / chunk;
  const long long row = at / chunks_of_row;
  const int column = static_cast<int>(at % chunks_of_row) * chunk;
  float z[chunk];
  load_z(z, v, row, column);
  if (v.p.behind == epilogue::residual) {
    float residual[chunk];
    unpack(residual, load_chunk(v.residual, at));
#pragma unroll
    for (int i = 0; i < chunk; ++i) z[i] += residual[i];
  } else if (v.p.behind == epilogue::swiglu) {
    float up[chunk];
    load_z(up, v, row, column + columns);
#pragma unroll
    for (int i = 0; i < chunk; ++i) z[i] = silu(z[i]) * up[i];
  } else if (v.p.behind != epilogue::bias) {
    const activation act = v.p.behind == epilogue::gelu_erf ? activation::gelu_erf : activation::gelu_tanh;
#pragma unroll
    for (int i = 0; i < chunk; ++i) z[i] = activated(act, z[i]);
  }
  store_chunk(v.y, v.p.place_of_y(row, column) / chunk, pack(z));
}

problem with_norm_launched(launcher& to, const problem& p) {
  row_norm::problem norm;
  norm.rows = norm.valid = p.rows;
  norm.channels = p.inputs;
  norm.in = p.x;
  norm.gamma = p.gamma;
  norm.beta = p.beta;
  norm.out = p.normed;
  norm.begins_early = p.begins_early;
  row_norm::normalize(to, norm);
  problem rest = p;
  rest.x = p.normed;
  rest.has_norm = false;
  return rest;
}

/// Y from `product`. `bias`: null if it is there already.
void finish_product(launcher& to, const problem& p, const float* bias) {
  const long long chunks = p.rows * p.columns() / chunk;
  launch(to, finish_elements, dim3(blocks_for(chunks, elementwise_threads)), dim3(elementwise_threads), 0,
         elementwise_view{p.product, p.residual, bias, p.y, chunks, p});
}

void forward_then_finish(launcher& to, const problem& p, own_forward multiply) {
  problem product = p;
  product.behind = epilogue::bias;
  product.is_split = false;
  product.y = p.product;
  multiply(to, product);
  finish_product(to, p, nullptr);
}

void forward_by(launcher& to, const problem& p, const switches& s, own_forward plain, own_forward normed) {
  if (p.has_norm && s.word("norm") == "launch")
    return forward_by(to, with_norm_launched(to, p), s, plain, normed);
  const own_forward multiply = p.has_norm ? normed : plain;
  s.word("epilogue") == "launch" ? forward_then_finish(to, p, multiply) : multiply(to, p);
}

void library_forward(launcher& to, const problem& p, bool has_epilogues) {
  if (p.has_norm) return library_forward(to, with_norm_launched(to, p), has_epilogues);
  const bool in_library = has_epilogues && (p.behind == epilogue::bias || p.behind == epilogue::residual ||
                                            p.behind == epilogue::gelu_tanh);
  const int batches = in_library && p.is_split ? 3 : 1;
  cublaslt::product product = {.m = p.outputs / batches, .n = p.rows, .k = p.inputs, .batches = batches};
  if (has_epilogues)
    product.then = in_library && p.behind == epilogue::gelu_tanh ? cublaslt::behind::gelu_tanh_of_bias
                                                                 : cublaslt::behind::bias;
  product.adds_c = in_library && p.behind == epilogue::residual;
  cublaslt::multiply(to, product,
                     {.a = p.weight,
                      .b = p.x,
                      .c = p.residual,
                      .d = in_library ? p.y : p.product,
                      .bias = p.bias_bf16,
                      .workspace = p.workspace});
  if (!in_library) finish_product(to, p, has_epilogues ? nullptr : p.bias);
}

void library_input_gradient(launcher& to, const problem& p) {
  cublaslt::multiply(to, {.m = p.inputs, .n = p.rows, .k = p.outputs, .a_is_k_major = false},
                     {.a = p.weight, .b = p.gradient, .d = p.input_gradient, .workspace = p.workspace});
}

void library_weight_gradient(launcher& to, const problem& p, bool has_epilogues) {
  cublaslt::product product = {.m = p.inputs,
                               .n = p.outputs,
                               .k = p.rows,
                               .a_is_k_major = false,
                               .b_is_k_major = false,
                               .of_d = cublaslt::element::fp32};
  if (has_epilogues) product.then = cublaslt::behind::bias_gradient;
  cublaslt::multiply(
      to, product,
      {.a = p.x, .b = p.gradient, .d = p.weight_gradient, .bias = p.bias_gradient, .workspace = p.workspace});
  if (!has_epilogues && p.bias_gradient != nullptr)
    column_sums(to, p.gradient, p.rows, p.outputs, p.partial, p.bias_gradient);
}

void library(launcher& to, const problem& p, const switches& s) {
  const bool has_epilogues = s.word("epilogue") == "library";
  if (p.has(output::y)) library_forward(to, p, has_epilogues);
  if (p.has(output::input_gradient)) library_input_gradient(to, p);
  if (p.has(output::weight_gradient)) library_weight_gradient(to, p, has_epilogues);
}

}  // namespace ablate::linear
