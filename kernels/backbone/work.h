#pragma once

#include <cstdint>

#include "kernels/backbone/network.h"

namespace ablate::backbone {

/// Floating-point operations of a forward pass, by what does them.
struct operations {
  double attention = 0, linear = 0, convolution = 0;

  double all() const { return attention + linear + convolution; }
};
operations operations_of(const network&);

/// What the chip can do at most, measured by this project's ceilings: specification, backbone §2.1 and §3.
struct chip_rates {
  double bytes = 4.27e12, flops = 910e12, exponentials = 4.18e12;  ///< a second
  double launch_us = 0.82;
};

/// The least time of a pass: each step by what bounds it, bytes, operations or exponentials, and four
/// launches a block, PTv3 six.
double floor_us(const network& by_own, const chip_rates& = {});

}  // namespace ablate::backbone
