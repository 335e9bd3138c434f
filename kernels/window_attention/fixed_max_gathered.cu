// hopper_gathered_vectorized (gather.cu) around the core of hopper_fixed_max: rows gathered by 16-byte
// vectors into the order of the windows, outputs and log-sum-exp gathered back. The faster the core, the more
// gathering weighs. Against hopper_fixed_max_contiguous, should move: bytes of L2 and DRAM, by 8 tensors
// read or written.
#include "kernels/window_attention/gather.cuh"
#include "kernels/window_attention/hopper_forward.h"
#include "kernels/window_attention/launches.h"

namespace ablate::window_attention {

void hopper_fixed_max_gathered(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) {
    const moved_rows moved(p);
    gather_qkv(to, p, moved, p.narrow.row_of_token);
    attend_with_fixed_max_on_hopper(to, in_moved_rows(p, moved));
    gather_outputs(to, p, moved, p.narrow.token_of_row);
  }
}

}  // namespace ablate::window_attention
