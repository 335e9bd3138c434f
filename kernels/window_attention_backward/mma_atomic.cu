// The gradients in one kernel (mma_fused.cuh): what each block of keys adds to dQ is added to fp32 sums in
// device memory by reductions, which are cleared before. Window / 128 reductions an element of dQ, in an
// order that differs from run to run. Should move, against mma_two_pass: the tensor pipe's instructions, down
// to 5/7; L2 reductions, up.
#include "kernels/window_attention_backward/mma_fused.cuh"

namespace ablate::window_attention_backward {

constexpr int clearing_threads = 256;

__global__ __launch_bounds__(clearing_threads) void clear_sums(float4* sums, long long count) {
  for (long long i = static_cast<long long>(blockIdx.x) * clearing_threads + threadIdx.x; i < count;
       i += static_cast<long long>(gridDim.x) * clearing_threads)
    sums[i] = {};
}

void mma_atomic(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::differentiate)) {
    compute_row_statistics(to, p);
    launch(to, clear_sums, dim3(8 * to.device().multiprocessors), dim3(clearing_threads), 0,
           reinterpret_cast<float4*>(view(p).q_gradient_sums), p.attention.elements() / 4);
    with_fused_shape(p.attention.width, [&](auto shape) { launch_fused<query_sums::shared>(to, p, shape); });
  }
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

}  // namespace ablate::window_attention_backward
