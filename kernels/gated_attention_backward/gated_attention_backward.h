#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/block_pooling_backward/block_pooling_backward.h"
#include "kernels/compression_attention_backward/compression_attention_backward.h"
#include "kernels/gated_attention/gated_attention.h"
#include "kernels/selection_attention_backward/selection_attention_backward.h"

namespace ablate::gated_attention_backward {

using gated_attention::width;

/// A layer of global attention, trained: forward, with all that its gradients need saved, and backward
/// (docs/operations/gated_attention_backward.md; Speed3R, supplement, §1.1). Of dO, the gradient of the
/// layer's output:
///
/// dense: dQ, dK and dV of attention of all tokens to all.
///
/// block_sparse, s3r, in the natural order, by bf16: the same of the pairs of 128 queries and 64 keys that
/// the forward pass kept. Which pairs is constant. Tokens are whole query blocks.
///
/// sparse, where the first frame's blocks compete as all others do:
///   1. Lists turned around: which query blocks name a key block (selection_inversion.h).
///   2. Gate: dγ_c = ⟨dO, C⟩ and dγ_s = ⟨dO, S⟩ of each token and head, dC = Σ γ_c·dO over a block, and what
///      the selection's gradients need of each query.
///   3. Compression: dq̄, dk̄ and dv̄ of attention among pooled rows.
///   4. Selection: dQ, dK and dV of attention to the tokens of the lists' blocks, of γ_s·dO.
///   5. Pooling: each token of a block gets 1/b of what the block's mean has: dQ += dq̄/b, and so on.
/// Lists are constants: no gradient passes through the choice of blocks. Gates are inputs here, so a gate's
/// gradient is that of its value, not yet of what a sigmoid was taken of. Gates are above 0, inputs finite.
///
/// dense, and attention among pooled rows: windows of whole tiles of 128 rows. Tokens of a dense layer are
/// whole tiles; pooled rows are moved where they are not (compression_attention_backward.h).

enum class phase {
  attend,        ///< forward alone, ahead of a region that is backward alone
  train,         ///< forward and backward
  differentiate  ///< backward of what `attend` left
};

constexpr int gradients = 3;  ///< dQ, dK, dV
constexpr int rows_of_query_block = block_sparse_selection::query_block,
              rows_of_key_block = block_sparse_selection::key_block;

struct problem {
  gated_attention::problem forward;  ///< its phase is unused
  phase work = phase::train;

  const std::uint16_t* out_gradient = nullptr;       ///< dO, bf16 [heads][tokens][64]
  std::array<std::uint16_t*, gradients> gradient{};  ///< dQ, dK, dV, as dO
  float* gate_gradients = nullptr;                   ///< [tokens][heads][2]: dγ_c, dγ_s; sparse alone
  std::uint16_t* compressed_gradient = nullptr;      ///< bf16 [heads][blocks][64]: dC; sparse alone
  std::array<std::uint16_t*, gradients> pooled_gradient{};  ///< likewise: dq̄, dk̄, dv̄
  void* moved = nullptr;                                    ///< moved_rows_bytes(problem)
  void* row_scratch = nullptr;      ///< window_attention_backward::scratch_bytes(rows_of(problem))
  std::int64_t* offsets = nullptr;  ///< the lists turned around (selection_inversion.h); sparse alone
  std::int32_t* queries = nullptr;
  void *count_memory = nullptr, *sort_memory = nullptr;
  std::uint32_t* turned = nullptr;        ///< [heads][key_blocks()][query_words()]: bits; block_sparse alone
  std::int32_t* turned_counts = nullptr;  ///< [heads][key_blocks()], likewise
  float* statistics = nullptr;  ///< [heads][tokens][2]: what the selection's gradients need of a query
  void* pieces = nullptr;       ///< selection_attention_backward::piece_memory_bytes

  bool is_sparse() const { return forward.is_sparse(); }
  bool keeps_blocks() const { return forward.method == gated_attention::method::block_sparse; }
  std::int64_t query_blocks() const { return forward.tokens / rows_of_query_block; }
  std::int64_t key_blocks() const { return forward.tokens / rows_of_key_block; }
  std::int64_t key_words() const { return (key_blocks() + 31) / 32; }
  std::int64_t query_words() const { return (query_blocks() + 31) / 32; }
  /// Rows of a head that all attend to each other.
  std::int64_t rows() const { return is_sparse() ? forward.blocks() : forward.tokens; }
  std::int64_t padded_rows() const { return compression_attention_backward::padded_rows(rows()); }
  bool moves_rows() const { return padded_rows() != rows(); }
};

/// Pooled rows in whole tiles, zeros behind the last one.
struct moved_rows {
  std::array<std::uint16_t*, 5> of{};                ///< bf16 [heads][padded rows][64]: q̄, k̄, v̄, C, dC
  float* lse = nullptr;                              ///< [heads][padded rows]
  std::array<std::uint16_t*, gradients> gradient{};  ///< dq̄, dk̄, dv̄
};
moved_rows cut_moved_rows(const problem&, std::size_t* bytes = nullptr);
std::size_t moved_rows_bytes(const problem&);  ///< 0 where rows stay where they are

}  // namespace ablate::gated_attention_backward
