#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "oracles/backbone/rounder.h"

namespace ablate::backbone {

/// The gradient steps of the oracle (reference.h): naive loops in fp64. Q, K and V and their gradients are
/// side by side, whatever the variants do.
class gradient_evaluator {
 public:
  using values = std::vector<double>;

  gradient_evaluator(const problem&, const network&, const rounder&);

  /// What a step leaves in its tensor, from tensors of all numbers; of parameters it keeps the gradients.
  values of_step(const step&, const std::vector<values>& tensors);
  /// Training: GELU of a batch norm by the real rows' statistics, and the mean or maximum of each cluster;
  /// padding is 0.
  values batch_normed(const step&, const values& x) const;
  values pooled(const step&, const values& x) const;
  /// Training: a branch's rows that drop path keeps, divided by 1 − p; others are 0.
  values kept_of_branch(const step&, const values& branch) const;
  /// Of all parameters, as gradient_places has them.
  values take() { return std::move(parameters_); }

 private:
  values of_kept(const step&, const values& gradient, const std::vector<values>& tensors);
  values of_linear(const step&, const values& gradient, const values& kept);
  /// `beside`: of the residual's path.
  values of_mlp(const step&, const values& gradient, const values& beside, const values& kept,
                const values& z);
  values of_attention(const step&, const values& gradient, const values& qkv) const;
  /// Into those of a head of a window: of `count` queries from `first` on, and what they add to all keys'.
  struct head_rows;
  void add_gradients(head_rows&, std::size_t first, std::size_t count, std::size_t width) const;
  values of_batch(const step&, const values& gradient, const values& x);
  values of_pool(const step&, const values& gradient, const std::vector<values>& tensors) const;
  values of_maximum(const step&, const values& gradient, const values& x) const;
  values of_moved(const step&, const values& gradient) const;
  values of_convolution(const step&, const values& gradient, const values& x);
  values of_unpool(const step&, const values& gradient) const;
  values of_restore(const step&, const values& gradient) const;
  values of_embed(const step&, const values& gradient);

  /// dY · W, not rounded; and into the layer's gradients dYᵀ · X and Σ dY.
  values of_rows(int layer, const values& gradient) const;
  void add_layer(int layer, const values& gradient, const values& x);
  /// Of rows x before a norm, from that of the normed ones, and `beside`, which may be empty.
  values of_norm(int norm, const values& gradient, const values& x, const values& beside);
  values normed(int norm, const values& x) const;
  void round(values&) const;

  const problem& p_;
  const network& n_;
  rounder rounded_;
  values parameters_;
};

}  // namespace ablate::backbone
