#include "kernels/block_pooling/view.cuh"

namespace ablate::block_pooling {

view::view(const problem& p, bool heads_adjacent)
    : norm(p.norm),
      rotations(p.rotations),
      head_bytes(2 * p.head_stride()),
      token_bytes(2 * p.token_stride()),
      tokens(static_cast<int>(p.tokens)),
      heads(static_cast<int>(p.heads)),
      blocks(static_cast<int>(p.blocks())),
      block(p.block),
      heads_adjacent(heads_adjacent),
      inverse_block(1.0f / static_cast<float>(p.block)) {
  for (std::size_t i = 0; i < tensors; ++i) {
    in[i] = reinterpret_cast<const unsigned char*>(p.in[i]);
    pooled[i] = reinterpret_cast<unsigned char*>(p.pooled[i]);
    of_tokens[i] = reinterpret_cast<unsigned char*>(p.of_tokens[i]);
  }
  means[0] = p.means;
  means[1] = p.means == nullptr ? nullptr : p.means + p.heads * p.blocks() * width;
}

view view::of_written_tokens() const {
  view written = *this;
  for (int i = 0; i < tensors; ++i) written.in[i] = of_tokens[i];
  written.token_bytes = row_bytes;
  written.head_bytes = static_cast<long long>(tokens) * row_bytes;
  return written;
}

}  // namespace ablate::block_pooling
