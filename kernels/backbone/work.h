#pragma once

#include <string>
#include <vector>

#include "kernels/network/network.h"

namespace ablate::backbone {

/// Floating-point operations of a pass, by what does them; in training with the gradients': attention's
/// are two and a half times the forward pass's, layers' twice.
struct operations {
  double attention = 0, linear = 0, convolution = 0;

  double all() const { return attention + linear + convolution; }
};
operations operations_of(const network&);

/// All steps of a kind, a launch each, and what they do together.
struct steps_of_kind {
  std::string kind;  ///< attention, linear, mlp, convolution, index, rows; …_gradient
  long count = 0;
  double read_bytes = 0, written_bytes = 0;  ///< from step to step, and of weights
  double flops = 0, exponentials = 0;
};

/// The steps of a pass, in the order in which their kinds first come; without those that could be done at the
/// end of another. Activations and weights count once where a step reads or writes them. In training also
/// each gradient's: what it must read of what the forward pass kept and of the gradient that arrives, and
/// write; nothing for norms and activations that are computed again, or for rows that are moved.
std::vector<steps_of_kind> steps_by_kind(const network& by_own);

}  // namespace ablate::backbone
