#pragma once

#include <cstdint>
#include <vector>

#include "kernels/network/models.h"

namespace ablate::backbone {

/// Stochastic depth, in training: after attention and MLP a row's branch is left out with probability p,
/// else divided by 1 − p. Rows are dropped one by one, as PTv3 does it, padding too: by a hash of the seed,
/// the branch and the row, the same each time.
struct drop_path {
  float rate = 0;          ///< of the last block of encoder and decoder, and of a lone block; 0: none
  std::uint64_t seed = 1;  ///< of the hash
};

/// p of the blocks of a level. Along all blocks of an encoder or decoder, levels ascending, it rises from 0
/// to the greatest in equal steps; a decoder's level has its own the other way round, as published.
std::vector<float> drop_rates(const std::vector<stage>& half, int level, float greatest, bool is_decoder);

/// The seed of a branch's hash, by the number of its last layer.
std::uint64_t seed_of_branch(const drop_path&, int layer);

}  // namespace ablate::backbone
