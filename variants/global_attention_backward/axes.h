#pragma once

#include <optional>

#include "harness/registry/axis.h"
#include "kernels/global_attention_backward/global_attention_backward.h"
#include "variants/phases.h"

// What definitions of layers of global attention that are trained share.

namespace ablate::global_attention_backward {

inline axis region_axis() {
  return axis::of_words(
      "region", {"both", "backward"},
      "what is timed: the layer forward, then backward; or backward alone, of what a forward "
      "pass ahead left");
}
inline phase work_at(const axis_values& at) {
  return at.word("region") == "backward" ? phase::differentiate : phase::train;
}

/// Backward alone begins where the forward pass ended.
template <class Checked>
std::optional<Checked> ahead_of(const Checked& p) {
  if (p.work != phase::differentiate) return std::nullopt;
  return in_phase(p, phase::attend);
}

}  // namespace ablate::global_attention_backward
