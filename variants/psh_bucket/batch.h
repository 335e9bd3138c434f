#pragma once

#include <cstdint>
#include <vector>

#include "harness/registry/axis.h"

namespace ablate::psh_bucket {

/// Points in instance k of a batch whose cloud has `points` points.
std::int64_t size_of_instance(std::int64_t points, int k, bool ragged);

/// End of each instance, cumulative.
std::vector<std::uint32_t> ends_of(std::int64_t points, int instances, bool ragged);

/// Total points of all instances, and points of the largest.
struct batch_size {
  std::int64_t points = 0, largest_instance = 0;
};

batch_size size_of_batch(std::int64_t points, const axis_values&);

}  // namespace ablate::psh_bucket
