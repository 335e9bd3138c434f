#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/hash_avalanche/hash_avalanche.h"
#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/sequences.cuh"

namespace ablate::hash_avalanche {

using hash_table::coordinate;

constexpr int block_threads = 256, keys_per_thread = 7, keys_per_block = keys_per_thread * block_threads;

/// The XOR mask that flips a bit of the packed key, on the words of an in-range coordinate: one bit or, for
/// the top bit of a signed field, all bits from there up.
__device__ inline coordinate flip_of(int bit) {
  const auto within = [&](int low, int width, bool is_signed) {
    const int at = bit - low;
    if (at < 0 || at >= width) return 0;
    return is_signed && at == width - 1 ? -(1 << at) : 1 << at;
  };
  return {within(54, 9, false), within(36, 18, true), within(18, 18, true), within(0, 18, true)};
}

__device__ inline coordinate flipped(const coordinate& c, const coordinate& by) {
  return {c.x ^ by.x, c.y ^ by.y, c.z ^ by.z, c.w ^ by.w};
}

/// A thread's keys, block_threads apart.
template <class Hash>
struct sampled_keys {
  coordinate at[keys_per_thread];
  unsigned value[keys_per_thread];
  bool exists[keys_per_thread];

  __device__ sampled_keys(const coordinate* keys, long long count) {
    const long long first = static_cast<long long>(blockIdx.x) * keys_per_block + threadIdx.x;
#pragma unroll
    for (int k = 0; k < keys_per_thread; ++k) {
      const long long key = first + k * block_threads;
      exists[k] = key < count;
      at[k] = exists[k] ? keys[key] : coordinate{};
      value[k] = Hash::of(at[k]);
    }
  }
  /// The output bits that this flip changes; none if there is no key.
  __device__ unsigned flips(int k, const coordinate& by) const {
    return exists[k] ? value[k] ^ Hash::of(flipped(at[k], by)) : 0;
  }
};

/// A block's counts, in shared memory. A warp adds the 32 counts of one key bit, one per lane.
struct block_counts {
  unsigned counts[key_bits][output_bits];

  __device__ void clear() {
    for (int i = threadIdx.x; i < key_bits * output_bits; i += block_threads) flat()[i] = 0;
    __syncthreads();
  }
  __device__ void add(int bit, unsigned count) { atomicAdd(&counts[bit][threadIdx.x % 32], count); }
  __device__ void write(unsigned long long* flips) {
    __syncthreads();
    for (int i = threadIdx.x; i < key_bits * output_bits; i += block_threads)
      if (flat()[i] != 0) atomicAdd(flips + i, static_cast<unsigned long long>(flat()[i]));
  }

 private:
  __device__ unsigned* flat() { return &counts[0][0]; }
};

template <class Hash>
struct hash_type {
  using type = Hash;
};

/// Calls `form(hash_type<Hash>{})`.
template <class Form>
void with_hash(hashing by, Form form) {
  switch (by) {
    case hashing::splitmix:
      return form(hash_type<hash_table::splitmix>{});
    case hashing::murmur:
      return form(hash_type<hash_table::murmur>{});
    case hashing::city:
      return form(hash_type<hash_table::city>{});
    case hashing::fnv:
      return form(hash_type<hash_table::fnv>{});
    case hashing::fibonacci:
      return form(hash_type<hash_table::fibonacci>{});
    case hashing::identity:
      return form(hash_type<hash_table::identity>{});
    case hashing::second:
      return form(hash_type<hash_table::double_hash>{});
  }
}

inline const coordinate* keys_of(const problem& p) {
  return reinterpret_cast<const coordinate*>(p.coordinates);
}
inline unsigned long long* flips_of(const problem& p) {
  return reinterpret_cast<unsigned long long*>(p.flips);
}

}  // namespace ablate::hash_avalanche
