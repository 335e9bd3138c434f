// Zeros where blocks add their parts of dQ, 16 bytes a thread and turn. Should move: DRAM writes, dQ in fp32
// once.
#include "kernels/window_attention_backward/view.cuh"

namespace ablate::window_attention_backward {

constexpr int clearing_threads = 256;

__global__ __launch_bounds__(clearing_threads) void clear_query_gradients(float4* sums, long long count) {
  for (long long i = static_cast<long long>(blockIdx.x) * clearing_threads + threadIdx.x; i < count;
       i += static_cast<long long>(gridDim.x) * clearing_threads)
    sums[i] = {};
}

void clear_query_gradient_sums(launcher& to, const problem& p) {
  constexpr int blocks_per_multiprocessor = 8;
  launch(to, clear_query_gradients, dim3(blocks_per_multiprocessor * to.device().multiprocessors),
         dim3(clearing_threads), 0, reinterpret_cast<float4*>(view(p).q_gradient_sums),
         p.attention.elements() / 4);
}

}  // namespace ablate::window_attention_backward
