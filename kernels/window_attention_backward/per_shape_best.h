#pragma once

#include <cstdint>

namespace ablate::window_attention_backward {

/// The forms of one pass on Hopper among which hopper_per_shape_best chooses.
enum class form { bulk, reduced, persistent, private_dq, window_per_cta };

/// The fastest in the committed records of an H200. A block that owns a window reads its Q and dO and its
/// sums of dQ again for each 128 keys, 8 · width · window bytes: of all multiprocessors 35 MB at this bound,
/// which stay in L2, and twice as much at the next window measured, which do not. There blocks that share
/// windows are faster: of 16 elements a head with four warpgroups, and of 32 without persisting. At 128 there
/// is no room to own or to persist.
constexpr form per_shape_best(int width, std::int64_t window) {
  constexpr std::int64_t max_elements_of_window_per_cta = 32 * 1024;
  if (width == 128) return form::bulk;
  if (width * window <= max_elements_of_window_per_cta) return form::window_per_cta;
  if (width == 16) return form::private_dq;
  return width == 32 ? form::reduced : form::persistent;
}

}  // namespace ablate::window_attention_backward
