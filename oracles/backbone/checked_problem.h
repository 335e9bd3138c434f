#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/backbone/backbone.h"
#include "oracles/common/dense/comparison.h"
#include "oracles/window_attention/deviation.h"
#include "oracles/window_attention_backward/checked_problem.h"

// A pass with what its comparison needs besides.

namespace ablate::backbone {

/// What a case says of itself beyond right and wrong; places in `checked_problem::facts`.
enum fact {
  launches,         ///< kernels of a forward pass, those of libraries included
  host_waits,       ///< times that the host waits within it
  arena_bytes,      ///< of tensors between steps
  live_bytes,       ///< the least that an arena can have
  index_bytes,      ///< of what the order and the pools keep
  weight_bytes,     ///< bf16 matrices and biases, fp32 vectors
  workspace_bytes,  ///< of cuBLASLt, where it is called
  differing_words,  ///< of 16 bits: output of the steps again against that of the pass
  squared_change,   ///< Σ of the squares of these differences, as the bits of a double
  squared_output,   ///< Σ of the squares of the pass's output, the same
  form_of_layers,   ///< a layer_form: whose steps these are
  adds_by_atomics,  ///< 1: some sums are other ones each time
  // Of training: the same sums of the gradients of rows and parameters.
  gradient_bytes,  ///< of all parameters, fp32, beside the arena
  differing_gradients,
  squared_gradient_change,
  squared_gradients,
  fact_count
};

/// Each step has as many comparisons as the part with the most outputs; of a forward step only the first is
/// used, of a gradient's those of what it leaves.
constexpr int comparisons_of_step = 6;

/// Comparisons of a convolution's gradients, in their order.
enum convolution_gradient_part { convolution_weights, convolution_bias, convolution_rows };

/// All by compare_steps.
struct checked_problem : problem {
  dense_layers::comparison* found = nullptr;                        ///< [steps][comparisons_of_step]
  window_attention::deviations* attended = nullptr;                 ///< [steps]: of those that attend
  window_attention_backward::deviations* differentiated = nullptr;  ///< [steps]: of the gradients of these
  std::uint64_t* facts = nullptr;                                   ///< [fact_count]
  std::byte* yardstick = nullptr;                                   ///< yardstick_bytes, its scratch
};

}  // namespace ablate::backbone
