#pragma once

#include <cstdint>
#include <vector>

#include "kernels/common/launcher.h"
#include "kernels/network/network.h"

namespace ablate::backbone {

struct byte_range {
  std::int64_t begin = 0, end = 0;
  bool is_empty() const { return begin == end; }
};

/// Bytes that are fetched in one go where layers need no more: a third of the 50 MB of L2 that an H100 has.
constexpr std::int64_t max_bytes_ahead = std::int64_t{16} << 20;

/// Which of the packed matrices (layers.h) are fetched beside each step, of those with which a pass begins
/// and those that attend: what layers up to the next such step need, unless it is there, and what follows,
/// max_bytes_ahead together. Packed as layers follow each other in a pass, so each byte once.
std::vector<byte_range> weights_fetched_beside(const network&);

/// Prefetches memory to L2 without waiting. Begins at a multiple of 16 bytes.
void fetch_to_l2(launcher&, const void* from, std::int64_t bytes);

}  // namespace ablate::backbone
