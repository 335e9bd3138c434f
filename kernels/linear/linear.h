#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/dense_layers/activation.h"
#include "kernels/dense_layers/comparison.h"
#include "kernels/dense_layers/made.h"

namespace ablate {
class launcher;
}

namespace ablate::linear {

using dense_layers::activation;
using dense_layers::comparison;
using dense_layers::judged;

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

/// An element that the check reads itself. Of the weight's gradient, the column behind the last is the
/// bias's.
struct sampled_element {
  std::int32_t of;  ///< output
  std::int32_t column;
  std::int64_t row;
};

struct problem {
  std::int64_t rows = 0;
  std::int64_t alike = 0;  ///< for the check: so many of them, the last ones, may be alike, as padding is
  int inputs = 64;         ///< K, a multiple of 32
  int outputs = 192;       ///< N, columns of Z: a multiple of 32; of swiglu, of 128
  linear::epilogue behind = epilogue::bias;
  bool has_norm = false;  ///< inputs ≤ most_normed_inputs
  bool is_split = false;  ///< Y is [3][rows][N / 3], not [rows][N]; N / 3 is a multiple of 32; bias alone
  bool does[output_count] = {true, false, false};  ///< which of the outputs are computed
  /// Own kernels of Y, and a norm's launch, may begin while the one in front of each still runs, for which
  /// they wait themselves (dependent_launch.cuh).
  bool begins_early = false;

  std::uint64_t seed = 1;
  float weight_spread = 1;  ///< standard deviation of the weights: 1 / √K

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

  double* plain = nullptr;  ///< [rows][2], for the comparison: mean and 1 / deviation of the rows
  const sampled_element* samples = nullptr;  ///< [sample_count]
  std::int64_t sample_count = 0;
  comparison* found = nullptr;   ///< [output_count], by the comparison
  float* sampled_out = nullptr;  ///< [sample_count], by the comparison

  ABLATE_ON_BOTH int columns() const { return behind == epilogue::swiglu ? outputs / 2 : outputs; }
  /// Where an element of Y stands.
  ABLATE_ON_BOTH std::int64_t place_of_y(std::int64_t row, int column) const {
    if (!is_split) return row * columns() + column;
    const int third = outputs / 3;
    return (column / third * rows + row) * third + column % third;
  }
  ABLATE_ON_BOTH std::int64_t rows_of(output of) const {
    return of == output::weight_gradient ? outputs : rows;
  }
  ABLATE_ON_BOTH int columns_of(output of) const {
    return of == output::y ? columns() : of == output::input_gradient ? inputs : inputs + 1;
  }
  bool has(output of) const { return does[static_cast<int>(of)]; }
  ABLATE_ON_BOTH bool is_alike(std::int64_t row) const { return row >= rows - alike; }
};

constexpr int most_normed_inputs = 512;

/// In how many parts the rows are split for the weight's gradient on a GPU of so many multiprocessors.
int splits_of_rows(const problem&, int multiprocessors);
/// Enough on any GPU.
std::size_t partial_bytes(const problem&);

/// Inputs as they are in memory.
ABLATE_ON_BOTH inline std::uint16_t made_weight(const problem& p, std::int64_t at) {
  return dense_layers::made_bf16(p.seed, dense_layers::tensor::weight, at, p.weight_spread);
}
ABLATE_ON_BOTH inline std::uint16_t made_bias(const problem& p, std::int64_t at) {
  return dense_layers::made_bf16(p.seed, dense_layers::tensor::bias, at, 0.25f);
}
constexpr float gamma_spread = 0.125f, beta_spread = 0.25f;

/// An element of an output by the oracle in fp64, from inputs that it makes itself.
judged reference_element(const problem&, const sampled_element&);

}  // namespace ablate::linear
