#pragma once

#include <cstddef>
#include <cstdint>

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

struct problem {
  /// Sizes, row order, and Q, K and V, which are split; its `out` and `lse` are inputs here. Its phases,
  /// scratch and moved rows are unused.
  window_attention::problem attention;
  phase first = phase::differentiate, last = phase::differentiate;

  const std::uint16_t* out_gradient = nullptr;                                        ///< dO, bf16, as q
  std::uint16_t *q_gradient = nullptr, *k_gradient = nullptr, *v_gradient = nullptr;  ///< bf16, as q

  void* scratch = nullptr;    ///< scratch_bytes(problem)
  void* kept_sums = nullptr;  ///< kept_memory_bytes(problem), zeros before and after each launch
  void* moved = nullptr;      ///< moved_rows_bytes(problem)

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

/// Bytes needed by the variants that move rows: 0 where no variant does.
std::size_t moved_rows_bytes(const problem&);

}  // namespace ablate::window_attention_backward
