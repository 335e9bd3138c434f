// Gradients of attention among all rows against plain arithmetic on the device, and dO, which is made there.
// Nothing here is measured. What is compared begins at what the forward pass left, which may differ from
// launch to launch: so plain gradients are computed each time.
#include "kernels/common/fill.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/softmax_math.cuh"
#include "kernels/common/switches.h"
#include "oracles/global_attention_backward/generated_inputs.h"
#include "oracles/global_attention_backward/launches.h"
#include "oracles/window_attention_backward/launches.h"

namespace ablate::global_attention_backward {

constexpr int check_threads = 256;

/// Row sums of dO∘O: a warp a row.
__global__ __launch_bounds__(check_threads) void sum_plain_deltas(const std::uint16_t* out_gradient,
                                                                  const std::uint16_t* out, long long rows,
                                                                  float* to) {
  const long long row = (blockIdx.x * static_cast<long long>(check_threads) + threadIdx.x) / 32;
  if (row >= rows) return;
  const long long at = row * width + threadIdx.x % 32 * 2;
  using window_attention::float_of_bf16;
  float sum = fmaf(float_of_bf16(out_gradient[at]), float_of_bf16(out[at]),
                   float_of_bf16(out_gradient[at + 1]) * float_of_bf16(out[at + 1]));
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(~0u, sum, far);
  if (threadIdx.x % 32 == 0) to[row] = sum;
}

void compare_among_all(launcher& to, const window_attention_backward::checked_problem& rows) {
  const long long count = rows.attention.batches * rows.attention.tokens;
  launch(to, sum_plain_deltas, dim3(blocks_for(count * 32, check_threads)), dim3(check_threads), 0,
         rows.out_gradient, static_cast<const std::uint16_t*>(rows.attention.out), count, rows.plain_delta);
  fill(to, {{window_attention_backward::cut_reference(rows).is_there, 1, 0}});
  window_attention_backward::compare_with_plain(to, rows, {});
}

__global__ __launch_bounds__(check_threads) void make_out_gradients(global_attention::checked_layer p,
                                                                    std::uint16_t* to) {
  const long long count = p.elements();
  for (long long i = blockIdx.x * static_cast<long long>(check_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(check_threads)) {
    const long long row = i / width;
    to[i] = generated_out_gradient(p, row / p.tokens, row % p.tokens, static_cast<int>(i % width));
  }
}

void make_out_gradient(launcher& to, const global_attention::checked_layer& p,
                       const std::uint16_t* gradient) {
  launch(to, make_out_gradients, dim3(16 * static_cast<unsigned>(to.device().multiprocessors)),
         dim3(check_threads), 0, p, const_cast<std::uint16_t*>(gradient));
}

}  // namespace ablate::global_attention_backward
