#pragma once

#include "kernels/network/network.h"

namespace ablate::backbone {

/// A forward pass whose output is that tensor, and after it the gradients of its rows and of all parameters,
/// from the given gradient of the output: the forward steps backwards, each followed by what it needs.
/// Tensors of the forward pass live as long as a gradient reads them; the arena is not laid out yet. Throws
/// std::logic_error where a step has no gradient.
network with_gradients(network forward, int out);

}  // namespace ablate::backbone
