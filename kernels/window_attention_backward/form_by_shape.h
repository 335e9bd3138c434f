#pragma once

#include <cstdint>

namespace ablate::window_attention_backward {

/// The forms of one pass on Hopper among which hopper_by_shape chooses.
enum class form { bulk, reduced, persistent, owned };

/// The fastest by trials on an H100. Blocks that own a window read its Q, dO and sums once for each 128 keys:
/// where these of all multiprocessors leave L2, blocks that share windows are faster. At 32 elements a head
/// these need not persist there; at 128 there is no room to.
constexpr form form_by_shape(int width, std::int64_t window) {
  if (width == 128) return form::bulk;
  if (width == 32) return window <= 1024 ? form::owned : form::reduced;
  if (width == 16 && window <= 4096) return form::owned;
  return form::persistent;
}

}  // namespace ablate::window_attention_backward
