#include "kernels/compression_attention/view.cuh"

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
      key_rows(p.attended_rows()),
      key_stride(p.key_stride()),
      heads(static_cast<int>(p.heads)),
      selected(p.selected),
      by_index(p.by_index),
      first_listed(static_cast<unsigned>(p.first_listed)),
      chunk_rows(p.attending_rows()),
      first_row(p.first_query),
      padded_rows(p.padded_rows()),
      kept(p.kept),
      multiplies_int8(p.multiplies_int8),
      int8(p.int8),
      scale_log2(static_cast<float>(std::log2(std::exp(1.0)) / std::sqrt(width))) {}

}  // namespace ablate::compression_attention
