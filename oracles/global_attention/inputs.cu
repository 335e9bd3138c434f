// Inputs of a layer of global attention, made on the device. Nothing here is measured.
#include "kernels/common/launch.cuh"
#include "oracles/global_attention/generated_inputs.h"
#include "oracles/global_attention/launches.h"

namespace ablate::global_attention {

constexpr int making_threads = 256;

__global__ __launch_bounds__(making_threads) void make_elements(checked_layer p, tensor of,
                                                                std::uint16_t* to) {
  const long long count = p.elements();
  for (long long i = blockIdx.x * static_cast<long long>(making_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(making_threads)) {
    const long long row = i / width;
    to[i] = generated_bits(p, of, row / p.tokens, row % p.tokens, static_cast<int>(i % width));
  }
}

void make_inputs(launcher& to, const checked_layer& p) {
  const dim3 grid(16 * static_cast<unsigned>(to.device().multiprocessors));
  launch(to, make_elements, grid, dim3(making_threads), 0, p, tensor::q, const_cast<std::uint16_t*>(p.q));
  launch(to, make_elements, grid, dim3(making_threads), 0, p, tensor::k, const_cast<std::uint16_t*>(p.k));
  launch(to, make_elements, grid, dim3(making_threads), 0, p, tensor::v, const_cast<std::uint16_t*>(p.v));
}

}  // namespace ablate::global_attention
