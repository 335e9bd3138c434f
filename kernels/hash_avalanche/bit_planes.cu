// Flips counted 32 output bits at a time. The differences of a thread's seven keys are added as 32 bit-sliced
// sums: word i holds bit i of each (a full adder of words is two instructions, and four of them reduce seven
// words to three). Lanes then add their sums in five shuffle exchanges, one word wider each time; at the end
// every lane has the warp's 32 sums, and lane j takes that of output bit j. Should move: issue slots, down to
// little more than those of the hashes.
#include "kernels/hash_avalanche/flips.cuh"
#include "kernels/hash_avalanche/launches.h"

namespace ablate::hash_avalanche {

/// a + b + carry in each of 32 bit positions: the sums' low bits go into a, the high bits into carry.
__device__ inline void add_words(unsigned& a, unsigned b, unsigned& carry) {
  const unsigned low = a ^ b ^ carry;
  carry = (a & b) | (carry & (a ^ b));
  a = low;
}

/// 32 sums; word i holds bit i of each.
struct sliced_sums {
  static constexpr int thread_words = 3;               // up to 7
  static constexpr int warp_words = thread_words + 5;  // up to 7 · 32
  unsigned words[warp_words] = {};

  __device__ explicit sliced_sums(const unsigned (&of)[keys_per_thread]) {
    static_assert(keys_per_thread == 7);
    unsigned first = of[0], twos_of_first = of[2], second = of[3], twos_of_second = of[5];
    add_words(first, of[1], twos_of_first);
    add_words(second, of[4], twos_of_second);
    unsigned twos_of_all = of[6];
    add_words(first, second, twos_of_all);
    add_words(twos_of_first, twos_of_second, twos_of_all);
    words[0] = first;
    words[1] = twos_of_first;
    words[2] = twos_of_all;
  }
  __device__ void add_over_warp() {
#pragma unroll
    for (int step = 0; step < 5; ++step) {
      unsigned carry = 0;
#pragma unroll
      for (int i = 0; i < thread_words + step; ++i)
        add_words(words[i], __shfl_xor_sync(~0u, words[i], 1 << step), carry);
      words[thread_words + step] = carry;
    }
  }
  __device__ unsigned sum(unsigned bit) const {
    unsigned value = 0;
#pragma unroll
    for (int i = 0; i < warp_words; ++i) value |= (words[i] >> bit & 1) << i;
    return value;
  }
};

template <class Hash>
__global__ __launch_bounds__(block_threads) void count_by_planes(const coordinate* keys, long long count,
                                                                 unsigned long long* flips) {
  __shared__ block_counts sums;
  sums.clear();
  const sampled_keys<Hash> mine(keys, count);
  for (int bit = 0; bit < key_bits; ++bit) {
    const coordinate by = flip_of(bit);
    unsigned differences[keys_per_thread];
#pragma unroll
    for (int k = 0; k < keys_per_thread; ++k) differences[k] = mine.flips(k, by);
    sliced_sums total(differences);
    total.add_over_warp();
    sums.add(bit, total.sum(threadIdx.x % 32));
  }
  sums.write(flips);
}

void bit_planes(launcher& to, const problem& p, const switches&) {
  with_hash(p.by, [&](auto hash) {
    launch(to, count_by_planes<typename decltype(hash)::type>, dim3(blocks_for(p.samples, keys_per_block)),
           dim3(block_threads), 0, keys_of(p), p.samples, flips_of(p));
  });
}

}  // namespace ablate::hash_avalanche
