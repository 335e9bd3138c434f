#pragma once

#include <optional>

// What definitions (define.h) do beside the timed region: single phases of the same problem.

namespace ablate {

/// The problem with this phase of its work alone.
template <class Problem, class Phase>
std::optional<Problem> in_phase(Problem p, Phase phase) {
  if constexpr (requires { p.work; })
    p.work = phase;
  else
    p.first = p.last = phase;
  return p;
}

}  // namespace ablate
