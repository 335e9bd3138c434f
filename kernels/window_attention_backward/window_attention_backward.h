#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention_backward {

/// The gradients of attention inside windows (operation window_attention; specification: flash3d §2.4). With
/// c = 1 / √width, P = exp(c·Q·Kᵀ − lse), Δ = the row sums of dO∘O and dS = P∘(dO·Vᵀ − Δ):
///   dV = Pᵀ·dO, dQ = c·dS·K, dK = c·dSᵀ·Q.
/// Gradients stand in the rows of what they belong to. Sums in fp32, outputs in bf16.

/// The parts of the work, in order. A problem asks for those from `first` to `last`.
enum class phase {
  arrange,        ///< of scattered rows: what the forward pass left is put into the order of the windows
  differentiate,  ///< the gradients, from inputs, outputs and log-sum-exp of the forward pass
  read_back       ///< for the check: how far they are from plain fp32 gradients on the device
};

/// What phase read_back finds of dQ, dK and dV: window_attention::deviation, with plain fp32 gradients on the
/// device in the place of plain attention (14 FLOPs an element and key, once a case) and the terms of each
/// gradient in the place of P·V's: noise is c·√Σ (dS·‖k‖)² of dQ, c·√Σ (dS·‖q‖)² of dK, √Σ (P·‖dO‖)² of dV.
struct deviations {
  window_attention::deviation of[3];
};

/// Accepted of a row of a gradient: dS or P, and the gradient, are rounded to bf16. Typical is 2.5e-3.
constexpr double accepted_row_error = 1e-2;

struct problem {
  /// Sizes, where rows stand, Q, K, V, split; its `out` and `lse` are inputs here. Its phases, samples,
  /// scratch and moved rows are not used.
  window_attention::problem attention;
  phase first = phase::differentiate, last = phase::differentiate;

  const std::uint16_t* out_gradient = nullptr;  ///< dO, bf16, as q
  /// [batches][heads][tokens]: row sums of dO∘O, for the check; variants compute their own.
  const float* plain_delta = nullptr;

  std::uint16_t *q_gradient = nullptr, *k_gradient = nullptr, *v_gradient = nullptr;  ///< bf16, as q

  /// [2 · sample_count]: rows whose dQ the check reads itself, then rows of one window and head whose dK and
  /// dV it reads.
  const window_attention::sampled_row* samples = nullptr;
  std::int64_t sample_count = 0;
  deviations* found = nullptr;         ///< [1], by read_back
  float* sampled_gradients = nullptr;  ///< [3][sample_count][width]: of dQ, dK, dV, by read_back
  void* reference = nullptr;           ///< reference_bytes(problem), zeros before the first read_back
  void* scratch = nullptr;             ///< scratch_bytes(problem)
  void* moved = nullptr;               ///< moved_rows_bytes(problem)

  bool does(phase p) const { return first <= p && p <= last; }
};

/// Keys whose part of dQ stands in a buffer of its own, and the longest window that has such parts: they take
/// window / 128 times what dQ does in fp32.
constexpr std::int64_t keys_of_a_part = 128, longest_window_in_parts = 1024;

/// Working memory of the hungriest variant, cut by `cut_scratch`.
struct scratch_memory {
  float* row_statistics;   ///< [batches][heads][tokens][2]: lse · log2(e), and Δ
  float* q_gradient_sums;  ///< one for each element of dQ, in an order of the variant's own
  /// [window / keys_of_a_part][batches][heads][tokens][width]: what each block of keys adds to dQ, elements
  /// in an order of the variant's own; null where windows are longer than longest_window_in_parts.
  float* q_gradient_parts;
};
scratch_memory cut_scratch(const problem&, std::size_t* bytes = nullptr);
std::size_t scratch_bytes(const problem&);

/// What plain attention's gradients are, in fp32, in the rows of the problem: dQ, dK and dV.
struct plain_gradients {
  unsigned* is_there;  ///< not zero: computed
  float* of[3];        ///< [batches][tokens][heads][width]
  float* scale[3];     ///< [batches][tokens][heads]: what errors of a row are divided by
};
plain_gradients cut_reference(const problem&, std::size_t* bytes = nullptr);
std::size_t reference_bytes(const problem&);

/// Memory of the variants that move rows: none where no variant does.
std::size_t moved_rows_bytes(const problem&);

/// The oracle, in fp64: one head of one window, [tokens][width] each.
struct window_values {
  int tokens = 0, width = 0;
  std::vector<double> q, k, v, out_gradient;
};
/// As the inputs are made (made_inputs.h).
window_values values_of(const window_attention::problem&, std::int64_t batch, std::int64_t window,
                        std::int64_t head);
/// [width]: dQ of one token.
std::vector<double> exact_query_gradient(const window_values&, std::int64_t token);
/// [tokens.size()][width]: dK and dV of these tokens.
struct key_gradients {
  std::vector<double> k, v;
};
key_gradients exact_key_gradients(const window_values&, std::span<const std::int64_t> tokens);

}  // namespace ablate::window_attention_backward
