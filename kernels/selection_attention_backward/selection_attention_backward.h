#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/selection_attention/selection_attention.h"
#include "kernels/selection_inversion/selection_inversion.h"

namespace ablate::selection_attention_backward {

using selection_attention::sampled_row;
using selection_attention::width;

/// The gradients of selection_attention (docs/operations/selection_attention_backward.md; Speed3R,
/// supplement, §1.1). With c = 1 / √64, over the pairs of a query and a key of a block in its list alone, P =
/// exp(c·Q·Kᵀ − lse), Δ = row sums of dO∘O and dS = P∘(dO·Vᵀ − Δ):
///   dV = Pᵀ·dO, dQ = c·dS·K, dK = c·dSᵀ·Q.
/// Lists are constants: no gradient passes through the choice of blocks. Sums in fp32, outputs in bf16.
///
/// Where attention is gated, dO is that of γ_c·C + γ_s·O, with the row C of a query's block and two gates a
/// token and head. All of the above is then of γ_s·dO in the place of dO, and moreover
///   dγ_c = ⟨dO, C⟩, dγ_s = ⟨dO, O⟩, dC = Σ γ_c·dO over the queries of a block.
/// Nothing of the size of dO is made for that: with log2 γ_s taken off lse · log2(e), and dγ_s in the place
/// of Δ, P and dS are γ_s times what they were.
///
/// Where blocks were pooled as well, each of a block's b tokens gets 1/b of what its mean's gradient is
/// (block_pooling_backward.h, mode post), in the same store: `pooled_gradients`.
///
/// A query without keys has dQ = 0, keys of a block that no list names have dK = dV = 0. Inputs are finite,
/// gates above 0, and the first frame's blocks compete as all others do.
///
/// dQ is a sum over a list, dK and dV are sums over a row of the lists turned around
/// (selection_inversion.h), which may be as long as a head has query blocks.

enum class phase {
  /// What needs no lists: the statistics and, where attention is gated, gradients of gates and of compressed
  /// rows.
  prepare,
  differentiate  ///< everything, or all that `prepare` left
};

/// What the comparison reports for dQ, dK and dV: window_attention::deviation, with plain fp32 gradients
/// computed on the device in place of plain attention, and the terms of each gradient in place of P·V's:
/// noise is c·√Σ (dS·‖k‖)² for dQ, c·√Σ (dS·‖q‖)² for dK, √Σ (P·‖dO‖)² for dV. Beside each dS stands what
/// fp32 loses in dP − Δ, P·2^-17·‖dO‖·‖v‖, over the accepted error: with one key's weight at 1 nothing else
/// is left.
struct deviations {
  window_attention::deviation of[3];
  /// Where attention is gated: the gates' gradients, of one element each, their errors absolute; and dC, with
  /// noise √Σ (γ_c·‖dO‖)².
  window_attention::deviation gates, compressed;
};

/// Accepted error of a gradient row, in parts of its scale: dS or P, and the gradient, are rounded to bf16.
constexpr double accepted_row_error = 1e-2;

/// A gradient's row by the oracle, and what it may be off by. The roundings of dS or P are in proportion to
/// the row, or to its terms where they cancel: max(‖row‖, noise), as in `deviations`. What is lost in dP − Δ
/// is not, because Δ is of an O that went through bf16: the forward pass rounds its weights, each by up to
/// 2^-8, and then O. Where one key has nearly all of a query's weight, dP − Δ is what two nearly equal
/// numbers leave, and the error of Δ is all of it. Of one query it is at most
///   e = 2^-8 · (|Σ dO_d·O_d| + |Σ P_j·dP_j|), and passes to dS as P·e,
/// where |Σ …| is what independent roundings of these terms add up to (sum_of_roundings). It moves dQ along
/// c·e·Σ P·k alone; dK is a sum over many queries, off by c·√Σ (P·e·‖q‖)² at most; dV not at all.
struct graded_row {
  std::array<double, width> of{};
  /// What errors are divided by: max(‖row‖, noise) + ‖moved‖, since what is moved is rounded as well,
  /// + lost / accepted_row_error, with the error of dK and what fp32 loses in dP and Δ themselves.
  double scale = 0;
  std::array<double, width> moved{};  ///< by up to this, or its opposite, the row may be off
};
/// Relative to the scale, beside what the row may be moved by; infinite if an element is not finite.
double error_of(const graded_row&, const float* seen);

/// What roundings of some terms add up to at most, in units of one of them: all of them together or, since
/// their signs are independent, three times the Euclidean norm of the terms, whichever is less. A rounding is
/// spread evenly over both signs, so that three norms are more than five standard deviations.
class sum_of_roundings {
 public:
  void add(double term);
  double most() const;

