#include "kernels/selection_attention_backward/view.cuh"

namespace ablate::selection_attention_backward {

view::view(const problem& p, const row_cut& cut)
    : attention(p.attention, true),
      out_gradient(reinterpret_cast<const unsigned char*>(p.out_gradient)),
      q_gradient(reinterpret_cast<unsigned char*>(p.q_gradient)),
      k_gradient(reinterpret_cast<unsigned char*>(p.k_gradient)),
      v_gradient(reinterpret_cast<unsigned char*>(p.v_gradient)),
      compressed_gradient(reinterpret_cast<unsigned char*>(p.compressed_gradient)),
      pooled_gradients{reinterpret_cast<const unsigned char*>(p.pooled_gradients[0]),
                       reinterpret_cast<const unsigned char*>(p.pooled_gradients[1]),
                       reinterpret_cast<const unsigned char*>(p.pooled_gradients[2])},
      gate_gradients(reinterpret_cast<float2*>(p.gate_gradients)),
      is_gated(p.attention.is_gated),
      statistics(reinterpret_cast<row_statistics*>(p.statistics)),
      offsets(reinterpret_cast<const long long*>(p.offsets)),
      queries(p.queries),
      query_sums(p.query_sums),
      key_sums(p.key_sums),
      pieces(cut_piece_memory(p)),
      cut(cut),
      share(1.0f / static_cast<float>(p.attention.block)),
      rows(inversion_of(p).rows()),
      max_pieces(cut.least == 0 ? 0 : selection_attention_backward::max_pieces(p)) {}

}  // namespace ablate::selection_attention_backward
