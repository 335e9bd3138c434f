#pragma once

#include <cstdint>

#include "kernels/linear/linear.h"

namespace ablate::backbone {

/// Who computes the layers of a pass.
enum class layer_form {
  library,                ///< cuBLASLt, with launches of their own for what it does not do
  own,                    ///< own kernels, which fuse more
  per_layer_best,         ///< each layer by the one that is faster at its shape; own kernels by wgmma
  per_layer_best_on_mma,  ///< the same, own kernels by mma.sync
  separate,       ///< cuBLASLt's products alone: biases, activations and residuals in launches of their own
  second_stream,  ///< as `per_layer_best`; in training, gradients of parameters beside those of rows
  /// As second_stream, and nothing waits for them before the pass ends.
  second_stream_to_end,
  joined,        ///< as `per_layer_best`, with what is between layers and attention joined (network::joins)
  joined_on_mma  ///< as per_layer_best_on_mma, with that joined
};
constexpr int layer_forms = 9;

/// Whether no layer is an own kernel's.
constexpr bool is_by_library(layer_form form) {
  return form == layer_form::library || form == layer_form::separate;
}

/// Whether training has gradients of parameters beside those of rows.
constexpr bool is_beside(layer_form form) {
  return form == layer_form::second_stream || form == layer_form::second_stream_to_end;
}

/// Whether each layer is by the one that is faster on Hopper.
constexpr bool chooses_on_hopper(layer_form form) {
  return form == layer_form::per_layer_best || is_beside(form) || form == layer_form::joined;
}

/// Whether each layer is by the one that is faster where own kernels multiply by mma.sync.
constexpr bool chooses_on_mma(layer_form form) {
  return form == layer_form::per_layer_best_on_mma || form == layer_form::joined_on_mma;
}

/// Whether what is between layers and attention is joined, in inference.
constexpr bool is_joined(layer_form form) {
  return form == layer_form::joined || form == layer_form::joined_on_mma;
}

/// What the choice depends on. Of swiglu, `outputs` are those of both halves.
struct layer_shape {
  std::int64_t rows = 0;
  int inputs = 0, outputs = 0;
  linear::epilogue behind = linear::epilogue::bias;
  bool has_norm = false;
};

enum class multiplier { library, own };
enum class norm_place {
  product,  ///< in the launch of the product, on rows in shared memory
  launch    ///< in a launch before it
};

enum class bias_place {
  product,  ///< with what else follows the product, as far as its multiplier does that
  launch    ///< after it
};

/// How a linear layer is computed. Without a norm, `norm` is `product`.
struct layer_plan {
  multiplier by = multiplier::own;
  norm_place norm = norm_place::product;
  bias_place bias = bias_place::product;
  bool operator==(const layer_plan&) const = default;
};

layer_plan plan_of(layer_form, const layer_shape&);

/// Who computes the gradient of a layer's weight, and of its rows: of an MLP that of all.
multiplier weight_gradient_by(layer_form, int inputs);
constexpr multiplier gradient_by(layer_form form) {
  return form == layer_form::own ? multiplier::own : multiplier::library;
}

/// MLPs of so many channels are one launch in every form with own kernels.
constexpr int always_one_launch = 32;
/// Whether both layers of a SwiGLU MLP of `channels` channels, its norm and its residual are one launch.
bool is_mlp_in_one_launch(layer_form, std::int64_t rows, int channels);

}  // namespace ablate::backbone
