// Where rows that windows gather are, as kernels take it.
#pragma once

#include "kernels/network/problem.h"
#include "kernels/ptv3/window_slots.h"

namespace ablate::backbone {

struct window_rows {
  const std::int32_t *row_of_slot, *slot_of_row;
  const std::uint32_t *ends, *slot_ends;  ///< of a level's instances; of none each row has one slot
  long long slots;
  std::uint32_t window;
  int instances;

  /// The slot, a window after its own, that takes a row along, or −1.
  __device__ long long other_slot(long long slot) const {
    if (instances == 0) return -1;
    const auto own = static_cast<std::uint32_t>(slot);
    const instance_slots of(ends, slot_ends, instance_at(slot_ends, instances, own));
    return of.is_taken_along(own, window) ? slot + window : -1;
  }
};
window_rows window_rows_of(const problem&, const network&, const step&);

}  // namespace ablate::backbone
