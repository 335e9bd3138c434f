#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/selection_attention_backward/selection_attention_backward.h"
#include "oracles/selection_attention/checked_problem.h"

namespace ablate::selection_attention_backward {

using selection_attention::sampled_row;

/// What the comparison reports for dQ, dK and dV: window_attention::deviation, with plain fp32 gradients
/// computed on the device instead of plain attention, and the terms of each gradient instead of P·V's:
/// noise is c·√Σ (dS·‖k‖)² for dQ, c·√Σ (dS·‖q‖)² for dK, √Σ (P·‖dO‖)² for dV. Beside each dS is what
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

/// Accepted error of a gate's gradient: a sum of 64 products in fp32.
constexpr double accepted_gate_error = 1e-4;

struct checked_problem : problem {
  // What the inputs are made of, as selection_attention's.
  selection_attention::generated_lists lists = {};
  std::uint64_t seed = 1;
  float score_spread = 1;

  /// [2 · sample_count]: rows whose dQ the check reads directly, then rows whose dK and dV it reads.
  const sampled_row* samples = nullptr;
  std::int64_t sample_count = 0;
  deviations* found = nullptr;         ///< [1], by the comparison
  float* sampled_gradients = nullptr;  ///< [3][sample_count][64]: dQ, dK, dV, by the comparison
  /// [sample_count][2 + 64]: dγ_c, dγ_s and dC of the queries, by the comparison; gated alone
  float* sampled_gates = nullptr;
  void* reference = nullptr;  ///< reference_bytes(problem), zeros before the first comparison

  /// Of all heads' rows every m-th is compared, all where there are few. Odd, so that all places in a tile
  /// are met.
  ABLATE_ON_BOTH std::int64_t compared_stride() const {
    constexpr std::int64_t max_products = std::int64_t{1} << 30;
    const std::int64_t keys = std::int64_t{attention.selected} * attention.block;
    const std::int64_t stride = (rows() * keys + max_products - 1) / max_products;
    return stride <= 1 ? 1 : stride | 1;
  }
  ABLATE_ON_BOTH std::int64_t compared_rows() const {
    return (rows() + compared_stride() - 1) / compared_stride();
  }
};

/// The attention of the problem, as its inputs are made.
inline selection_attention::checked_problem generated_attention_of(const checked_problem& p) {
  selection_attention::checked_problem made{p.attention};
  made.lists = p.lists;
  made.seed = p.seed;
  made.score_spread = p.score_spread;
  return made;
}

/// Element of dO: what is in memory.
ABLATE_ON_BOTH inline std::uint16_t generated_out_gradient(const checked_problem& p, std::int64_t head,
                                                           std::int64_t token, int element) {
  const auto index = static_cast<std::uint64_t>((head * p.attention.tokens + token) * width + element);
  return window_attention::generated_element(p.seed, window_attention::tensor::out_gradient, index, 1);
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
plain_gradients cut_reference(const checked_problem&, std::size_t* bytes = nullptr);
std::size_t reference_bytes(const checked_problem&);

}  // namespace ablate::selection_attention_backward
