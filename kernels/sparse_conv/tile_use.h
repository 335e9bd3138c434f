#pragma once

#include "kernels/sparse_conv/sparse_conv.h"

namespace ablate::sparse_conv {

/// How weights [out][offset][in] are multiplied.
enum class weight_use {
  forward,    ///< contracted: in channels; a tile's rows are its out channels
  transposed  ///< contracted: out channels; a tile's rows are those, in channels side by side
};

/// Channels of the product: Y's or dX's.
template <weight_use Use>
int columns_of(const problem& p) {
  return Use == weight_use::transposed ? p.in_channels : p.out_channels;
}

/// What a problem computes, in this order.
template <class Forward, class InputGradient>
void for_each_product(const problem& p, Forward forward, InputGradient input_gradient) {
  if (p.forward) forward();
  if (p.input_gradient) input_gradient();
}

}  // namespace ablate::sparse_conv
