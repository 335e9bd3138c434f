#pragma once

#include <cstdint>

#include "kernels/block_pooling/block_pooling.h"

namespace ablate::block_pooling_backward {

using block_pooling::tensors;
using block_pooling::width;

/// The gradients of pooled rows, taken back to the tokens that they are of: the adjoint of block_pooling
/// (docs/operations/block_pooling_backward.md). Each of a block's b tokens receives 1/b of what its mean
/// does:
///   mode::post: dx_t = 1/b · dp of its block.
///   mode::pre: of q and k, dx_t = 1/b · N'(R'(dp)), back through the rotation at the block's position and
///   the norm of the mean of its raw rows; of v, as mode::post.
/// R' rotates the other way. With y = (x − mean) / σ of a row of 64, σ² = variance + 1e-5, and weights w, N'
/// takes g = w·dy to (g − mean(g) − y·mean(g·y)) / σ. Weights of the norm are constants here.
///
/// `given` says which gradients there are:
/// - pooled: those of pooled rows alone. Tokens in no block (block_layout.h, vggt) have none: 0.
/// - added: those of the inputs from elsewhere, too, such as the selection branch's; they are added.
/// - tokens: pooling wrote the normalized and rotated rows of all tokens as well, and their gradients are
///   given. Of q and k these go back through rotation and norm of each token, in mode::post together with
///   what comes from its block; of v they are added.
///
/// Sums are fp32, inputs and outputs bf16; each element is rounded once. A row of x with NaN has NaN as its
/// gradient wherever it is normalized: in mode::pre all tokens of its block.

enum class given { pooled, added, tokens };

struct problem {
  /// Sizes, layout, mode, inputs, norm and rotations; `writes_tokens` where given::tokens. Its outputs
  /// are unused, except for `means`: scratch as there, in separate launches.
  block_pooling::problem pooling;
  block_pooling_backward::given given = given::pooled;

  const std::uint16_t* pooled_gradient[tensors] = {};  ///< bf16 [heads][blocks][64] each
  /// bf16 [heads][tokens][64] each; null unless given.
  const std::uint16_t* token_gradient[tensors] = {};
  /// bf16, in the layout of the inputs. Where that is theirs, and nothing is normalized, it may be
  /// `token_gradient`.
  std::uint16_t* gradient[tensors] = {};
  /// Scratch, [2][heads][blocks][64]: gradients of the means of q and k; mode::pre in separate launches.
  float* mean_gradients = nullptr;

  bool normalizes() const { return pooling.normalizes(); }
};

}  // namespace ablate::block_pooling_backward
