// The steps from the simplest Hopper core to hopper_first_tile (hopper_forward.cuh;
// docs/operations/attention_on_hopper.md), one variant per step: each differs from another in one switch, so
// every property of the last one has its own price. A producer copies from the first step on; with one stage
// it waits for the MMAs, and they for it. "all" groups and stages are those of the width's shape
// (hopper_run.cuh). From step to step should move: up, the tensor pipe's activity; down, stalls on barriers
// (stages, groups), on MMAs (overlap, turns), on the first queries (persistent), and instructions per tile
// (first_tile, sums_by_product); software_exp2 moves work from the exponential unit to the FMA pipe.
#include "kernels/window_attention/hopper_run.cuh"
#include "kernels/window_attention/launches.h"

namespace ablate::window_attention {

/// A shape with fewer groups or stages; its MMAs do not overlap the softmax. The remaining groups get the
/// freed registers.
template <class Shape, int Groups, int Stages>
using smaller_shape =
    forward_shape<Shape::width, Groups, Stages, false, Groups == 1 ? 56 : 24, Groups == 1 ? 256 : 240>;

template <class Shape>
using shape_without_overlap = forward_shape<Shape::width, Shape::groups, Shape::stages, false,
                                            Shape::producer_registers, Shape::consumer_registers>;

namespace {

blocks_of_run blocks_of(const switches& s) {
  return s.word("persistent") == "yes" ? blocks_of_run::persistent : blocks_of_run::one_a_tile;
}

/// A variant, in its phase.
template <class Attend>
void step(const problem& p, Attend attend) {
  if (p.does(phase::attend)) attend();
}

template <class Shape>
void run_without_overlap(launcher& to, const problem& p) {
  run<Shape, forward_options<softmax_form::online>>(to, p, blocks_of_run::one_a_tile);
}

template <class Shape>
void run_by_turns(launcher& to, const problem& p, blocks_of_run form) {
  run<Shape, forward_options<softmax_form::online, 0, true>>(to, p, form);
}

}  // namespace

void hopper_step_one_group(launcher& to, const problem& p, const switches&) {
  step(p, [&] { run_without_overlap<smaller_shape<shape_64, 1, 1>>(to, p); });
}

void hopper_step_ring(launcher& to, const problem& p, const switches&) {
  step(p, [&] {
    if (p.width == 64)
      run_without_overlap<smaller_shape<shape_64, 1, shape_64::stages>>(to, p);
    else
      run_without_overlap<smaller_shape<shape_128, 1, shape_128::stages>>(to, p);
  });
}

void hopper_step_two_groups(launcher& to, const problem& p, const switches&) {
  step(p, [&] { run_without_overlap<smaller_shape<shape_64, 2, shape_64::stages>>(to, p); });
}

void hopper_step_all_groups(launcher& to, const problem& p, const switches&) {
  step(p, [&] {
    if (p.width == 64)
      run_without_overlap<shape_without_overlap<shape_64>>(to, p);
    else
      run_without_overlap<shape_without_overlap<shape_128>>(to, p);
  });
}

void hopper_step_one_tile_a_block(launcher& to, const problem& p, const switches&) {
  step(p, [&] { attend_online_on_hopper(to, p, blocks_of_run::one_a_tile); });
}

void hopper_step_turns(launcher& to, const problem& p, const switches& s) {
  step(p, [&] {
    if (p.width == 64)
      run_by_turns<shape_64>(to, p, blocks_of(s));
    else
      run_by_turns<shape_128>(to, p, blocks_of(s));
  });
}

void hopper_step_first_tile(launcher& to, const problem& p, const switches& s) {
  const bool by_turns = s.word("turns") == "yes";
  step(p, [&] {
    switch (p.width) {
      case 16:
        run_from_first_tile<shape_16, 0, false, false>(to, p);
        break;
      case 32:
        run_from_first_tile<shape_32, 0, false, false>(to, p);
        break;
      default:
        attend_from_first_tile_on_hopper(to, p, by_turns ? turns::always : turns::never);
    }
  });
}

void hopper_step_software_exp2(launcher& to, const problem& p, const switches&) {
  step(p, [&] {
    switch (p.width) {
      case 16:
        run_from_first_tile<shape_16, 2, false, false>(to, p);
        break;
      case 32:
        run_from_first_tile<shape_32, 2, false, false>(to, p);
        break;
      default:
        run_from_first_tile<shape_64, 2, false, false>(to, p);
    }
  });
}

void hopper_step_sums_by_product(launcher& to, const problem& p, const switches&) {
  step(p, [&] {
    if (p.width == 64)
      run_from_first_tile<shape_64, 2, false, true>(to, p);
    else
      attend_from_first_tile_on_hopper(to, p);
  });
}

}  // namespace ablate::window_attention
