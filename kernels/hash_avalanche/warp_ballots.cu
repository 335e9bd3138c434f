// Flips counted by ballot. A thread holds seven keys and their hashes, and for each of the 63 bits hashes
// them again with that bit flipped. 32 ballots, one per output bit, transpose the differences of a warp's 32
// keys: lane j takes the ballot of bit j and counts its ones. Sums go to shared memory once per key bit, to
// device memory once per block. Should move: issue slots, with the ballots: three times those of a hash.
#include "kernels/hash_avalanche/flips.cuh"
#include "kernels/hash_avalanche/launches.h"

namespace ablate::hash_avalanche {

template <class Hash>
__global__ __launch_bounds__(block_threads) void count_by_ballots(const coordinate* keys, long long count,
                                                                  unsigned long long* flips) {
  __shared__ block_counts sums;
  sums.clear();
  const sampled_keys<Hash> mine(keys, count);
  const unsigned lane = threadIdx.x % 32;
  for (int bit = 0; bit < key_bits; ++bit) {
    const coordinate by = flip_of(bit);
    unsigned total = 0;
#pragma unroll
    for (int k = 0; k < keys_per_thread; ++k) {
      const unsigned difference = mine.flips(k, by);
      unsigned votes = 0;
#pragma unroll 8
      for (unsigned j = 0; j < output_bits; ++j) {
        const unsigned of_bit = __ballot_sync(~0u, difference >> j & 1);
        if (lane == j) votes = of_bit;
      }
      total += __popc(votes);
    }
    sums.add(bit, total);
  }
  sums.write(flips);
}

void warp_ballots(launcher& to, const problem& p, const switches&) {
  with_hash(p.by, [&](auto hash) {
    launch(to, count_by_ballots<typename decltype(hash)::type>, dim3(blocks_for(p.samples, keys_per_block)),
           dim3(block_threads), 0, keys_of(p), p.samples, flips_of(p));
  });
}

}  // namespace ablate::hash_avalanche
