#pragma once

#include <cstdint>
#include <vector>

#include "harness/registry/axis.h"

namespace ablate::psh_bucket {

/// Points of instance k of a batch whose cloud has so many: all of them, or none, half and all by turns.
std::int64_t size_of_instance(std::int64_t points, int k, bool ragged);

/// Where the instances end of a batch whose cloud has so many points; a ragged one's are none, half and all
/// of them by turns.
std::vector<std::uint32_t> ends_of(std::int64_t points, int instances, bool ragged);

/// Points of all instances together, and of the largest.
struct batch_size {
  std::int64_t points = 0, largest_instance = 0;
};
batch_size size_of_batch(std::int64_t points, const axis_values&);

}  // namespace ablate::psh_bucket
