#pragma once

#include <cstdint>
#include <string_view>

namespace ablate {

/// splitmix64. Its initial state depends on the seed and the purpose, so no two uses of one seed share
/// numbers.
class random_stream {
 public:
  random_stream(std::uint64_t seed, std::string_view purpose) : state_(start(seed, purpose)) {}

  std::uint64_t next() {
    state_ += increment;
    return mix(state_);
  }

  /// Uniform in [0, bound), without bias (Lemire's multiplication with rejection). bound > 0.
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = (next() >> 32) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t smallest_fair = (0u - bound) % bound;
      while (static_cast<std::uint32_t>(product) < smallest_fair) product = (next() >> 32) * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Nearly Gaussian, mean 0, standard deviation 1, never beyond ±6: the sum of twelve uniform 16-bit
  /// numbers.
  double normal() {
    std::int64_t sum = 0;
    for (int i = 0; i < 3; ++i)
      for (std::uint64_t bits = next(), part = 0; part < 4; ++part, bits >>= 16) sum += bits & 0xffff;
    return static_cast<double>(sum - 6 * 0xffff) * 0x1p-16;
  }

 private:
  static constexpr std::uint64_t increment = 0x9e3779b97f4a7c15;

  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  static constexpr std::uint64_t start(std::uint64_t seed, std::string_view purpose) {
    std::uint64_t state = mix(seed + increment);
    for (const char letter : purpose) state = mix(state ^ static_cast<unsigned char>(letter));
    return state;
  }

  std::uint64_t state_;
};

}  // namespace ablate
