#include "kernels/selection_attention/view.cuh"

#include <bit>
#include <cmath>

namespace ablate::selection_attention {

view::view(const problem& p, bool by_head)
    : q(reinterpret_cast<const unsigned char*>(p.q)),
      k(reinterpret_cast<const unsigned char*>(p.k)),
      v(reinterpret_cast<const unsigned char*>(p.v)),
      table(p.table),
      compressed(reinterpret_cast<const unsigned char*>(p.compressed)),
      gates(reinterpret_cast<const float2*>(p.gates)),
      out(reinterpret_cast<unsigned char*>(p.out)),
      ungated(reinterpret_cast<unsigned char*>(p.ungated)),
      lse(p.lse),
      tokens(p.tokens),
      heads(static_cast<int>(p.heads)),
      heads_of_gates(static_cast<int>(p.heads_of_gates > 0 ? p.heads_of_gates : p.heads)),
      selected(p.selected),
      blocks(static_cast<int>(p.blocks())),
      tiles(static_cast<int>(p.tokens / tile)),
      forced_blocks(p.forced_blocks()),
      lowest_entry(p.lowest_entry()),
      dense_blocks(p.dense_blocks()),
      log2_in_block(std::countr_zero(static_cast<unsigned>(p.block / tile))),
      by_head(by_head),
      scale_log2(static_cast<float>(std::log2(std::exp(1.0)) / std::sqrt(width))) {}

}  // namespace ablate::selection_attention
