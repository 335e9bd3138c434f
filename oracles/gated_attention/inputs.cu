// The layer's inputs, made on the device. Nothing here is measured.
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "oracles/gated_attention/generated_gates.h"
#include "oracles/gated_attention/launches.h"
#include "oracles/global_attention/launches.h"

namespace ablate::gated_attention {

constexpr int making_threads = 256;

__global__ __launch_bounds__(making_threads) void make_gates(checked_problem p, float* to) {
  const long long count = p.tokens * p.heads * 2;
  for (long long i = blockIdx.x * static_cast<long long>(making_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(making_threads))
    to[i] = generated_gate(p, i / 2 / p.heads, i / 2 % p.heads, static_cast<int>(i % 2));
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  global_attention::make_inputs(to, p.as_layer());
  launch(to, make_gates, dim3(16 * static_cast<unsigned>(to.device().multiprocessors)), dim3(making_threads),
         0, p, const_cast<float*>(p.gates));
}

}  // namespace ablate::gated_attention
