#pragma once

#include "kernels/window_attention_backward/window_attention_backward.h"

namespace ablate::window_attention_backward {

/// problem.moved, split into what the variants that move scattered rows write, all in window order: the
/// forward pass's results, dO, and the gradients. Null without memory, and for rows that are not scattered.
struct moved_rows {
  /// bf16 [batches][tokens][heads][width] each.
  std::uint16_t *q = nullptr, *k = nullptr, *v = nullptr, *out = nullptr, *out_gradient = nullptr;
  std::uint16_t *q_gradient = nullptr, *k_gradient = nullptr, *v_gradient = nullptr;
  float* lse = nullptr;   ///< [batches][heads][tokens]
  std::size_t bytes = 0;  ///< of all

  explicit moved_rows(const problem&);
};

/// The problem with consecutive windows in the moved rows, gradients too; no table is read.
problem in_moved_rows(const problem&, const moved_rows&);

}  // namespace ablate::window_attention_backward
