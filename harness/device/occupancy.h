#pragma once

#include <cstddef>
#include <optional>

#include "harness/device/chip.h"

namespace ablate {

/// What one block of a launch takes from a multiprocessor.
struct block_resources {
  int threads = 0;
  int registers_per_thread = 0;
  std::size_t static_shared_bytes = 0;
  std::size_t dynamic_shared_bytes = 0;
};

/// Theoretical occupancy: the warps of such blocks that one multiprocessor can hold, as a share of the warps
/// that it has room for; 0 when not one block fits. The formula is CUDA's own, so a build without CUDA has no
/// value.
std::optional<double> theoretical_occupancy(const chip&, const block_resources&);

}  // namespace ablate
