// What variants leave in memory between their kernels: how many rows two_pass.cu writes the scores of at a
// time, and the maxima of recomputed.cu.
#include <algorithm>

#include "kernels/compression_attention/compression_attention.h"
#include "kernels/compression_attention/recomputed_tiles.h"

namespace ablate::compression_attention {

std::int64_t rows_of_chunk(const problem& p) {
  constexpr std::int64_t max_bytes = std::int64_t{16} << 30;
  const std::int64_t bytes_of_tile = p.heads * tile_queries * p.padded_rows() * 4;
  const std::int64_t tiles = (p.rows + tile_queries - 1) / tile_queries;
  return tile_queries * std::clamp<std::int64_t>(max_bytes / bytes_of_tile, 1, tiles);
}

std::size_t scratch_bytes(const problem& p) {
  if (!p.lists) return 0;
  const std::int64_t scores = p.heads * rows_of_chunk(p) * p.padded_rows();
  return static_cast<std::size_t>(std::max(scores, maxima_shape(p.rows).place(p.heads, 0, 0))) * 4;
}

}  // namespace ablate::compression_attention
