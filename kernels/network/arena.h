#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ablate::backbone {

constexpr std::int64_t arena_alignment = 256;

/// Allocates from one buffer, at multiples of 256 bytes.
inline std::int64_t take(std::int64_t& used, std::int64_t bytes) {
  const std::int64_t at = used;
  used += (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
  return at;
}

/// What is in device memory between steps.
struct tensor {
  /// One buffer for all; or a buffer of its own: the given rows, what becomes of them, and the gradients of
  /// both.
  enum class home { arena, input, output, output_gradient, input_gradient };

  std::string name = {};
  std::int64_t bytes = 0;
  home at = home::arena;
  int first = -1, last = -1;  ///< the steps from which and to which it is needed
  std::int64_t offset = 0;    ///< in the arena

  bool lives_with(const tensor& other) const { return first <= other.last && other.first <= last; }
};

/// Gives every tensor of the arena its offset, a multiple of 256: one after the other, each at the lowest
/// place that no tensor needed at the same time has, the greatest first; then, while the arena exceeds
/// `max_live_bytes`, those that reached its end before all others, which are placed again around them, a
/// number of times; then the same from those on that take most over all of their steps. The smallest arena is
/// kept. By size alone, a small tensor that lives long comes late and ends up on top of all large ones of its
/// lifetime: a skipped level's rows in PTv3. The arena's bytes.
std::int64_t lay_out(std::vector<tensor>&);

/// The greatest sum over the tensors of the arena that one step needs, each rounded up to 256 bytes: no
/// layout takes less.
std::int64_t max_live_bytes(const std::vector<tensor>&);

}  // namespace ablate::backbone
