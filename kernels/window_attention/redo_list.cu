#include "kernels/window_attention/redo_list.cuh"

namespace ablate::window_attention {

constexpr int emptying_threads = 256;

__global__ __launch_bounds__(emptying_threads) void empty_list(view v) {
  redo_list(v).empty(static_cast<long long>(blockIdx.x) * emptying_threads + threadIdx.x);
}

void empty_redo_list(launcher& to, const view& v) {
  launch(to, empty_list, dim3(blocks_for(redo_list::room(v), emptying_threads)), dim3(emptying_threads), 0,
         v);
}

}  // namespace ablate::window_attention
