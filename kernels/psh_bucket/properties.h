#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

/// What every right answer has in common, whatever order its atomics came in: properties P1 … P8 of the
/// specification (flash3d §1.8), and what holds bucket and hash together where a point is not at home:
/// P9   probes lead to its bucket, past full ones only; or they lead to full ones and it is where all such
///      points go: in the bin, where the drain sends it, or in strict mode among those that fill free places,
///      by home bucket;
/// P10  in strict mode, instead of P8 and P9, of variants that say by how many leading bits of the key they
///      sort (`key_bits`): the points by those, cut into buckets that are full one after the other.
/// All take a problem with host pointers, outputs included.

/// The bucket to which each point hashes, of the inputs alone.
std::vector<std::uint16_t> home_buckets(const problem&);

/// Leading bits of the key by which points are sorted at least that are cut into buckets.
constexpr int least_key_bits = 10;

/// The first property that the outputs lack at the end of phase `last` (of `insert` where `rebalance` only
/// searches): its name, the place, what was expected and what was found. `homes` are home_buckets(p). P9
/// follows up to `probes` probes of each point that is not at home, some 10 ns each.
std::optional<std::string> violated(const problem& p, std::span<const std::uint16_t> homes);

/// P8 and P9, of variants that hash, in any mode, from `rebalance` on: a point is elsewhere than at home only
/// if its home is full. (A place is never given back, so a bucket that once refused a point has stayed full.)
std::optional<std::string> displaced_without_need(const problem& p, std::span<const std::uint16_t> homes);

}  // namespace ablate::psh_bucket
