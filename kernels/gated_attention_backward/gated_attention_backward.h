#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/block_pooling_backward/block_pooling_backward.h"
#include "kernels/compression_attention_backward/compression_attention_backward.h"
#include "kernels/gated_attention/gated_attention.h"
#include "kernels/global_attention_backward/global_attention_backward.h"
#include "kernels/selection_attention_backward/selection_attention_backward.h"

namespace ablate::gated_attention_backward {

using global_attention_backward::gradients;
using global_attention_backward::phase;
using global_attention_backward::width;

/// The layer of gated_attention, trained: forward, with all that its gradients need saved, and backward
/// (docs/operations/gated_attention_backward.md; Speed3R, supplement, §1.1), where the first frame's blocks
/// compete as all others do. Of dO, the gradient of the layer's output:
///   1. Lists transposed: which query blocks name a key block (list_transpose.h).
///   2. Gate: dγ_c = ⟨dO, C⟩ and dγ_s = ⟨dO, S⟩ of each token and head, dC = Σ γ_c·dO over a block, and what
///      the selection's gradients need of each query.
///   3. Compression: dq̄, dk̄ and dv̄ of attention among pooled rows.
///   4. Selection: dQ, dK and dV of attention to the tokens of the lists' blocks, of γ_s·dO.
///   5. Pooling: each token of a block gets 1/b of what the block's mean has: dQ += dq̄/b, and so on.
/// Lists are constants: no gradient passes through the choice of blocks. Gates are inputs here, so a gate's
/// gradient is that of its value, not yet of what a sigmoid was taken of. Gates are above 0, inputs finite.
///
/// Attention among pooled rows is of windows of whole tiles of 128 rows: they are moved where they are not
/// (compression_attention_backward.h).

struct problem : global_attention_backward::backward_pass {
  gated_attention::problem forward;

  float* gate_gradients = nullptr;                          ///< [tokens][heads][2]: dγ_c, dγ_s
  std::uint16_t* compressed_gradient = nullptr;             ///< bf16 [heads][blocks][64]: dC
  std::array<std::uint16_t*, gradients> pooled_gradient{};  ///< as above: dq̄, dk̄, dv̄
  void* moved = nullptr;                                    ///< moved_rows_bytes(problem)
  std::int64_t* offsets = nullptr;                          ///< the transposed lists (list_transpose.h)
  std::int32_t* queries = nullptr;
  void *count_memory = nullptr, *sort_memory = nullptr;
  float* statistics = nullptr;  ///< [heads][tokens][2]: what the selection's gradients need of a query
  void* pieces = nullptr;       ///< selection_attention_backward::piece_memory_bytes

  /// Pooled rows of a head, and whole tiles of them.
  std::int64_t padded_rows() const { return compression_attention_backward::padded_rows(forward.blocks()); }
  bool moves_rows() const { return padded_rows() != forward.blocks(); }
};

/// Pooled rows in whole tiles, zeros past the last one.
struct moved_rows {
  std::array<std::uint16_t*, 5> of{};                ///< bf16 [heads][padded rows][64]: q̄, k̄, v̄, C, dC
  float* lse = nullptr;                              ///< [heads][padded rows]
  std::array<std::uint16_t*, gradients> gradient{};  ///< dq̄, dk̄, dv̄
};
moved_rows cut_moved_rows(const problem&, std::size_t* bytes = nullptr);
std::size_t moved_rows_bytes(const problem&);  ///< 0 where rows stay where they are

}  // namespace ablate::gated_attention_backward
