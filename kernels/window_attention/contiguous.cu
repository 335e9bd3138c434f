// Windows that already follow each other, the floor of all ways to find rows: the core of hopper_online,
// hopper_fixed_max or hopper_warp_fixed_max, with rows that are computed, no table read. Each is the
// control of the variant whose core it has: a difference between the two is what redirection through the
// scope table costs.
#include "kernels/window_attention/hopper_forward.h"
#include "kernels/window_attention/launches.h"
#include "kernels/window_attention/view.cuh"

namespace ablate::window_attention {

namespace {

problem without_table(problem p) {
  p.scope = nullptr;
  return p;
}

}  // namespace

void hopper_contiguous(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) attend_online_on_hopper(to, without_table(p));
}

void hopper_fixed_max_contiguous(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) attend_with_fixed_max_on_hopper(to, without_table(p));
}

void hopper_warp_contiguous(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) attend_with_fixed_max_by_warps(to, without_table(p));
}

}  // namespace ablate::window_attention
