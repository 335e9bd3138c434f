// Windows that already follow each other, the floor of all ways to find rows (specification: flash3d §3.5,
// A0): the core of hopper_online with rows that are computed, no table read. The control of hopper_online: a
// difference between the two is what redirection through the scope table costs.
#include "kernels/window_attention/hopper_forward.h"
#include "kernels/window_attention/view.cuh"

namespace ablate::window_attention {

void hopper_contiguous(launcher& to, const problem& p, const switches&) {
  problem computed = p;
  computed.scope = nullptr;
  if (p.does(phase::attend)) attend_online_on_hopper(to, computed);
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

}  // namespace ablate::window_attention
