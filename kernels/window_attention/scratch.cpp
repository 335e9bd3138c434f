#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention {

// A norm for 128 keys; a count of query tiles, and an entry and a mark for each 128 queries.
std::size_t scratch_bytes(const problem& p) {
  const auto rows = static_cast<std::size_t>(p.batches * p.heads * p.tokens);
  return sizeof(float) * (rows / 128) + sizeof(std::uint32_t) * (1 + 2 * (rows / 128));
}

}  // namespace ablate::window_attention
