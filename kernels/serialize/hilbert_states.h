#pragma once

#include <cstdint>

namespace ablate::serialize {

/// The Hilbert curve of docs/operations/serialize.md as a state machine that reads the z-order code from the
/// top, three bits per step, and writes the Hilbert code in the same way.
///
/// At each bit of the axes, Skilling's loop inverts the lower bits of the first axis or swaps them with
/// another axis's, so its net effect on the lower bits is to permute the axes and invert some. The Gray
/// decoding that follows carries one more bit, the last digit written; it inverts all later digits, as
/// inverting the first axis does, and is stored as that. 24 such orientations occur.
struct hilbert_states {
  static constexpr int states = 24;

  /// Indexed by state · 8 + bits (x, y, z from the top): next state · 8 + digits.
  std::uint8_t next[states * 8];
};

struct orientation {
  int axis[3] = {0, 1, 2};                   ///< the axis that each axis of the curve reads
  bool inverted[3] = {false, false, false};  ///< and whether it reads it inverted

  constexpr bool operator==(const orientation&) const = default;
};

/// The digits for these bits, and the orientation of the cells below.
struct hilbert_step {
  unsigned digits;
  orientation below;
};

constexpr hilbert_step step_of(orientation at, unsigned bits) {
  bool set[3] = {};
  for (int a = 0; a < 3; ++a) set[a] = ((bits >> (2 - at.axis[a]) & 1) != 0) != at.inverted[a];
  unsigned digits = 0;
  bool digit = false;
  for (int a = 0; a < 3; ++a) {
    digit = digit != set[a];
    digits = digits << 1 | (digit ? 1u : 0u);
  }
  for (int a = 0; a < 3; ++a) {
    if (set[a]) {
      at.inverted[0] = !at.inverted[0];
      continue;
    }
    const int axis = at.axis[0];
    const bool inverted = at.inverted[0];
    at.axis[0] = at.axis[a];
    at.inverted[0] = at.inverted[a];
    at.axis[a] = axis;
    at.inverted[a] = inverted;
  }
  at.inverted[0] = at.inverted[0] != digit;
  return {digits, at};
}

/// Numbers the orientations in the order they are reached, the curve's own first.
constexpr hilbert_states make_hilbert_states() {
  hilbert_states machine{};
  orientation met[hilbert_states::states] = {};
  int count = 1;
  for (int state = 0; state < count; ++state)
    for (unsigned bits = 0; bits < 8; ++bits) {
      const hilbert_step step = step_of(met[state], bits);
      int below = 0;
      while (below < count && !(met[below] == step.below)) ++below;
      if (below == count) met[count++] = step.below;
      machine.next[8 * state + static_cast<int>(bits)] =
          static_cast<std::uint8_t>(8 * below + static_cast<int>(step.digits));
    }
  return machine;
}

}  // namespace ablate::serialize
