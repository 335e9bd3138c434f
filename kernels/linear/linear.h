#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/dense/activation.h"
#include "kernels/common/on_both.h"

namespace ablate {
class launcher;
}

namespace ablate::linear {

using dense_layers::activation;

/// A linear layer of rows (docs/operations/linear.md): Z = in(X) · Wᵀ + b, Y = out(Z). X, W and Y are bf16, b
/// fp32 with values that bf16 has too; sums are fp32. in: nothing, or the layer norm of the row (eps 1e-5),
/// rounded to bf16. out:
///   bias      Y = Z
///   residual  Y = Z + R
///   gelu      Y = GELU(Z), exact or in its tanh form
///   swiglu    Y = SiLU(first half of Z's columns) ⊙ second half: Y has half as many columns
/// Gradients, of `bias` and `residual` without a norm: dX = dY · W, dW = dYᵀ · X, db = Σ dY over the rows; dW
/// and db are fp32. All variants give the same bits every run.
enum class epilogue { bias, residual, gelu_erf, gelu_tanh, swiglu };

enum class output { y, input_gradient, weight_gradient };
constexpr int output_count = 3;

struct problem {
  std::int64_t rows = 0;
  int inputs = 64;    ///< K, a multiple of 32
  int outputs = 192;  ///< N, columns of Z: a multiple of 32; of swiglu, of 128
  linear::epilogue behind = epilogue::bias;
  bool has_norm = false;  ///< inputs ≤ max_normed_inputs
  bool is_split = false;  ///< Y is [3][rows][N / 3], not [rows][N]; N / 3 is a multiple of 32; bias alone
  bool does[output_count] = {true, false, false};  ///< which of the outputs are computed
  /// Own kernels of Y, and a norm's launch, may begin while the preceding one still runs, for which
  /// they wait themselves (dependent_launch.cuh).
  bool begins_early = false;

  const std::uint16_t* x = nullptr;               ///< [rows][K]
  const std::uint16_t* weight = nullptr;          ///< [N][K]
  const float* bias = nullptr;                    ///< [N]
  const std::uint16_t* bias_bf16 = nullptr;       ///< [N]: the same
  const std::uint16_t* residual = nullptr;        ///< [rows][N]
  const float *gamma = nullptr, *beta = nullptr;  ///< [K]
  const std::uint16_t* gradient = nullptr;        ///< dY: [rows][N]

  std::uint16_t* y = nullptr;               ///< [rows][columns()], or split
  std::uint16_t* input_gradient = nullptr;  ///< [rows][K]
  float* weight_gradient = nullptr;         ///< [N][K]
  float* bias_gradient = nullptr;           ///< [N]

  void* workspace = nullptr;         ///< scratch for cuBLASLt: cublaslt::workspace_bytes
  std::uint16_t* normed = nullptr;   ///< scratch [rows][K], with a norm
  std::uint16_t* product = nullptr;  ///< scratch [rows][N]
  float* partial = nullptr;          ///< scratch: partial_bytes(problem)

  ABLATE_ON_BOTH int columns() const { return behind == epilogue::swiglu ? outputs / 2 : outputs; }
  /// Where an element of Y is.
  ABLATE_ON_BOTH std::int64_t place_of_y(std::int64_t row, int column) const {
    if (!is_split) return row * columns() + column;
    const int third = outputs / 3;
    return (column / third * rows + row) * third + column % third;
  }
  bool has(output of) const { return does[static_cast<int>(of)]; }
};

constexpr int max_normed_inputs = 512;

/// In how many parts the rows are split for the weight's gradient on a GPU of so many multiprocessors.
int splits_of_rows(const problem&, int multiprocessors);
/// Enough on any GPU.
std::size_t partial_bytes(const problem&);

}  // namespace ablate::linear
