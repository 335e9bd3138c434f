// The steps from the simplest Hopper core to hopper_fixed_max (hopper_forward.cuh;
// docs/operations/attention_on_hopper.md): each differs from another in one switch, so every property of the
// last one has its own price. A producer copies from the first step on; with one stage it waits for the MMAs,
// and they for it. "all" groups and stages are those of the width's shape (hopper_run.cuh). From step to step
// should move: up, the tensor pipe's activity; down, stalls on barriers (stages, groups), on MMAs (overlap,
// pingpong), on the first queries (persistent), and instructions per tile (fixed_max, sums_by_product);
// software_exp2 moves work from the exponential unit to the FMA pipe.
#include "kernels/window_attention/hopper_run.cuh"

namespace ablate::window_attention {

namespace {

constexpr softmax_config software_exp2 = {.software_exp2 = 2, .form = softmax_form::fixed_max};
constexpr softmax_config sums_by_product = {.sums_by_product = true, .form = softmax_form::fixed_max};

/// A block with fewer groups or stages; its MMAs do not overlap the softmax. The remaining groups get the
/// freed registers.
constexpr block_shape smaller(const block_shape& block, int groups, int stages) {
  return {.width = block.width,
          .groups = groups,
          .stages = stages,
          .producer_registers = groups == 1 ? 56 : 24,
          .consumer_registers = groups == 1 ? 256 : 240};
}

constexpr block_shape with_overlap(block_shape block, bool overlaps) {
  block.overlaps = overlaps;
  return block;
}

template <block_shape Block>
void run_online(launcher& to, const problem& p, blocks_of_run form) {
  run<forward_config{.block = Block}>(to, p, form);
}

template <block_shape Block>
void run_pingpong(launcher& to, const problem& p, blocks_of_run form) {
  run<forward_config{.block = Block, .softmax = {}, .pingpong = true}>(to, p, form);
}

template <block_shape Block>
void run_either(launcher& to, const problem& p, bool overlaps, blocks_of_run form) {
  if (overlaps)
    run_online<with_overlap(Block, true)>(to, p, form);
  else
    run_online<Block>(to, p, form);
}

template <softmax_config Softmax>
void run_narrow_or_64(launcher& to, const problem& p, run_form form) {
  switch (p.width) {
    case 16:
      run_and_redo<forward_config{.block = block_16, .softmax = Softmax}>(to, p, form);
      break;
    case 32:
      run_and_redo<forward_config{.block = block_32, .softmax = Softmax}>(to, p, form);
      break;
    default:
      run_and_redo<forward_config{.block = block_64, .softmax = Softmax}>(to, p, form);
  }
}

}  // namespace

void attend_in_first_steps(launcher& to, const problem& p, const switches& s, blocks_of_run form) {
  const text_view groups = s.word("groups");
  const bool has_one_stage = s.word("stages") == "one";
  if (groups == "one") {
    if (has_one_stage)
      run_online<smaller(block_64, 1, 1)>(to, p, form);
    else if (p.width == 64)
      run_online<smaller(block_64, 1, block_64.stages)>(to, p, form);
    else
      run_online<smaller(block_128, 1, block_128.stages)>(to, p, form);
  } else if (groups == "two") {
    const bool overlaps = s.word("overlap") != "off";
    if (has_one_stage)
      run_either<smaller(block_64, 2, 1)>(to, p, overlaps, form);
    else
      run_either<smaller(block_64, 2, block_64.stages)>(to, p, overlaps, form);
  } else if (p.width == 64) {
    run_online<with_overlap(block_64, false)>(to, p, form);
  } else {
    run_online<with_overlap(block_128, false)>(to, p, form);
  }
}

void attend_online_by_turns(launcher& to, const problem& p, blocks_of_run form) {
  if (p.width == 64)
    run_pingpong<block_64>(to, p, form);
  else
    run_pingpong<block_128>(to, p, form);
}

void attend_with_fixed_max_in_steps(launcher& to, const problem& p, const switches& s, run_form form) {
  const bool multiplies_ones = s.word("sums") == "product";
  if (s.word("exp2") == "poly_2of16") {
    if (!multiplies_ones)
      run_narrow_or_64<software_exp2>(to, p, form);
    else if (p.width == 64)
      run_and_redo<forward_config{.block = block_64, .softmax = narrow_fixed_max}>(to, p, form);
    else
      attend_with_fixed_max_on_hopper(to, p, pingpong::by_window, form);
  } else if (multiplies_ones) {
    run_narrow_or_64<sums_by_product>(to, p, form);
  } else if (p.width == 64) {
    attend_with_fixed_max_on_hopper(to, p, pingpong::never, form);
  } else if (p.width == 32) {
    run_and_redo<forward_config{.block = block_32, .softmax = fixed_max}>(to, p, form);
  } else {
    run_and_redo<forward_config{.block = block_16, .softmax = fixed_max}>(to, p, form);
  }
}

}  // namespace ablate::window_attention
