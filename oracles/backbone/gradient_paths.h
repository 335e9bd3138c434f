#pragma once

#include <string>

#include "kernels/network/network.h"

namespace ablate::backbone {

/// Why the gradient steps of a network that trains are not those of its forward steps, or an empty text. Each
/// step is compared with arithmetic on its own inputs, and so is right whatever it is given; this is whether
/// it is given what it should be. It follows from the forward steps alone: what several of them read has the
/// sum of what all of them send back, and each step with a gradient has one gradient step that takes the sum
/// of what it wrote, with its own layer, rows, windows and dropped rows. Independent of how
/// gradient_steps.cpp comes to them; at any size.
std::string violated_gradients(const network&);

}  // namespace ablate::backbone
