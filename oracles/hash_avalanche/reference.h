#pragma once

#include <cstdint>

#include "kernels/hash_avalanche/hash_avalanche.h"

namespace ablate::hash_avalanche {

/// The oracle's own hash of a packed key.
std::uint32_t hash_of(hashing, std::uint64_t key);

/// The oracle, on host pointers. 10^6 keys take half a second to a second.
void reference(const problem&);

/// Shares of keys for which an output bit flips, over all 63 × 32 pairs of bits. An ideal hash has 0.5.
struct flip_shares {
  double least = 0, most = 0, mean = 0;
  double worst_deviation = 0;  ///< the greatest |share − 0.5|
};
flip_shares shares_of(const problem&);

}  // namespace ablate::hash_avalanche
