#pragma once

#include <array>
#include <cstdint>

#include "kernels/compression_attention_backward/compression_attention_backward.h"
#include "kernels/global_attention/global_attention.h"

/// What layers of global attention that are trained have in common: forward, with all that gradients need
/// saved, and backward (dense_attention_backward, gated_attention_backward, block_sparse_attention_backward).
/// Of dO, the gradient of the layer's output, dQ, dK and dV. Inputs are finite.
namespace ablate::global_attention_backward {

using global_attention::width;

enum class phase {
  attend,        ///< forward alone, ahead of a region that is backward alone
  train,         ///< forward and backward
  differentiate  ///< backward of what `attend` left
};

constexpr int gradients = 3;  ///< dQ, dK, dV

/// What a layer has beside its forward pass, whose phases are unused.
struct backward_pass {
  phase work = phase::train;

  const std::uint16_t* out_gradient = nullptr;       ///< dO, bf16 [heads][tokens][64]
  std::array<std::uint16_t*, gradients> gradient{};  ///< dQ, dK, dV, as dO
  void* row_scratch = nullptr;                       ///< window_attention_backward::scratch_bytes

  bool is_forward() const { return work != phase::differentiate; }
  bool is_backward() const { return work != phase::attend; }
};

/// Gradients of attention of all tokens of a layer to all, in its memory.
compression_attention_backward::problem among_all(const global_attention::layer& forward,
                                                  const backward_pass&);

}  // namespace ablate::global_attention_backward
