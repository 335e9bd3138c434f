#pragma once

#include <array>
#include <cstdint>

#include "kernels/common/mixed.h"

namespace ablate::hash_table {

/// 64-bit key of a coordinate: bit 63 set; bits 62 … 54 batch, 53 … 36 x, 35 … 18 y, 17 … 0 z, each modulo
/// its width. No key is zero.
std::uint64_t packed_key(const std::int32_t coordinate[4]);
std::array<std::int32_t, 4> unpacked_key(std::uint64_t key);
bool in_range(const std::int32_t coordinate[4]);

/// The inverse of `mixed` (mixed.h).
std::uint64_t unmixed(std::uint64_t mixed);

}  // namespace ablate::hash_table
