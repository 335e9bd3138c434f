#pragma once

#include <cstdint>

#include "kernels/common/on_both.h"

namespace ablate::backbone {

/// The first number whose end (`ends`: cumulative, ascending) is past place or slot `at`: the instance it
/// belongs to.
ABLATE_ON_BOTH inline int instance_at(const std::uint32_t* ends, int instances, std::uint32_t at) {
  int low = 0, high = instances - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ends[middle] > at)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Where the rows of an instance begin and end, along an order and among the slots of its windows.
struct instance_slots {
  std::uint32_t first_place, places, first_slot, slots;

  ABLATE_ON_BOTH instance_slots(const std::uint32_t* ends, const std::uint32_t* slot_ends, int instance)
      : first_place(instance == 0 ? 0 : ends[instance - 1]),
        places(ends[instance] - first_place),
        first_slot(instance == 0 ? 0 : slot_ends[instance - 1]),
        slots(slot_ends[instance] - first_slot) {}

  /// The place along the order whose row a slot takes: its own; past the last, the one a window before.
  ABLATE_ON_BOTH std::uint32_t place_of(std::uint32_t slot, std::uint32_t window) const {
    const std::uint32_t own = slot - first_slot;
    return first_place + (own < places ? own : own - window);
  }
  ABLATE_ON_BOTH std::uint32_t slot_of(std::uint32_t place) const {
    return first_slot + (place - first_place);
  }
  /// Whether the row that is in a slot is taken again, by the slot one window later.
  ABLATE_ON_BOTH bool is_taken_along(std::uint32_t slot, std::uint32_t window) const {
    const std::uint32_t behind = slot - first_slot + window;
    return behind >= places && behind < slots;
  }
};

}  // namespace ablate::backbone
