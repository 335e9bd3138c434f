#pragma once

#include <stdexcept>

namespace ablate {

/// Counters cannot be read; what() says why in one line, with the remedy where there is one. Timing is not
/// touched by it.
struct counters_unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// They are in someone else's hands now, and may be free later.
struct counters_busy : counters_unavailable {
  using counters_unavailable::counters_unavailable;
};

/// Samples of the device end before what they were to show: the host was away for longer than there is room
/// for. Taken once more they may not.
struct samples_fall_short : counters_unavailable {
  using counters_unavailable::counters_unavailable;
};

/// What `take` returns, which may fall short a few times.
template <class Take>
auto once_samples_suffice(Take&& take) {
  constexpr int tries = 4;
  for (int i = 1;; ++i) {
    try {
      return take();
    } catch (const samples_fall_short&) {
      if (i == tries) throw;
    }
  }
}

}  // namespace ablate
