#pragma once

#include "kernels/block_pooling/block_pooling.h"
#include "kernels/block_pooling/row_piece.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"

namespace ablate::block_pooling {

constexpr int threads_of_block = 128;

/// What becomes of a block's rows.
enum class product {
  means,             ///< bf16
  fp32_means,        ///< to view::means, q and k alone
  normalized_means,  ///< mode::pre
  tokens_and_means,  ///< normalized tokens, and means of these: mode::post
  tokens_and_normalized_means
};
template <product Product>
constexpr bool writes_tokens = Product >= product::tokens_and_means;
template <product Product>
constexpr bool normalizes_means =
    Product == product::normalized_means || Product == product::tokens_and_normalized_means;

/// Where a patch or a block is in its image.
struct image_place {
  int column, row;

  /// Whichever a lane's elements are rotated by.
  template <class Piece>
  __device__ int of_lane() const {
    return Piece::is_of_column() ? column : row;
  }
};

/// A head's row: of a block, or of a token.
struct row_place {
  int head, row;
};

/// The problem as passed to a kernel.
struct view {
  const unsigned char* in[tensors];
  unsigned char *pooled[tensors], *of_tokens[tensors];
  float* means[2];  ///< of q and k
  const float *norm, *rotations;
  long long head_bytes, token_bytes;  ///< from one head, or token, of the inputs to the next
  int tokens, heads, blocks, block;
  bool heads_adjacent;  ///< one block's heads follow each other on the grid, not one head's blocks
  float inverse_block;

  view(const problem&, bool heads_adjacent);
  /// The same, with the normalized rows of all tokens as inputs.
  view of_written_tokens() const;

  __device__ const unsigned char* input_row(int which, int head, int token) const {
    return in[which] + head * head_bytes + token * token_bytes;
  }
  __device__ unsigned char* pooled_row(int which, const row_place& at) const {
    return pooled[which] + (static_cast<long long>(at.head) * blocks + at.row) * row_bytes;
  }
  __device__ unsigned char* token_row(int which, const row_place& at) const {
    return of_tokens[which] + (static_cast<long long>(at.head) * tokens + at.row) * row_bytes;
  }
  __device__ float* mean_row(int which, const row_place& at) const {
    return means[which] + (static_cast<long long>(at.head) * blocks + at.row) * width;
  }
  /// Weights and biases: of q, or of another tensor's, k.
  __device__ const float* norm_of(int which) const { return norm + (which == 0 ? 0 : 2 * width); }

  /// The place on the grid of a row, of `rows` a head.
  __device__ row_place place(int index, int rows) const {
    return heads_adjacent ? row_place{index % heads, index / heads} : row_place{index / rows, index % rows};
  }
  /// The first patch of the 16 that follow each other from a token on.
  __device__ static image_place first_patch(int token) {
    const int in_image = token / patch_block % blocks_of_image;
    return {4 * (in_image % columns_of_blocks), 4 * (in_image / columns_of_blocks)};
  }
  __device__ static image_place patch(int token) {
    const image_place first = first_patch(token);
    return {first.column + token % 4, first.row + token % patch_block / 4};
  }
  /// Its patches' mean, truncated: 1.5 beyond the mean of the first patches.
  __device__ image_place block_place(int index) const {
    const int count = block / patch_block;
    int columns = 0, rows = 0;
    for (int i = 0; i < count; ++i) {
      const image_place first = first_patch((index * count + i) * patch_block);
      columns += first.column;
      rows += first.row;
    }
    return {(2 * columns + 3 * count) / (2 * count), (2 * rows + 3 * count) / (2 * count)};
  }
};

/// Means of one tensor in one launch; lanes read `load_bytes` (4 or 16) at a time.
void pool_tensor(launcher&, const view&, int which, int load_bytes, product);

/// Means of blocks of 16 tokens or fewer (spans.cu).
void pool_cut_blocks(launcher&, const view&, const block_layout&);

}  // namespace ablate::block_pooling
