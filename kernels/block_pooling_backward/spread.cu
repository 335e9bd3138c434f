// Without normalization: dx_t = 1/b · dp of the token's block, plus the token's given gradient.
//   Each lane has a piece of a token's row, 16 or 4 bytes, and neighbors have the rows of one block: its
// gradient hits in L1 for all tokens except the first. A token outside of blocks keeps its given gradient, or
// gets 0.
// Should move: DRAM bytes a second, up to the chip's:
// all tokens written once.
#include "kernels/block_pooling_backward/view.cuh"

namespace ablate::block_pooling_backward {

/// blockIdx.y: tensor, from `first` on.
template <int Elements, added Added>
__global__ __launch_bounds__(threads_of_block) void spread_rows(const __grid_constant__ view v,
                                                                const __grid_constant__ block_layout layout,
                                                                int first) {
  const int which = first + static_cast<int>(blockIdx.y);
  const int index = static_cast<int>(blockIdx.x) * (threads_of_block / row_piece<Elements>::lanes) +
                    static_cast<int>(threadIdx.x) / row_piece<Elements>::lanes;
  if (index >= v.rows.heads * v.rows.tokens) return;
  const row_place at = v.rows.place(index, v.rows.tokens);
  row_piece<Elements> sum;
  if (at.row < layout.patches()) {
    const int block = static_cast<int>(layout.block_of(at.row));
    stored_piece<Elements> pooled;
    pooled.load(v.pooled_row(which, {at.head, block}));
    sum.add(pooled);
    sum.multiply(1.0f / static_cast<float>(layout.span(block).count));
  }
  if constexpr (Added == added::given_tokens) {
    stored_piece<Elements> given;
    given.load_written(v.token_row(which, at));
    sum.add(given);
  }
  sum.rounded().store(v.gradient_row(which, at));
}

template <int Elements, added Added>
void run_spread(launcher& to, const view& v, const block_layout& layout, int which, int count) {
  const long long rows = static_cast<long long>(v.rows.heads) * v.rows.tokens;
  launch(to, spread_rows<Elements, Added>,
         dim3(blocks_for(rows, threads_of_block / row_piece<Elements>::lanes), static_cast<unsigned>(count)),
         dim3(threads_of_block), 0, v, layout, which);
}

void spread_pooled(launcher& to, const view& v, const block_layout& layout, int load_bytes, bool adds,
                   int which, int count) {
  if (load_bytes == 4)
    (adds ? run_spread<2, added::given_tokens> : run_spread<2, added::nothing>)(to, v, layout, which, count);
  else
    (adds ? run_spread<8, added::given_tokens> : run_spread<8, added::nothing>)(to, v, layout, which, count);
}

}  // namespace ablate::block_pooling_backward
