#pragma once

#include "kernels/hash_table/coordinate.cuh"

namespace ablate::hash_table {

/// 32-bit hashes of a coordinate (docs/operations/hash_insert.md); the slot is the hash modulo the slots.

/// SplitMix64's output mixer: two 64-bit multiplications.
__device__ inline std::uint64_t splitmix_of(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

/// That mixer applied to the packed key.
struct splitmix {
  __device__ static unsigned of(const coordinate& c) { return static_cast<unsigned>(splitmix_of(pack(c))); }
};

__device__ inline unsigned murmur_finish(unsigned h) {
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  return h ^ h >> 16;
}

/// MurmurHash3 (32 bits) over the four words.
struct murmur {
  __device__ static unsigned of(const coordinate& c) {
    unsigned h = 0x9747b28cu;
    for (const int word : {c.x, c.y, c.z, c.w}) {
      unsigned w = static_cast<unsigned>(word) * 0xcc9e2d51u;
      w = (w << 15 | w >> 17) * 0x1b873593u;
      h ^= w;
      h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
    }
    constexpr unsigned bytes = 16;
    return murmur_finish(h ^ bytes);
  }
};

/// FNV-1a over whole words: the low bits of the hash depend only on the low bits of the words. A negative
/// control.
struct fnv {
  __device__ static unsigned of(const coordinate& c) {
    unsigned h = 2166136261u;
    for (const int word : {c.x, c.y, c.z, c.w}) h = (h ^ static_cast<unsigned>(word)) * 16777619u;
    return h;
  }
};

/// Murmur's finalizer once per word: what the published vector-key table calls "city".
struct city {
  __device__ static unsigned of(const coordinate& c) {
    unsigned h = 0;
    for (const int word : {c.x, c.y, c.z, c.w})
      h = murmur_finish(h + static_cast<unsigned>(word) * 0x9e3779b9u);
    return h;
  }
};

/// Fibonacci hashing: the packed key times 2^64 over the golden ratio, upper half.
struct fibonacci {
  __device__ static unsigned of(const coordinate& c) {
    return static_cast<unsigned>(pack(c) * 0x9e3779b97f4a7c15ull >> 32);
  }
};

/// The key's low bits as they are. A negative control.
struct identity {
  __device__ static unsigned of(const coordinate& c) { return static_cast<unsigned>(pack(c)); }
};

/// Splitmix of all but the two low bits of z, which select one of four neighboring slots: an aligned run of
/// four voxels along z hashes to one 32-byte sector of 8-byte keys.
struct sector_local {
  __device__ static unsigned of(const coordinate& c) {
    const coordinate run = {c.x, c.y, c.z, c.w >> 2};
    return splitmix::of(run) << 2 | (static_cast<unsigned>(c.w) & 3);
  }
};

}  // namespace ablate::hash_table
