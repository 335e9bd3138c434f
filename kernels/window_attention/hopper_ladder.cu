// The steps from the simplest Hopper core to hopper_fixed_max (hopper_forward.cuh;
// docs/operations/attention_on_hopper.md), one variant per step: each differs from another in one switch, so
// every property of the last one has its own price. A producer copies from the first step on; with one stage
// it waits for the MMAs, and they for it. "all" groups and stages are those of the width's shape
// (hopper_run.cuh). From step to step should move: up, the tensor pipe's activity; down, stalls on barriers
// (stages, groups), on MMAs (overlap, turns), on the first queries (persistent), and instructions per tile
// (fixed_max, sums_by_product); software_exp2 moves work from the exponential unit to the FMA pipe.
#include "kernels/window_attention/hopper_run.cuh"
#include "kernels/window_attention/launches.h"

namespace ablate::window_attention {

namespace {

constexpr softmax_config software_exp2 = {.software_exp2 = 2, .form = softmax_form::fixed_max};

blocks_of_run blocks_of(const switches& s) {
  return s.word("persistent") == "on" ? blocks_of_run::persistent : blocks_of_run::one_a_tile;
}

/// A variant, in its phase.
template <class Attend>
void step(const problem& p, Attend attend) {
  if (p.does(phase::attend)) attend();
}

/// A block with fewer groups or stages; its MMAs do not overlap the softmax. The remaining groups get the
/// freed registers.
constexpr block_shape smaller(const block_shape& block, int groups, int stages) {
  return {.width = block.width,
          .groups = groups,
          .stages = stages,
          .producer_registers = groups == 1 ? 56 : 24,
          .consumer_registers = groups == 1 ? 256 : 240};
}

constexpr block_shape without_overlap(block_shape block) {
  block.overlaps = false;
  return block;
}

template <block_shape Block>
void run_one_a_tile(launcher& to, const problem& p) {
  run<forward_config{.block = Block}>(to, p, blocks_of_run::one_a_tile);
}

template <block_shape Block>
void run_pingpong(launcher& to, const problem& p, blocks_of_run form) {
  run<forward_config{.block = Block, .softmax = {}, .pingpong = true}>(to, p, form);
}

}  // namespace

void hopper_step_one_group(launcher& to, const problem& p, const switches&) {
  step(p, [&] { run_one_a_tile<smaller(block_64, 1, 1)>(to, p); });
}

void hopper_step_ring(launcher& to, const problem& p, const switches&) {
  step(p, [&] {
    if (p.width == 64)
      run_one_a_tile<smaller(block_64, 1, block_64.stages)>(to, p);
    else
      run_one_a_tile<smaller(block_128, 1, block_128.stages)>(to, p);
  });
}

void hopper_step_two_groups(launcher& to, const problem& p, const switches&) {
  step(p, [&] { run_one_a_tile<smaller(block_64, 2, block_64.stages)>(to, p); });
}

void hopper_step_all_groups(launcher& to, const problem& p, const switches&) {
  step(p, [&] {
    if (p.width == 64)
      run_one_a_tile<without_overlap(block_64)>(to, p);
    else
      run_one_a_tile<without_overlap(block_128)>(to, p);
  });
}

void hopper_step_one_tile_a_block(launcher& to, const problem& p, const switches&) {
  step(p, [&] { attend_online_on_hopper(to, p, blocks_of_run::one_a_tile); });
}

void hopper_step_pingpong(launcher& to, const problem& p, const switches& s) {
  step(p, [&] {
    if (p.width == 64)
      run_pingpong<block_64>(to, p, blocks_of(s));
    else
      run_pingpong<block_128>(to, p, blocks_of(s));
  });
}

void hopper_step_fixed_max(launcher& to, const problem& p, const switches& s) {
  const bool by_turns = s.word("pingpong") == "on";
  step(p, [&] {
    switch (p.width) {
      case 16:
        run_and_redo<forward_config{.block = block_16, .softmax = fixed_max}>(to, p);
        break;
      case 32:
        run_and_redo<forward_config{.block = block_32, .softmax = fixed_max}>(to, p);
        break;
      default:
        attend_with_fixed_max_on_hopper(to, p, by_turns ? pingpong::always : pingpong::never);
    }
  });
}

void hopper_step_software_exp2(launcher& to, const problem& p, const switches&) {
  step(p, [&] {
    switch (p.width) {
      case 16:
        run_and_redo<forward_config{.block = block_16, .softmax = software_exp2}>(to, p);
        break;
      case 32:
        run_and_redo<forward_config{.block = block_32, .softmax = software_exp2}>(to, p);
        break;
      default:
        run_and_redo<forward_config{.block = block_64, .softmax = software_exp2}>(to, p);
    }
  });
}

void hopper_step_sums_by_product(launcher& to, const problem& p, const switches&) {
  step(p, [&] {
    if (p.width == 64)
      run_and_redo<forward_config{.block = block_64, .softmax = narrow_fixed_max}>(to, p);
    else
      attend_with_fixed_max_on_hopper(to, p);
  });
}

}  // namespace ablate::window_attention
