#pragma once

#include <cstdint>

#include "kernels/network/network.h"

namespace ablate::backbone {

/// Floating-point operations of a pass, by what does them; in training with the gradients', of which those of
/// attention are two and a half times the forward pass's, those of layers twice.
struct operations {
  double attention = 0, linear = 0, convolution = 0;

  double all() const { return attention + linear + convolution; }
};
operations operations_of(const network&);

/// What the chip can do at most, measured by this project's ceilings (docs/operations/backbone.md, "Work").
struct chip_rates {
  double bytes = 4.27e12, flops = 910e12, exponentials = 4.18e12;  ///< a second
  double launch_us = 0.82;
};

/// The least time of a pass: each step by what bounds it, bytes, operations or exponentials, and four
/// launches a block, PTv3 six. In training also each gradient's: what it must read of what the forward pass
/// kept and of the gradient that arrives, and write; nothing for norms and activations that are computed
/// again, or for rows that are moved; and as many launches again.
double floor_us(const network& by_own, const chip_rates& = {});

}  // namespace ablate::backbone
