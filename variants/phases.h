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

/// A definition's `readback`: what the check reads, from what the region has left.
template <class Problem>
std::optional<Problem> readback(const Problem& p) {
  if constexpr (requires { p.reads_back; }) {
    Problem after = p;
    after.reads_back = true;
    return after;
  } else if constexpr (requires { p.work; }) {
    return in_phase(p, decltype(p.work)::read_back);
  } else {
    return in_phase(p, decltype(p.first)::read_back);
  }
}

}  // namespace ablate
