// The block shapes of persistent blocks (hopper_fused.cuh). At 128 elements a head there is no room for two
// buffers of keys and values; with two of keys and one of values, trials were slower than without.
#pragma once

#include "kernels/window_attention_backward/hopper_fused.cuh"

namespace ablate::window_attention_backward {

/// `Staggered`: as in fused_shape, at the widths where that pays.
template <query_gradient_way Way, bool Staggered, bool SumsRows = false>
void launch_persistent_on_hopper(launcher& to, const problem& p) {
  // Narrow heads leave registers to the warps that round; at wide ones these spill, and nobody waits for
  // them.
  constexpr int few = last_rounds<Way> ? 56 : 24, many = last_rounds<Way> ? 224 : 240;
  switch (p.attention.width) {
    case 16:
      return launch_fused_on_hopper<fused_shape<16, 128, 2, 2, 3, 2, few, many, true, Staggered, 2>, Way,
                                    SumsRows>(to, p);
    case 32:
      return launch_fused_on_hopper<fused_shape<32, 128, 2, 2, 3, 2, few, many, true, Staggered, 2>, Way,
                                    SumsRows>(to, p);
    default:
      return launch_fused_on_hopper<fused_shape<64, 128, 2, 2, 3, 2, 24, 240, false, false, 2>, Way,
                                    SumsRows>(to, p);
  }
}

}  // namespace ablate::window_attention_backward
