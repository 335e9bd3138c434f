#pragma once

#include <cstdint>
#include <optional>

namespace ablate {

/// A number as a file stores it.
struct scalar_type {
  enum class kind : std::uint8_t { floating, signed_integer, unsigned_integer };
  kind of = kind::floating;
  std::uint8_t bytes = 4;  ///< 1, 2, 4 or 8; of floating ones 2, 4 or 8
  bool is_big_endian = false;
};

/// By NumPy's letter, f, i or u, and a size. Nothing if there is no such type.
std::optional<scalar_type> scalar_of(char letter, std::uint64_t bytes, bool is_big_endian = false);

/// The number that begins here. Exact, except for integers beyond 2^53: the nearest double.
double value_of(const char* first, const scalar_type&);

}  // namespace ablate
