// How many rows two_pass.cu writes the scores of at a time.
#include <algorithm>

#include "kernels/compression_attention/compression_attention.h"

namespace ablate::compression_attention {

std::int64_t rows_of_chunk(const problem& p) {
  constexpr std::int64_t most_bytes = std::int64_t{16} << 30;
  const std::int64_t bytes_of_tile = p.heads * tile_queries * p.padded_rows() * 4;
  const std::int64_t tiles = (p.rows + tile_queries - 1) / tile_queries;
  return tile_queries * std::clamp<std::int64_t>(most_bytes / bytes_of_tile, 1, tiles);
}

std::size_t scratch_bytes(const problem& p) {
  return p.lists ? static_cast<std::size_t>(p.heads * rows_of_chunk(p) * p.padded_rows()) * 4 : 0;
}

}  // namespace ablate::compression_attention
