#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/list_transpose/list_transpose.h"
#include "kernels/selection_attention/selection_attention.h"

namespace ablate::selection_attention_backward {

using selection_attention::width;

/// The gradients of selection_attention (docs/operations/selection_attention_backward.md; Speed3R,
/// supplement, §1.1). With c = 1 / √64, over the pairs of a query and a key of a block in its list alone, P =
/// exp(c·Q·Kᵀ − lse), Δ = row sums of dO∘O and dS = P∘(dO·Vᵀ − Δ):
///   dV = Pᵀ·dO, dQ = c·dS·K, dK = c·dSᵀ·Q.
/// Lists are constants: no gradient passes through the choice of blocks. Sums in fp32, outputs in bf16.
///
/// Where attention is gated, dO is that of γ_c·C + γ_s·O, with the row C of a query's block and two gates a
/// token and head. All of the above is then of γ_s·dO instead of dO, and moreover
///   dγ_c = ⟨dO, C⟩, dγ_s = ⟨dO, O⟩, dC = Σ γ_c·dO over the queries of a block.
/// Nothing of the size of dO is made for that: with log2 γ_s taken off lse · log2(e), and dγ_s instead
/// of Δ, P and dS are γ_s times what they were.
///
/// Where blocks were pooled as well, each of a block's b tokens gets 1/b of what its mean's gradient is
/// (block_pooling_backward.h, mode post), in the same store: `pooled_gradients`.
///
/// A query without keys has dQ = 0, keys of a block that no list names have dK = dV = 0. Inputs are finite,
/// gates above 0, and the first frame's blocks compete as all others do.
///
/// dQ is a sum over a list, dK and dV are sums over a row of the transposed lists
/// (list_transpose.h), which may be as long as a head has query blocks.

enum class phase {
  /// What needs no lists: the statistics and, where attention is gated, gradients of gates and of compressed
  /// rows.
  prepare,
  differentiate  ///< everything, or all that `prepare` left
};

struct problem {
  /// Sizes, lists, Q, K and V; its `out`, which is not gated, and `lse` are inputs here, and so are
  /// `compressed` and `gates` where it is gated.
  selection_attention::problem attention;
  bool inverts = false;      ///< the lists are turned around in the timed region, not ahead of it
  bool is_prepared = false;  ///< phase prepare ran before
  /// In two_pass: sums of pieces wait in dQ's place, which is written last; where fit_in_query_gradient says
  /// so.
  bool pieces_in_query_gradient = false;
  phase work = phase::differentiate;

  const std::uint16_t* out_gradient = nullptr;  ///< dO, bf16 [heads][tokens][64]
  std::int64_t* offsets = nullptr;              ///< the transposed lists: [heads · blocks + 1]
  std::int32_t* queries = nullptr;              ///< as above, [heads · blocks · selected]
  void* count_memory = nullptr;                 ///< for turning them around

  std::uint16_t *q_gradient = nullptr, *k_gradient = nullptr, *v_gradient = nullptr;  ///< bf16, as dO

  /// bf16 [heads][blocks][64] each: gradients of means of Q, K and V; null: nothing is added.
  const std::uint16_t* pooled_gradients[3] = {};

  float* gate_gradients = nullptr;               ///< [tokens][heads][2]: dγ_c and dγ_s; gated alone
  std::uint16_t* compressed_gradient = nullptr;  ///< bf16 [heads][blocks][64]: dC; gated alone

  float* statistics = nullptr;  ///< [heads][tokens][2]: lse · log2(e), and Δ; less log2 γ_s, and dγ_s
  void* pieces = nullptr;       ///< piece_memory_bytes(problem)
  float* query_sums = nullptr;  ///< [heads][tokens][64]: dQ / c, where reductions add it up
  float* key_sums = nullptr;    ///< [2][heads][tokens][64]: dK / c and dV, the same

  ABLATE_ON_BOTH std::int64_t rows() const { return attention.heads * attention.tokens; }
};

/// The lists of the problem as those to be turned around.
list_transpose::problem inversion_of(const problem&);

/// How a row of the transposed lists is cut: one of at least 2 · `least` entries into as many pieces as
/// have `least` at least, which are as equal as can be. So all rows together have at most
/// entries / least pieces.
struct row_cut {
  int least;  ///< entries; 0: no row is cut

  ABLATE_ON_BOTH std::int64_t pieces(std::int64_t entries) const {
    return least == 0 || entries < 2 * std::int64_t{least} ? 0 : entries / least;
  }
  /// Where a piece begins among its row's entries; that past the last one, where they end.
  ABLATE_ON_BOTH static std::int64_t begin(std::int64_t entries, std::int64_t pieces, std::int64_t piece) {
    return entries * piece / pieces;
  }
};
/// Entries that a piece has at least: 128 pairs of tiles or, where one entry is more, one entry.
constexpr int least_pairs_of_a_piece = 128;
row_cut cut_of(const problem&);

/// Memory for pieces of rows.
struct piece_memory {
  std::uint32_t* count;         ///< [1]: of pieces
  std::uint32_t* first_of_row;  ///< [heads · blocks]: piece; of rows that are cut alone
  std::uint32_t* row_of_piece;  ///< [max_pieces]
  float* sums;                  ///< [max_pieces][block / 16][2][16][64]: dK / c and dV of a piece
};
std::int64_t max_pieces(const problem&);
/// Whether pieces' sums take no more room than dQ does: of lists of 512 tokens at most.
bool fit_in_query_gradient(const problem&);
piece_memory cut_piece_memory(const problem&, std::size_t* bytes = nullptr);
std::size_t piece_memory_bytes(const problem&);

}  // namespace ablate::selection_attention_backward
