#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

/// What every right answer has in common, whatever order its atomics came in: properties P1 … P8 of the
/// specification (flash3d §1.8). All take a problem with host pointers, outputs included.

/// The bucket to which each point hashes, of the inputs alone.
std::vector<std::uint16_t> home_buckets(const problem&);

/// The first property that the outputs lack at the end of phase `last` (of `insert` where `rebalance` only
/// searches): its name, the place, what was expected and what was found. `homes` are home_buckets(p). In
/// strict mode a point may be in any bucket once rebalancing is over: see displaced_without_need.
std::optional<std::string> violated(const problem& p, std::span<const std::uint16_t> homes);

/// P8, of variants that hash, in any mode, from `rebalance` on: a point is elsewhere than at home only if its
/// home is full. (A place is never given back, so a bucket that once refused a point has stayed full.)
std::optional<std::string> displaced_without_need(const problem& p, std::span<const std::uint16_t> homes);

}  // namespace ablate::psh_bucket
