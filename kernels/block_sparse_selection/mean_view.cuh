#pragma once

#include "kernels/block_sparse_selection/block_means.h"
#include "kernels/block_sparse_selection/view.cuh"

namespace ablate::block_sparse_selection {

/// Means as passed to a kernel: a warp has a block.
struct mean_view {
  const unsigned char* rows;
  unsigned char* means;
  long long blocks_of_head, all_blocks, tokens, tokens_of_head;
  int block;

  explicit mean_view(const block_means& m)
      : rows(reinterpret_cast<const unsigned char*>(m.rows)),
        means(reinterpret_cast<unsigned char*>(m.means)),
        blocks_of_head(m.blocks()),
        all_blocks(m.heads * m.blocks()),
        tokens(m.tokens),
        tokens_of_head(m.tokens_of_head),
        block(m.block) {}

  /// The block of this thread's warp, among all heads'.
  __device__ long long block_of_warp() const {
    return blockIdx.x * static_cast<long long>(row_warps) + threadIdx.x / 32;
  }
  __device__ const unsigned char* first_row(long long number) const {
    return rows + (number / blocks_of_head * tokens_of_head + number % blocks_of_head * block) * row_bytes;
  }
  __device__ int tokens_of(long long number) const {
    const long long left = tokens - number % blocks_of_head * block;
    return left < block ? static_cast<int>(left) : block;
  }
  __device__ unsigned char* mean(long long number) const { return means + number * row_bytes; }
};

/// Where blocks may be those of patches, and others follow a head's means.
struct pooled_view : mean_view {
  long long means_of_head;
  block_layout patches;

  explicit pooled_view(const block_means& m)
      : mean_view(m), means_of_head(m.rows_of_means()), patches(m.patches) {}

  __device__ token_span span(long long number) const {
    const long long in_head = number % blocks_of_head;
    if (patches.tokens > 0) return patches.span(in_head);
    const long long left = tokens - in_head * block;
    return {in_head * block, left < block ? static_cast<int>(left) : block};
  }
  __device__ const unsigned char* first_row(long long number) const {
    return rows + (number / blocks_of_head * tokens_of_head + span(number).first) * row_bytes;
  }
  __device__ int tokens_of(long long number) const { return span(number).count; }
  __device__ unsigned char* mean(long long number) const {
    return means + (number / blocks_of_head * means_of_head + number % blocks_of_head) * row_bytes;
  }
};

inline dim3 grid_of(const mean_view& v) { return {blocks_for(v.all_blocks, row_warps), 1, 1}; }

}  // namespace ablate::block_sparse_selection
