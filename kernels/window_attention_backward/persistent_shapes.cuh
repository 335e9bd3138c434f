// The block shapes of persistent blocks (hopper_fused.cuh). At 128 elements a head there is no room for two
// buffers of keys and values; with two of keys and one of values, trials were slower than without.
#pragma once

#include "kernels/window_attention_backward/hopper_fused.cuh"

namespace ablate::window_attention_backward {

/// `staggered`: at the widths where that pays.
constexpr fused_block persistent_block_of(int width, bool last_rounds, bool staggered) {
  fused_block block = fused_block_of(width, last_rounds);
  block.staggered = block.staggered && staggered;
  block.buffers = 2;
  return block;
}

struct persistent_form {
  bool staggered = true;   ///< see persistent_block_of
  bool sums_rows = false;  ///< the block computes row statistics itself
};

template <query_gradient_way Way, persistent_form Form = persistent_form{}>
void launch_persistent_on_hopper(launcher& to, const problem& p) {
  constexpr auto block_of = [](int width) {
    return persistent_block_of(width, last_rounds<Way>, Form.staggered);
  };
  switch (p.attention.width) {
    case 16:
      return launch_fused_on_hopper<fused_shape<block_of(16)>, Way, Form.sums_rows>(to, p);
    case 32:
      return launch_fused_on_hopper<fused_shape<block_of(32)>, Way, Form.sums_rows>(to, p);
    default:
      return launch_fused_on_hopper<fused_shape<block_of(64)>, Way, Form.sums_rows>(to, p);
  }
}

}  // namespace ablate::window_attention_backward
