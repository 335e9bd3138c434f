// Which tile a layer's products are made of, and its operands.
#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/refuse_launch.h"
#include "kernels/sparse_conv/tile_product.cuh"

namespace ablate::sparse_conv {

/// Calls `then` with the widest tile that C → C channels fill, of at most 128.
template <weight_use Use, class Then>
void with_shape(int channels, Then then) {
  if (channels == 32) return then(tile_shape<32, 32, Use>());
  if (channels == 64) return then(tile_shape<64, 64, Use>());
  if (channels % 128 != 0) refuse_launch({"sparse_conv: tiles need 32, 64 or a multiple of 128 channels"});
  then(tile_shape<128, 64, Use>());
}

template <weight_use Use>
tile_operands operands_of(const problem& p) {
  const bool transposes = Use == weight_use::transposed;
  return {transposes ? p.out_gradient : p.x, p.weights, transposes ? p.out_channels : p.in_channels,
          p.in_channels, static_cast<long long>(p.offsets()) * p.in_channels};
}

}  // namespace ablate::sparse_conv
