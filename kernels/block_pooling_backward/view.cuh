#pragma once

#include "kernels/block_pooling/view.cuh"
#include "kernels/block_pooling_backward/block_pooling_backward.h"

namespace ablate::block_pooling_backward {

using block_pooling::row_bytes;
using block_pooling::row_piece;
using block_pooling::row_place;
using block_pooling::stored_piece;
using block_pooling::threads_of_block;

/// The problem as passed to a kernel.
struct view {
  block_pooling::view rows;  ///< inputs, norm, rotations, places; means
  const unsigned char *pooled_gradient[tensors], *token_gradient[tensors];
  unsigned char* gradient[tensors];
  float* mean_gradients[2];

  view(const problem&, bool heads_adjacent);

  __device__ const unsigned char* pooled_row(int which, const row_place& at) const {
    return pooled_gradient[which] + (static_cast<long long>(at.head) * rows.blocks + at.row) * row_bytes;
  }
  __device__ const unsigned char* token_row(int which, const row_place& at) const {
    return token_gradient[which] + (static_cast<long long>(at.head) * rows.tokens + at.row) * row_bytes;
  }
  __device__ unsigned char* gradient_row(int which, const row_place& at) const {
    return gradient[which] + at.head * rows.head_bytes + at.row * rows.token_bytes;
  }
  __device__ float* mean_gradient_row(int which, const row_place& at) const {
    return mean_gradients[which] + (static_cast<long long>(at.head) * rows.blocks + at.row) * width;
  }
};

/// What the gradients of means are added to.
enum class added { nothing, given_tokens, gradients };

/// dx of tensor `which` and those after it, `count` of them, where nothing is normalized (spread.cu): 1/b of
/// the gradient of each token's block, and what is given of the token itself.
void spread_pooled(launcher&, const view&, const block_layout&, int load_bytes, bool adds, int which,
                   int count);

}  // namespace ablate::block_pooling_backward
