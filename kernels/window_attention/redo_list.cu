#include "kernels/window_attention/redo_list.cuh"

#include "kernels/common/dependent_launch.cuh"

namespace ablate::window_attention {

constexpr int emptying_threads = 256;

__global__ __launch_bounds__(emptying_threads) void empty_list(view v) {
  let_next_kernel_begin();
  wait_for_previous_kernel();
  redo_list(v).empty(static_cast<long long>(blockIdx.x) * emptying_threads + threadIdx.x);
}

void empty_redo_list(launcher& to, const view& v, bool begins_early) {
  launch(to, empty_list,
         {.grid = dim3(blocks_for(redo_list::room(v), emptying_threads)),
          .block = dim3(emptying_threads),
          .overlaps_previous = begins_early},
         v);
}

}  // namespace ablate::window_attention
