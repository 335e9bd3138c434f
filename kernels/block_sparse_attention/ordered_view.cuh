#pragma once

#include "kernels/block_sparse_attention/block_sparse_attention.h"

namespace ablate::block_sparse_attention {

/// Tokens in another order of the patches of each image, as passed to a kernel.
struct ordered_view {
  const std::int32_t* table;
  int patches_of_image;
  long long patches, tokens, rows;  ///< rows: of all heads

  explicit ordered_view(const problem& p)
      : table(p.order_table),
        patches_of_image(p.layout().is_cut() ? block_layout::patches_of_vggt : block_layout::tokens_of_s3r),
        patches(p.layout().patches()),
        tokens(p.tokens),
        rows(p.heads * p.tokens) {}

  /// The row whose token is at `row` of the order.
  __device__ long long token_row(long long row) const {
    const long long place = row % tokens;
    if (place >= patches) return row;
    const auto in_image = static_cast<int>(place % patches_of_image);
    return row - in_image + __ldg(table + in_image);
  }
};

}  // namespace ablate::block_sparse_attention
