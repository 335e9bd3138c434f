#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ablate {

/// Whether this build has liblzf, which unpacks what PCD calls binary_compressed.
bool has_lzf();

/// What so few bytes cannot unpack to more than.
std::uint64_t max_lzf_bytes(std::uint64_t packed_bytes);

/// Unpacks exactly `bytes` (at most max_lzf_bytes, and 2^32 - 1); nothing if the packed ones are broken, or
/// this build has no liblzf.
std::optional<std::string> unpack_lzf(std::string_view packed, std::uint64_t bytes);

}  // namespace ablate
