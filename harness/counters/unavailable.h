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

}  // namespace ablate
