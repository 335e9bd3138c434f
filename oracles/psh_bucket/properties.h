#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oracles/psh_bucket/checked_problem.h"

namespace ablate::psh_bucket {

/// What every correct answer satisfies, whatever the order of its atomics: properties P1 … P8 of
/// docs/operations/psh_bucket.md, "Check", plus what ties a point outside its home bucket to its hash:
/// P9   its probes lead to its bucket, past full ones only; or they all lead to full ones and it is where
///      such points go: in the bin, where the drain sends it, or in strict mode among those that fill free
///      places, by home bucket;
/// P10  in strict mode, instead of P8 and P9, for variants that report how many leading bits of the key they
///      sort by (`key_bits`): the points in that order, cut into buckets that are filled one after another.
/// All functions take a problem with host pointers, outputs included.

/// The bucket each point hashes to, from the inputs alone.
std::vector<std::uint16_t> home_buckets(const problem&);

/// The fewest leading key bits a variant that cuts sorted points into buckets may sort by.
constexpr int least_key_bits = 10;

/// The first property that the outputs violate at the end of phase `last` (of `insert` if `rebalance` only
/// searches): its name, where, expected and found. `homes` are home_buckets(p). P9 follows up to `probes`
/// probes for each point outside its home bucket, some 10 ns each.
std::optional<std::string> violated(const checked_problem& p, std::span<const std::uint16_t> homes);

/// P8 and P9, for hashing variants in any mode, from `rebalance` on: a point is outside its home bucket only
/// if that bucket is full. (A place is never given back, so a bucket that once refused a point stays full.)
std::optional<std::string> displaced_without_need(const problem& p, std::span<const std::uint16_t> homes);

}  // namespace ablate::psh_bucket
