// The layer's inputs, made on the device. Nothing here is measured.
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "oracles/gated_attention/checked_token_merging.h"
#include "oracles/gated_attention/launches.h"
#include "oracles/gated_attention/made_inputs.h"
#include "oracles/token_merging/launches.h"

namespace ablate::gated_attention {

constexpr int making_threads = 256;

__global__ __launch_bounds__(making_threads) void make_elements(checked_problem p, tensor of,
                                                                std::uint16_t* to) {
  const long long count = p.elements();
  for (long long i = blockIdx.x * static_cast<long long>(making_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(making_threads)) {
    const long long row = i / width;
    to[i] = made_bits(p, of, row / p.tokens, row % p.tokens, static_cast<int>(i % width));
  }
}

__global__ __launch_bounds__(making_threads) void make_gates(checked_problem p, float* to) {
  const long long count = p.tokens * p.heads * 2;
  for (long long i = blockIdx.x * static_cast<long long>(making_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(making_threads))
    to[i] = made_gate(p, i / 2 / p.heads, i / 2 % p.heads, static_cast<int>(i % 2));
}

void make_inputs(launcher& to, const checked_problem& p, const switches& s) {
  const dim3 grid(16 * static_cast<unsigned>(to.device().multiprocessors));
  launch(to, make_elements, grid, dim3(making_threads), 0, p, tensor::q, const_cast<std::uint16_t*>(p.q));
  launch(to, make_elements, grid, dim3(making_threads), 0, p, tensor::k, const_cast<std::uint16_t*>(p.k));
  launch(to, make_elements, grid, dim3(making_threads), 0, p, tensor::v, const_cast<std::uint16_t*>(p.v));
  if (p.method == method::merged)
    token_merging::make_inputs(to, checked_merging_of(p, token_merging::step::match), s);
  if (p.is_sparse()) launch(to, make_gates, grid, dim3(making_threads), 0, p, const_cast<float*>(p.gates));
}

}  // namespace ablate::gated_attention
