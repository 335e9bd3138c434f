#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/dense_layers/comparison.h"
#include "kernels/dense_layers/made.h"

namespace ablate {
class launcher;
}

namespace ablate::mlp {

using dense_layers::comparison;
using dense_layers::judged;

/// The two linear layers of a transformer's block, with what stands around them (specification: backbone
/// §2.2; PTv3, and Flash3D by TransformerEngine's LayerNormMLP), h = 4 · C hidden columns:
///   gelu    Y = X + GELU(LN(X) · W1ᵀ + b1) · W2ᵀ + b2, exact GELU, W1 [h][C]
///   swiglu  Y = X + (SiLU(G) ⊙ U) · W2ᵀ + b2, (G, U) = LN(X) · W1ᵀ + b1, W1 [2h][C]: G's rows first
/// X, Y and weights are bf16, biases and the norm's parameters fp32, sums fp32; the normalized rows and the
/// hidden layer are rounded to bf16.
enum class kind { gelu, swiglu };

struct sampled_element {
  std::int32_t of = 0;
  std::int32_t column;
  std::int64_t row;
};

struct problem {
  mlp::kind kind = kind::gelu;
  std::int64_t rows = 0;
  int channels = 64;        ///< C: 32, 64, 128, 256 or 512
  bool reads_back = false;  ///< for the check: how far Y is from plain fp64 arithmetic on the device
  std::uint64_t seed = 1;
  float first_spread = 1, second_spread = 1;  ///< standard deviations of the weights: 1 / √C, 1 / √h

  const std::uint16_t* x = nullptr;                                             ///< [rows][C]
  const float *gamma = nullptr, *beta = nullptr;                                ///< [C]
  const std::uint16_t* first = nullptr;                                         ///< W1
  const std::uint16_t* second = nullptr;                                        ///< W2: [C][h]
  const float *first_bias = nullptr, *second_bias = nullptr;                    ///< b1 [h] or [2h], b2 [C]
  const std::uint16_t *first_bias_bf16 = nullptr, *second_bias_bf16 = nullptr;  ///< the same
  std::uint16_t* y = nullptr;                                                   ///< [rows][C]

  std::uint16_t* normed = nullptr;   ///< scratch [rows][C]
  std::uint16_t* product = nullptr;  ///< scratch [rows][h] or [rows][2h]
  std::uint16_t* hidden = nullptr;   ///< scratch [rows][h]
  void* workspace = nullptr;         ///< scratch for cuBLASLt

  double* moments = nullptr;                 ///< [rows][2], for read_back
  float* plain_hidden = nullptr;             ///< [rows][h], likewise
  const sampled_element* samples = nullptr;  ///< [sample_count]
  std::int64_t sample_count = 0;
  comparison* found = nullptr;   ///< [1], by read_back
  float* sampled_out = nullptr;  ///< [sample_count], by read_back

  ABLATE_ON_BOTH int hidden_columns() const { return 4 * channels; }
  /// Of W1's rows.
  ABLATE_ON_BOTH int first_columns() const { return (kind == kind::swiglu ? 8 : 4) * channels; }
};

constexpr float gamma_spread = 0.125f, beta_spread = 0.25f, bias_spread = 0.25f;

/// Widest rows that the variants in one launch take.
constexpr int most_fused_channels = 128;

/// An element of Y by the oracle in fp64, from inputs that it makes itself.
judged reference_element(const problem&, const sampled_element&);

}  // namespace ablate::mlp
