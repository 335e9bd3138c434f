#include "oracles/hash_avalanche/reference.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "oracles/hash_table/key.h"

namespace ablate::hash_avalanche {
namespace {

// Flips and unpacks keys, where the kernels flip the words of coordinates.

using words = std::array<std::uint32_t, 4>;

words words_of(std::uint64_t key) {
  const auto coordinate = [&](int shift) {
    constexpr std::int64_t cells = 262144;
    const auto cell = static_cast<std::int64_t>(key >> shift & (cells - 1));
    return static_cast<std::uint32_t>(cell < cells / 2 ? cell : cell - cells);
  };
  return {static_cast<std::uint32_t>(key >> 54 & 511), coordinate(36), coordinate(18), coordinate(0)};
}

std::uint32_t finished(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6b;
  h ^= h >> 13;
  h *= 0xc2b2ae35;
  return h ^ h >> 16;
}

std::uint32_t splitmix(std::uint64_t key) { return static_cast<std::uint32_t>(mixed(key)); }

std::uint32_t murmur(std::uint64_t key) {
  std::uint32_t h = 0x9747b28c;
  for (const std::uint32_t word : words_of(key)) {
    h ^= std::rotl(word * 0xcc9e2d51u, 15) * 0x1b873593u;
    h = std::rotl(h, 13) * 5 + 0xe6546b64u;
  }
  return finished(h ^ sizeof(words));
}

std::uint32_t city(std::uint64_t key) {
  std::uint32_t h = 0;
  for (const std::uint32_t word : words_of(key)) h = finished(h + word * 0x9e3779b9u);
  return h;
}

std::uint32_t fnv(std::uint64_t key) {
  std::uint32_t h = 2166136261;
  for (const std::uint32_t word : words_of(key)) h = (h ^ word) * 16777619;
  return h;
}

std::uint32_t fibonacci(std::uint64_t key) {
  return static_cast<std::uint32_t>(key * 0x9e3779b97f4a7c15 / (std::uint64_t{1} << 32));
}

std::uint32_t identity(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

std::uint32_t second(std::uint64_t key) {
  key = (key ^ key >> 33) * 0xff51afd7ed558ccd;
  return static_cast<std::uint32_t>(key ^ key >> 33);
}

/// Counts set bits of 32-bit words by position: eight one-byte counters in each 64-bit word, emptied before
/// any can overflow.
class bit_counter {
 public:
  void add(std::uint32_t word) {
    for (std::size_t byte = 0; byte < 4; ++byte) bytes_[byte] += spread(word >> 8 * byte & 255);
    if (++added_ == 255) empty();
  }
  void empty() {
    for (std::size_t j = 0; j < output_bits; ++j) counts_[j] += bytes_[j / 8] >> 8 * (j % 8) & 255;
    bytes_ = {};
    added_ = 0;
  }
  const std::array<std::uint64_t, output_bits>& counts() const { return counts_; }

 private:
  /// Spreads bit i of a byte to byte i, as 1 or 0.
  static std::uint64_t spread(std::uint32_t byte) {
    static const std::array<std::uint64_t, 256> table = [] {
      std::array<std::uint64_t, 256> all{};
      for (std::size_t value = 0; value < 256; ++value)
        for (std::size_t i = 0; i < 8; ++i) all[value] |= std::uint64_t{value >> i & 1} << 8 * i;
      return all;
    }();
    return table[byte];
  }

  std::array<std::uint64_t, 4> bytes_{};
  int added_ = 0;
  std::array<std::uint64_t, output_bits> counts_{};
};

template <class Hash>
void count_flips(const problem& p, Hash hash) {
  std::array<bit_counter, key_bits> counters;
  for (std::int64_t i = 0; i < p.samples; ++i) {
    const std::uint64_t key = hash_table::packed_key(p.coordinates + 4 * i);
    const std::uint32_t value = hash(key);
    for (std::size_t bit = 0; bit < key_bits; ++bit)
      counters[bit].add(value ^ hash(key ^ std::uint64_t{1} << bit));
  }
  for (std::size_t bit = 0; bit < key_bits; ++bit) {
    counters[bit].empty();
    for (std::size_t j = 0; j < output_bits; ++j) p.flips[output_bits * bit + j] += counters[bit].counts()[j];
  }
}

/// Calls `use(hash)` with the function itself, so that it is inlined.
template <class Use>
auto with_hash(hashing by, Use use) {
  switch (by) {
    case hashing::murmur:
      return use([](std::uint64_t key) { return murmur(key); });
    case hashing::city:
      return use([](std::uint64_t key) { return city(key); });
    case hashing::fnv:
      return use([](std::uint64_t key) { return fnv(key); });
    case hashing::fibonacci:
      return use([](std::uint64_t key) { return fibonacci(key); });
    case hashing::identity:
      return use([](std::uint64_t key) { return identity(key); });
    case hashing::second:
      return use([](std::uint64_t key) { return second(key); });
    case hashing::splitmix:
      break;
  }
  return use([](std::uint64_t key) { return splitmix(key); });
}

}  // namespace

std::uint32_t hash_of(hashing by, std::uint64_t key) {
  return with_hash(by, [&](auto hash) { return hash(key); });
}

void reference(const problem& p) {
  with_hash(p.by, [&](auto hash) { count_flips(p, hash); });
}

flip_shares shares_of(const problem& p) {
  flip_shares shares{.least = 1};
  for (std::size_t i = 0; i < std::size_t{key_bits} * output_bits; ++i) {
    const double share = static_cast<double>(p.flips[i]) / static_cast<double>(p.samples);
    shares.least = std::min(shares.least, share);
    shares.most = std::max(shares.most, share);
    shares.mean += share / (key_bits * output_bits);
    shares.worst_deviation = std::max(shares.worst_deviation, std::abs(share - 0.5));
  }
  return shares;
}

}  // namespace ablate::hash_avalanche
