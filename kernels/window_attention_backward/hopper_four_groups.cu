// hopper_reduced at 16 elements a head with four warpgroups in the place of two: tiles of 64 queries, not
// 128, halve the scores that a thread has in registers, and so a multiprocessor holds 16 warps that multiply
// where it held 8. There the gradients take three times as long as their exponentials: a warp waits for
// scores, takes their powers, waits for dP, multiplies, meets the other warpgroup for dS, waits for dQ, and
// two warps a scheduler are too few to have one that does not wait. dP of the next tile is issued behind dK
// of this one: beside it there are no registers for it.
//   hopper_four_groups   two pairs of warpgroups, each with 128 keys and dQ of its own; a warpgroup has 8 of
//                        dQ's 16 columns. The pairs meet nowhere, so that one takes powers while the other
//                        multiplies. Additions to dQ are as many as before, one for each 128 keys.
//   hopper_lone_groups   no pairs: a warpgroup has dQ of its own 64 keys, all columns. None waits for
//   another;
//                        additions to dQ are twice as many.
// The rings have four stages, so that a pair may be three tiles ahead of the other. Should move, against
// hopper_reduced: issue slots in use, up from two of five; hopper_lone_groups also L2's reductions, twice.
#include <stdexcept>

#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/hopper_fused.cuh"

namespace ablate::window_attention_backward {
namespace {

template <int Sharing>
void differentiate_by_groups(launcher& to, const problem& p) {
  constexpr int width = 16, queries = 64, groups = 4, stages = 4;
  // All 65 536 but 4096: the warps of the producer have 32, those that multiply 112.
  constexpr int few = 32, many = 112;
  if (p.attention.width != width)
    throw std::invalid_argument("four warpgroups a block: expected 16 elements a head");
  compute_row_statistics(to, p, statistics_order::quads);
  clear_query_gradient_sums(to, p);
  launch_fused_on_hopper<fused_shape<width, queries, groups, Sharing, stages, stages, few, many, false, true>,
                         query_gradient_way::reductions>(to, p);
}

}  // namespace

void differentiate_by_four_groups(launcher& to, const problem& p) { differentiate_by_groups<2>(to, p); }

void differentiate_by_lone_groups(launcher& to, const problem& p) { differentiate_by_groups<1>(to, p); }

void hopper_four_groups(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::differentiate)) differentiate_by_four_groups(to, p);
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

void hopper_lone_groups(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::differentiate)) differentiate_by_lone_groups(to, p);
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

}  // namespace ablate::window_attention_backward
