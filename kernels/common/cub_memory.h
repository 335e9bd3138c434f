#pragma once

#include <cstddef>
#include <cstdint>

namespace ablate {

/// Bytes of temporary memory for one of cub's device-wide algorithms: a radix sort of 4- or 8-byte keys in
/// double buffers, or a selection, of so many items. An upper bound that is known without a GPU: a word for
/// every digit of a tile of some thousand items, and some MiB that depend on the number of multiprocessors.
constexpr std::size_t cub_memory_bytes(std::int64_t items) {
  return (std::size_t{16} << 20) + static_cast<std::size_t>(items);
}

}  // namespace ablate
