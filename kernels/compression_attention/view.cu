#include "kernels/compression_attention/view.cuh"

#include <algorithm>
#include <cmath>

namespace ablate::compression_attention {

view::view(const problem& p)
    : q(reinterpret_cast<const unsigned char*>(p.q)),
      k(reinterpret_cast<const unsigned char*>(p.k)),
      v(reinterpret_cast<const unsigned char*>(p.v)),
      out(reinterpret_cast<unsigned char*>(p.out)),
      lse(p.lse),
      table(p.table),
      scores(static_cast<float*>(p.scratch)),
      rows(p.rows),
      heads(static_cast<int>(p.heads)),
      selected(p.selected),
      by_index(p.by_index),
      chunk_rows(p.rows),
      first_row(0),
      padded_rows((p.rows + tile_keys - 1) / tile_keys * tile_keys),
      scale_log2(static_cast<float>(std::log2(std::exp(1.0)) / std::sqrt(width))) {}

std::int64_t rows_of_chunk(const problem& p) {
  constexpr std::int64_t most_bytes = std::int64_t{16} << 30;
  const std::int64_t of_tile = p.heads * tile_queries * view(p).padded_rows * 4;
  return tile_queries *
         std::clamp<std::int64_t>(most_bytes / of_tile, 1, (p.rows + tile_queries - 1) / tile_queries);
}

std::size_t scratch_bytes(const problem& p) {
  return p.lists ? static_cast<std::size_t>(p.heads * rows_of_chunk(p) * view(p).padded_rows) * 4 : 0;
}

}  // namespace ablate::compression_attention
