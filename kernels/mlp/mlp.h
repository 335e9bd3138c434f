#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/on_both.h"

namespace ablate {
class launcher;
}

namespace ablate::mlp {

/// The two linear layers of a transformer's block, with norm and residual (docs/operations/mlp.md; PTv3, and
/// Flash3D by TransformerEngine's LayerNormMLP), h = 4 · C hidden columns:
///   gelu    Y = X + GELU(LN(X) · W1ᵀ + b1) · W2ᵀ + b2, exact GELU, W1 [h][C]
///   swiglu  Y = X + (SiLU(G) ⊙ U) · W2ᵀ + b2, (G, U) = LN(X) · W1ᵀ + b1, W1 [2h][C]: G's rows first
/// X, Y and weights are bf16, biases and the norm's parameters fp32, sums fp32; the normalized rows and the
/// hidden layer are rounded to bf16.
///
/// Backward: from dY, the gradients of X, of both layers' weights and biases and of the norm's parameters,
/// given Z, the first layer's output as it was before its activation: with dH = dY · W2,
///   gelu    dZ = dH ⊙ GELU'(Z)
///   swiglu  dG = dH ⊙ U ⊙ SiLU'(G), dU = dH ⊙ SiLU(G), dZ = (dG, dU)
/// dW2 = dYᵀ · act(Z), dW1 = dZᵀ · LN(X), biases the sums over rows; dX = dY + the norm's gradient of dZ ·
/// W1. act(Z) and LN(X) are computed again. Gradients of parameters are fp32.
enum class kind { gelu, swiglu };
template <kind Kind>
constexpr bool is_gated = Kind == kind::swiglu;

struct problem {
  mlp::kind kind = kind::gelu;
  std::int64_t rows = 0;
  int channels = 64;  ///< C: 32, 64, 128, 256 or 512
  bool is_backward = false;
  /// Y's kernel, where it is one, may begin while the preceding one still runs, for which it waits
  /// itself (dependent_launch.cuh).
  bool begins_early = false;

  const std::uint16_t* x = nullptr;                                             ///< [rows][C]
  const float *gamma = nullptr, *beta = nullptr;                                ///< [C]
  const std::uint16_t* first = nullptr;                                         ///< W1
  const std::uint16_t* second = nullptr;                                        ///< W2: [C][h]
  const float *first_bias = nullptr, *second_bias = nullptr;                    ///< b1 [h] or [2h], b2 [C]
  const std::uint16_t *first_bias_bf16 = nullptr, *second_bias_bf16 = nullptr;  ///< the same
  const std::uint16_t *gradient = nullptr,
                      *z = nullptr;  ///< backward: dY [rows][C], Z [rows][h] or [rows][2h]
  /// Backward: what arrives on the residual's path, [rows][C], where that is not dY: some rows of the branch
  /// were left out of Y.
  const std::uint16_t* residual_gradient = nullptr;

  std::uint16_t* y = nullptr;                                         ///< [rows][C]
  std::uint16_t* input_gradient = nullptr;                            ///< [rows][C]
  float *first_gradient = nullptr, *first_bias_gradient = nullptr;    ///< as W1 and b1
  float *second_gradient = nullptr, *second_bias_gradient = nullptr;  ///< as W2 and b2
  float* norm_gradient = nullptr;                                     ///< [2][C]: of γ, of β

  std::uint16_t* normed = nullptr;           ///< scratch [rows][C]
  std::uint16_t* product = nullptr;          ///< scratch [rows][h] or [rows][2h]: Z, or dZ
  std::uint16_t* hidden = nullptr;           ///< scratch [rows][h]
  std::uint16_t* hidden_gradient = nullptr;  ///< scratch [rows][h], backward
  std::uint16_t* normed_gradient = nullptr;  ///< scratch [rows][C], backward
  float* partial = nullptr;                  ///< scratch: partial_bytes(problem)
  void* workspace = nullptr;                 ///< scratch for cuBLASLt

  ABLATE_ON_BOTH int hidden_columns() const { return 4 * channels; }
  /// Of W1's rows.
  ABLATE_ON_BOTH int first_columns() const { return (kind == kind::swiglu ? 8 : 4) * channels; }
  ABLATE_ON_BOTH const std::uint16_t* gradient_of_residual() const {
    return residual_gradient == nullptr ? gradient : residual_gradient;
  }
};

/// Blocks of the pass between the gradients' products, at most: each keeps sums of its own.
constexpr int max_pass_blocks = 1024;
std::size_t partial_bytes(const problem&);

/// Widest rows that the variants in one launch take.
constexpr int max_fused_channels = 128;

}  // namespace ablate::mlp
