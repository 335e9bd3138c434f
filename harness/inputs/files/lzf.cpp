#include "harness/inputs/files/lzf.h"

#if ABLATE_HAS_LZF
#include <lzf.h>
#endif

namespace ablate {

bool has_lzf() { return ABLATE_HAS_LZF; }

std::uint64_t max_lzf_bytes(std::uint64_t packed_bytes) {
  return packed_bytes * 88;  // a reference to earlier bytes takes 3, and repeats at most 264
}

std::optional<std::string> unpack_lzf([[maybe_unused]] std::string_view packed,
                                      [[maybe_unused]] std::uint64_t bytes) {
#if ABLATE_HAS_LZF
  std::string out(bytes, '\0');
  const unsigned int unpacked = lzf_decompress(packed.data(), static_cast<unsigned int>(packed.size()),
                                               out.data(), static_cast<unsigned int>(bytes));
  if (unpacked == bytes) return out;
#endif
  return std::nullopt;
}

}  // namespace ablate
