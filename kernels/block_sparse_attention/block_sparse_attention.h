#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/block_sparse_attention/patch_order.h"
#include "kernels/block_sparse_selection/block_means.h"
#include "kernels/block_sparse_selection/block_sparse_selection.h"
#include "kernels/compression_attention/compression_attention.h"
#include "kernels/global_attention/global_attention.h"

namespace ablate::block_sparse_attention {

/// Global attention to kept blocks, published without training (Block-Sparse attention, arXiv 2509.07120),
/// forward (docs/operations/block_sparse_attention.md):
///   1. Means of 128 queries and of 64 keys in turn, each in bf16 (block_means.h).
///   2. Per block of queries, the key blocks with the greatest scores of means, as many as the mass of their
///      softmax and their number require (block_sparse_selection.h).
///   3. Attention of the block's queries to all tokens of those, and to the special tokens, which are in no
///      block; special tokens attend to all. With int8 products, as published, scores are those of q and k
///      rounded to int8 (int8_rows.h); those of special tokens' queries stay in bf16.
/// Blocks are of tokens as they are, or in another order of each image's patches (patch_order.h): then q, k
/// and v are moved into it ahead of all, and O and the log-sum-exp back from it.

using global_attention::phase;
using global_attention::width;

constexpr std::size_t tensors = 3;  ///< q, k, v

struct problem : global_attention::prepared_layer {  ///< lists: bits
  int mass_percent = 70, kept_percent = 50;          ///< block_sparse_selection.h
  patch_order order = patch_order::natural;
  bool multiplies_int8 = false;

  std::uint16_t* query_means = nullptr;           ///< bf16 [heads][blocks of 128][64]: q̄
  std::uint16_t* key_means = nullptr;             ///< bf16 [heads][blocks of 64][64]: k̄
  std::uint32_t* kept = nullptr;                  ///< block_sparse_selection::problem::kept
  std::int32_t* kept_counts = nullptr;            ///< block_sparse_selection::problem::counts
  const std::int32_t* order_table = nullptr;      ///< patches_in_order
  std::array<std::uint16_t*, tensors> ordered{};  ///< as q, k, v, in the order of blocks
  std::uint16_t* ordered_out = nullptr;           ///< as `out`, in the order of blocks
  float* ordered_lse = nullptr;                   ///< as `lse`, in the order of blocks
  compression_attention::int8_rows int8;
  float *key_sums = nullptr, *key_mean = nullptr;  ///< compression_attention::quantization's
  void* scratch = nullptr;                         ///< of the choice: scores, where they are sorted

  bool moves_tokens() const { return order != patch_order::natural; }
};

/// The parts as problems of the operations that compute them, in the layer's memory: the layer of tokens in
/// the order of blocks, where they are moved; and of such a layer, rows as int8, means of q and of k, the
/// choice by them, and attention to what it keeps.
problem in_order(const problem&);
compression_attention::quantization quantization_of(const problem&);
block_sparse_selection::block_means query_means_of(const problem&);
block_sparse_selection::block_means key_means_of(const problem&);
block_sparse_selection::problem choice_of(const problem&);
compression_attention::problem kept_of(const problem&);

}  // namespace ablate::block_sparse_attention
