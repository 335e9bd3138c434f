#include "harness/inputs/files/scalar_type.h"

#include <bit>
#include <cmath>
#include <limits>

namespace ablate {
namespace {

double value_of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  double magnitude;
  if (exponent == 0x1f)
    magnitude =
        fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, -24);
  else
    magnitude = std::ldexp(0x400 + fraction, exponent - 25);
  return std::copysign(magnitude, (bits & 0x8000) != 0 ? -1.0 : 1.0);
}

}  // namespace

std::optional<scalar_type> scalar_of(char letter, std::uint64_t bytes, bool is_big_endian) {
  const bool is_floating = letter == 'f', is_signed = letter == 'i', is_unsigned = letter == 'u';
  if (!is_floating && !is_signed && !is_unsigned) return std::nullopt;
  if (bytes > 8 || !std::has_single_bit(bytes) || (is_floating && bytes == 1)) return std::nullopt;
  return scalar_type{is_floating ? scalar_type::kind::floating
                     : is_signed ? scalar_type::kind::signed_integer
                                 : scalar_type::kind::unsigned_integer,
                     static_cast<std::uint8_t>(bytes), is_big_endian};
}

double value_of(const char* first, const scalar_type& type) {
  std::uint64_t bits = 0;
  for (int i = 0; i < type.bytes; ++i) {
    const int place = type.is_big_endian ? type.bytes - 1 - i : i;
    bits |= std::uint64_t{static_cast<unsigned char>(first[i])} << 8 * place;
  }
  switch (type.of) {
    case scalar_type::kind::floating:
      if (type.bytes == 8) return std::bit_cast<double>(bits);
      if (type.bytes == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      return value_of_half(static_cast<std::uint16_t>(bits));
    case scalar_type::kind::signed_integer: {
      const int unused = 64 - 8 * type.bytes;
      return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
    }
    case scalar_type::kind::unsigned_integer:
      break;
  }
  return static_cast<double>(bits);
}

}  // namespace ablate
