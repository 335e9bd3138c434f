#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/dense/activation.h"
#include "kernels/common/mixed.h"

namespace ablate {
class launcher;
}

namespace ablate::row_norm {

using dense_layers::activation;

/// Norms of rows of C channels, as PTv3 and Flash3D have them (docs/operations/row_norm.md). Rows are bf16,
/// parameters, statistics and their gradients fp32, all arithmetic fp32.
///   layer            y = (x − mean) / √(variance + 1e-5) · γ + β over the row
///   residual_layer   s = x + branch, rounded to bf16, and y = the layer norm of s; both are written. With
///                    drop path (training): s = x + keep(row) · branch / (1 − p), which leaves out a row's
///                    branch with probability p
///   batch_inference  y = act((x − mean) / √(variance + 1e-3) · γ + β) by each channel's running statistics
///   batch_training   the same by the statistics of all real rows, the variance biased. Mean and
///                    1 / √(variance + ε) are kept for the gradient; the running ones become
///                    0.99 · running + 0.01 · new, the new variance unbiased
///   copy             y = x, the control: what the same bytes take without a norm
///
/// Rows from `valid` on are padding: they are not read and take part in no statistic; what is written there
/// is 0.
///
/// Backward: from the gradient of y, that of x (of s, where the gradient of s that arrives on the residual's
/// path is added), of the branch where rows are dropped (else it is that of s), of γ and of β. Of
/// batch_training with the kept statistics, which depend on x.
enum class kind { layer, residual_layer, batch_inference, batch_training, copy };

constexpr float layer_epsilon = 1e-5f, batch_epsilon = 1e-3f, momentum = 0.01f;
constexpr int max_channels = 1024;
/// More than these, four rows at once and their parameters do not fit a thread's registers.
constexpr int max_channels_of_four_rows = 512, channels_of_two_rows = 64;

struct problem {
  row_norm::kind kind = kind::layer;
  std::int64_t rows = 0, valid = 0;   ///< valid ≤ rows
  int channels = 64;                  ///< 32, 64, 128, 256, 512 or 1024
  activation act = activation::none;  ///< of batch norms
  float drop = 0;                     ///< probability p of residual_layer
  bool is_backward = false;
  /// The kernel of layer and residual_layer, forward, may begin while the preceding one still runs, for
  /// which it waits itself (dependent_launch.cuh).
  bool begins_early = false;

  std::uint64_t seed = 1;  ///< of the rows that are dropped

  const std::uint16_t* in = nullptr;              ///< bf16 [rows][channels]: x; backward of residual_layer: s
  const std::uint16_t* branch = nullptr;          ///< as above; forward of residual_layer
  const std::uint16_t* gradient = nullptr;        ///< of y; backward
  const std::uint16_t* sum_gradient = nullptr;    ///< of s; backward of residual_layer
  const float *gamma = nullptr, *beta = nullptr;  ///< [channels]
  /// [channels]: running statistics; backward of batch_training: the kept mean and the variance.
  const float *mean = nullptr, *variance = nullptr;

  std::uint16_t* out = nullptr;  ///< y
  std::uint16_t* sum = nullptr;  ///< s
  float* statistics = nullptr;  ///< [4][channels]: mean, 1 / √(variance + ε), running mean, running variance
  std::uint16_t* input_gradient = nullptr;
  std::uint16_t* branch_gradient = nullptr;
  float* parameter_gradients = nullptr;    ///< [2][channels]: of γ, of β
  float* partial = nullptr;                ///< scratch: partial_bytes(problem)
  std::uint16_t* scaled_branch = nullptr;  ///< scratch [rows][channels], residual_layer in separate launches

  ABLATE_ON_BOTH std::int64_t elements() const { return rows * channels; }
  ABLATE_ON_BOTH bool is_layer() const { return kind == kind::layer || kind == kind::residual_layer; }
  ABLATE_ON_BOTH float epsilon() const { return is_layer() ? layer_epsilon : batch_epsilon; }
};

/// Blocks that keep partial sums of their own, at most.
constexpr int max_partials = 1024;
std::size_t partial_bytes(const problem&);

/// What a dropped or kept row's branch is multiplied by: hash(row) ≥ p keeps it.
ABLATE_ON_BOTH inline float branch_scale(std::uint64_t seed, float drop, std::int64_t row) {
  if (drop == 0) return 1;
  const std::uint64_t hash = mixed(seed * 0x9e3779b97f4a7c15ull + ~static_cast<std::uint64_t>(row)) >> 40;
  return static_cast<float>(hash) * 0x1p-24f >= drop ? 1 / (1 - drop) : 0;
}

/// Launches a norm as other operations call it: what the fastest variant does.
void normalize(launcher&, const problem&);

}  // namespace ablate::row_norm
