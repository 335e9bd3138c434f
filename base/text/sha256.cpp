#include "base/text/sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace ablate::reports {
namespace {

using word = std::uint32_t;
constexpr std::size_t block_bytes = 64;

/// The standard's constants: the first 32 fractional bits of the roots of the first primes.
struct constants {
  std::array<word, 8> start{};    ///< of square roots
  std::array<word, 64> rounds{};  ///< of cube roots

  constants() {
    std::size_t found = 0;
    for (unsigned n = 2; found < rounds.size(); ++n) {
      bool is_prime = true;
      for (unsigned d = 2; d * d <= n; ++d) is_prime &= n % d != 0;
      if (!is_prime) continue;
      if (found < start.size()) start[found] = behind_point(std::sqrt(static_cast<long double>(n)));
      rounds[found++] = behind_point(std::cbrt(static_cast<long double>(n)));
    }
  }

 private:
  static word behind_point(long double root) {
    constexpr long double two_to_32 = 4294967296.0L;
    return static_cast<word>((root - std::floor(root)) * two_to_32);
  }
};

void add_block(const unsigned char* block, const constants& of, std::array<word, 8>& to) {
  std::array<word, 64> w{};
  for (std::size_t i = 0; i < 16; ++i)
    w[i] = word{block[4 * i]} << 24 | word{block[4 * i + 1]} << 16 | word{block[4 * i + 2]} << 8 |
           block[4 * i + 3];
  for (std::size_t i = 16; i < w.size(); ++i) {
    const word a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = to;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const word first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                       of.rounds[i] + w[i];
    const word second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const std::array<word, 8> sums = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += sums[i];
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    word three = 0;
    for (std::size_t i = at; i < at + 3; ++i)
      three = three << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      out += at + i <= bytes.size() ? digits[three >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

std::array<word, 8> sums_of(std::string_view text) {
  static const constants of;
  std::array<word, 8> sums = of.start;
  std::size_t at = 0;
  for (; at + block_bytes <= text.size(); at += block_bytes)
    add_block(reinterpret_cast<const unsigned char*>(text.data()) + at, of, sums);
  std::string rest(text.substr(at));
  rest += '\x80';
  while (rest.size() % block_bytes != block_bytes - 8) rest += '\0';
  const std::uint64_t bits = 8 * std::uint64_t{text.size()};
  for (int shift = 56; shift >= 0; shift -= 8) rest += static_cast<char>(bits >> shift & 0xff);
  for (at = 0; at < rest.size(); at += block_bytes)
    add_block(reinterpret_cast<const unsigned char*>(rest.data()) + at, of, sums);
  return sums;
}

}  // namespace

std::string sha256_base64(std::string_view text) {
  std::string bytes;
  for (const word sum : sums_of(text))
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(sum >> shift & 0xff);
  return base64(bytes);
}

std::string sha256_hex(std::string_view text) {
  std::string digits;
  for (const word sum : sums_of(text)) digits += fmt::format("{:08x}", sum);
  return digits;
}

}  // namespace ablate::reports
