#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/common/on_both.h"
#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention_backward {

/// The gradients of attention within windows (docs/operations/window_attention_backward.md). With
/// c = 1 / √width, P = exp(c·Q·Kᵀ − lse), Δ = row sums of dO∘O and dS = P∘(dO·Vᵀ − Δ):
///   dV = Pᵀ·dO, dQ = c·dS·K, dK = c·dSᵀ·Q.
/// Each gradient is stored in its token's row. Sums in fp32, outputs in bf16.

/// The phases of the work, in order. A problem runs those from `first` to `last`.
enum class phase {
  arrange,       ///< scattered rows: moves the forward pass's results into window order
  differentiate  ///< the gradients, from the forward pass's inputs, outputs and log-sum-exp
};

/// What the comparison reports for dQ, dK and dV: window_attention::deviation, with plain fp32 gradients
/// computed on the device in place of plain attention (30 FLOPs per element and key, once per case) and the
/// terms of each gradient in place of P·V's: noise is c·√Σ (dS·‖k‖)² for dQ, c·√Σ (dS·‖q‖)² for dK, √Σ
/// (P·‖dO‖)² for dV. To a row's divisor is added, over accepted_row_error, what rounding dS or P to bf16
/// takes from the row by itself: factors that are alike round alike, which does not average out, and where
/// the terms cancel it is more than a share of the row. Where a factor is at a tie, fp32 arithmetic in
/// another order rounds it to the other side, and with it all that are like it, as a short window's rows of
/// padding: what counts is the greater of both sides. Rows near zero are compared with the tensor: dS is P
/// times a difference of two numbers, which may be zero here and rounding there, as where all of a window's
/// values are alike. An error is divided by least_of_tensor of the typical row's divisor at least.
struct deviations {
  window_attention::deviation of[3];
};

/// Accepted error of a gradient row: dS or P, and the gradient, are rounded to bf16. 2.5e-3 is typical.
constexpr double accepted_row_error = 1e-2;

/// What a row's error is divided by at least, by the rows' divisors and their number: a share of the root
/// mean square.
constexpr double least_of_tensor = 0x1p-8;
ABLATE_ON_BOTH inline double least_scale(double squares, std::int64_t rows) {
  return least_of_tensor * sqrt(squares / static_cast<double>(rows));
}

struct problem {
  /// Sizes, row order, and Q, K and V, which are split; its `out` and `lse` are inputs here. Its phases,
  /// samples, scratch and moved rows are unused.
  window_attention::problem attention;
  phase first = phase::differentiate, last = phase::differentiate;

  const std::uint16_t* out_gradient = nullptr;  ///< dO, bf16, as q
  /// [batches][heads][tokens]: row sums of dO∘O, for the check; variants compute their own.
  const float* plain_delta = nullptr;

  std::uint16_t *q_gradient = nullptr, *k_gradient = nullptr, *v_gradient = nullptr;  ///< bf16, as q

  /// [2 · sample_count]: rows whose dQ the check reads directly, then rows of one window and head whose dK
  /// and dV it reads.
  const window_attention::sampled_row* samples = nullptr;
  std::int64_t sample_count = 0;
  deviations* found = nullptr;         ///< [1], written by the comparison
  float* sampled_gradients = nullptr;  ///< [3][sample_count][width]: dQ, dK, dV, written by the comparison
  void* reference = nullptr;           ///< reference_bytes(problem), zeros before the first comparison
  void* scratch = nullptr;             ///< scratch_bytes(problem)
  void* kept_sums = nullptr;           ///< kept_memory_bytes(problem), zeros before and behind each launch
  void* moved = nullptr;               ///< moved_rows_bytes(problem)

  bool does(phase p) const { return first <= p && p <= last; }
};

/// The number of keys whose partial dQ has its own buffer, and the longest window that uses such buffers:
/// they take window / 128 times the memory of dQ in fp32.
constexpr std::int64_t keys_of_a_part = 128, longest_window_in_parts = 1024;

/// Working memory for the variant that needs the most, laid out by `cut_scratch`.
struct scratch_memory {
  float* row_statistics;   ///< [batches][heads][tokens][2]: lse · log2(e), and Δ
  float* q_gradient_sums;  ///< one per element of dQ, in a variant-specific order
  /// [window / keys_of_a_part][batches][heads][tokens][width]: what each block of keys contributes to dQ, in
  /// a variant-specific order; null where windows are longer than longest_window_in_parts.
  float* q_gradient_parts;
};
scratch_memory cut_scratch(const problem&, std::size_t* bytes = nullptr);
std::size_t scratch_bytes(const problem&);

/// What the variants keep from launch to launch whose last block to add to sums of dQ rounds them: all zeros
/// where no launch runs.
struct kept_memory {
  float* q_gradient_sums;  ///< as in scratch_memory
  /// [batches][heads][tokens / 64][8]: how many blocks of keys have added to 64 rows, or to the tile of 128
  /// that begins with them; one for each warp that rounds a part of them.
  unsigned* arrivals;
};
constexpr int rows_of_arrivals = 64, arrivals_of_rows = 8;
kept_memory cut_kept_memory(const problem&, std::size_t* bytes = nullptr);
std::size_t kept_memory_bytes(const problem&);

/// The gradients of plain fp32 attention, in the problem's row order: dQ, dK and dV.
struct plain_gradients {
  unsigned* is_there;  ///< nonzero once computed
  float* of[3];        ///< [batches][tokens][heads][width]
  float* scale[3];     ///< [batches][tokens][heads]: the divisor of each row's error
};
plain_gradients cut_reference(const problem&, std::size_t* bytes = nullptr);
std::size_t reference_bytes(const problem&);

/// Bytes needed by the variants that move rows: 0 where no variant does.
std::size_t moved_rows_bytes(const problem&);

/// The oracle, in fp64: one head of one window, [tokens][width] each.
struct window_values {
  int tokens = 0, width = 0;
  std::vector<double> q, k, v, out_gradient;
};
/// The inputs as generated (made_inputs.h).
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
