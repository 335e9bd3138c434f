#pragma once

#include <cstddef>
#include <cstdint>

namespace ablate::hash_avalanche {

/// The tables' hashes (kernels/hash_table/hashes.cuh; `second`: that of double hashing).
enum class hashing { splitmix, murmur, city, fnv, fibonacci, identity, second };

constexpr int key_bits = 63;     ///< bit 63 of a key is always set
constexpr int output_bits = 32;  ///< of every hash
/// Counts in a result: one row per bit of a 64-bit key; the last row stays 0.
constexpr std::size_t result_counts = std::size_t{64} * output_bits;

/// How often flipping one bit of a packed key (hash_table::pack) flips one bit of its hash
/// (docs/operations/hash_avalanche.md):
///   flips[i][j] += number of keys k with bit j of hash(k) unlike bit j of hash(k XOR 2^i), i < 63.
/// Hashes of four words see the coordinate that the key encodes: flipping a coordinate's highest bit changes
/// its sign, and with it the upper bits of its word.
struct problem {
  hashing by = hashing::splitmix;
  std::int64_t samples = 0;                   ///< keys, below 2^31
  const std::int32_t* coordinates = nullptr;  ///< [samples][4]: batch, x, y, z; in range
  std::uint64_t* flips = nullptr;             ///< [64][32], zeroed beforehand
};

}  // namespace ablate::hash_avalanche