 private:
  double sum_ = 0, squares_ = 0;
};
/// Accepted error of a gate's gradient: a sum of 64 products in fp32.
constexpr double accepted_gate_error = 1e-4;

struct problem {
  /// Sizes, lists, Q, K and V; its `out`, which is not gated, and `lse` are inputs here, and so are
  /// `compressed` and `gates` where it is gated. Its phase, samples and reference are unused.
  selection_attention::problem attention;
  bool inverts = false;      ///< the lists are turned around in the timed region, not ahead of it
  bool is_prepared = false;  ///< phase prepare ran before
  /// In two_pass: sums of pieces wait in dQ's place, which is written last; where fit_in_query_gradient says
  /// so.
  bool pieces_in_query_gradient = false;
  phase work = phase::differentiate;

  const std::uint16_t* out_gradient = nullptr;  ///< dO, bf16 [heads][tokens][64]
  std::int64_t* offsets = nullptr;              ///< the lists turned around: [heads · blocks + 1]
  std::int32_t* queries = nullptr;              ///< likewise, [heads · blocks · selected]
  void* count_memory = nullptr;                 ///< for turning them around

  std::uint16_t *q_gradient = nullptr, *k_gradient = nullptr, *v_gradient = nullptr;  ///< bf16, as dO

  /// bf16 [heads][blocks][64] each: gradients of means of Q, K and V; null: nothing is added.
  const std::uint16_t* pooled_gradients[3] = {};

  float* gate_gradients = nullptr;               ///< [tokens][heads][2]: dγ_c and dγ_s; gated alone
  std::uint16_t* compressed_gradient = nullptr;  ///< bf16 [heads][blocks][64]: dC; gated alone

  float* statistics = nullptr;  ///< [heads][tokens][2]: lse · log2(e), and Δ; less log2 γ_s, and dγ_s
  void* pieces = nullptr;       ///< piece_memory_bytes(problem)
  float* query_sums = nullptr;  ///< [heads][tokens][64]: dQ / c, where reductions add it up
  float* key_sums = nullptr;    ///< [2][heads][tokens][64]: dK / c and dV, likewise

  /// [2 · sample_count]: rows whose dQ the check reads directly, then rows whose dK and dV it reads.
  const sampled_row* samples = nullptr;
  std::int64_t sample_count = 0;
  deviations* found = nullptr;         ///< [1], by the comparison
  float* sampled_gradients = nullptr;  ///< [3][sample_count][64]: dQ, dK, dV, by the comparison
  /// [sample_count][2 + 64]: dγ_c, dγ_s and dC of the queries, by the comparison; gated alone
  float* sampled_gates = nullptr;
  void* reference = nullptr;  ///< reference_bytes(problem), zeros before the first comparison

