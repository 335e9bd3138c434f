#pragma once

#include <cstdint>
#include <span>

#include "oracles/psh_bucket/keys.h"
#include "oracles/psh_bucket/probes.h"
#include "oracles/psh_bucket/properties/instance.h"

namespace ablate::psh_bucket {

/// P8 where hashing alone decides: all points after `insert`, those without a place after `rebalance`.
violation home_violated(const problem&, const instance&, std::span<const std::uint16_t> homes);

/// P8 and P9: buckets of points that were hashed to them, or that no bucket before had room for.
violation hashing_violated(const problem&, const instance&, const bounding_box&, const probed_buckets&,
                           std::span<const std::uint16_t> homes);

}  // namespace ablate::psh_bucket