  ABLATE_ON_BOTH std::int64_t rows() const { return attention.heads * attention.tokens; }
  /// Of all heads' rows every m-th is compared, all where there are few. Odd, so that all places in a tile
  /// are met.
  ABLATE_ON_BOTH std::int64_t compared_stride() const {
    constexpr std::int64_t most_products = std::int64_t{1} << 30;
    const std::int64_t keys = std::int64_t{attention.selected} * attention.block;
    const std::int64_t stride = (rows() * keys + most_products - 1) / most_products;
    return stride <= 1 ? 1 : stride | 1;
  }
  ABLATE_ON_BOTH std::int64_t compared_rows() const {
    return (rows() + compared_stride() - 1) / compared_stride();
  }
};

/// The lists of the problem as those to be turned around.
selection_inversion::problem inversion_of(const problem&);

/// How a row of the lists turned around is cut: one of at least 2 · `least` entries into as many pieces as
/// have `least` at least, which are as equal as can be. So all rows together have at most
/// entries / least pieces.
struct row_cut {
  int least;  ///< entries; 0: no row is cut

  ABLATE_ON_BOTH std::int64_t pieces(std::int64_t entries) const {
    return least == 0 || entries < 2 * std::int64_t{least} ? 0 : entries / least;
  }
  /// Where a piece begins among its row's entries; that behind the last one, where they end.
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
  std::uint32_t* row_of_piece;  ///< [most_pieces]
  float* sums;                  ///< [most_pieces][block / 16][2][16][64]: dK / c and dV of a piece
};
std::int64_t most_pieces(const problem&);
/// Whether pieces' sums take no more room than dQ does: of lists of 512 tokens at most.
bool fit_in_query_gradient(const problem&);
piece_memory cut_piece_memory(const problem&, std::size_t* bytes = nullptr);
std::size_t piece_memory_bytes(const problem&);

/// Element of dO: what is in memory.
ABLATE_ON_BOTH inline std::uint16_t made_out_gradient(const problem& p, std::int64_t head, std::int64_t token,
                                                      int element) {
  const auto index = static_cast<std::uint64_t>((head * p.attention.tokens + token) * width + element);
  return window_attention::made_element(p.attention.seed, window_attention::tensor::out_gradient, index, 1);
}

/// Plain fp32 gradients of the compared rows, and what the variant left there.
struct plain_gradients {
  unsigned* is_there;       ///< not zero: computed
  float* of[3];             ///< [compared_rows][64]: dQ, dK, dV
  float* scale[3];          ///< [compared_rows]: what errors of a row are divided by
  std::uint16_t* seen[3];   ///< bf16 [compared_rows][64]
  float* gates;             ///< [tokens][heads][2]; this and the others null unless gated
  float* compressed;        ///< [heads][blocks][64]
  float* compressed_scale;  ///< [heads][blocks]
};
plain_gradients cut_reference(const problem&, std::size_t* bytes = nullptr);
std::size_t reference_bytes(const problem&);

/// The oracle, in fp64, of one head.
using row = std::array<double, width>;
struct head_values {
  std::int64_t tokens = 0;
  int block = 16, selected = 0;
  std::function<row(window_attention::tensor, std::int64_t token)> values;
  std::function<std::int32_t(std::int64_t query_block, int slot)> entry;
  std::function<double(std::int64_t token, int which)> gate = {};  ///< γ_c and γ_s; empty: not gated
  std::function<row(std::int64_t block)> compressed = {};

  std::int64_t blocks() const { return tokens / block; }
};
/// The head as it is made.
head_values made_head(const problem&, std::int64_t head);

/// dQ of a token.
graded_row exact_query_gradient(const head_values&, std::int64_t token);
/// dγ_c and dγ_s of a token, and dC of a block.
std::array<double, 2> exact_gate_gradients(const head_values&, std::int64_t token);
row exact_compressed_gradient(const head_values&, std::int64_t block);
/// dK and dV of the tokens of a block, given the query blocks that name it.
struct key_gradients {
  std::vector<graded_row> k, v;  ///< [block]
};
key_gradients exact_key_gradients(const head_values&, std::int64_t key_block,
                                  std::span<const std::int64_t> query_blocks);
/// Query blocks whose list names the block, ascending.
std::vector<std::int64_t> query_blocks_of(const head_values&, std::int64_t key_block);

}  // namespace ablate::selection_attention_backward
