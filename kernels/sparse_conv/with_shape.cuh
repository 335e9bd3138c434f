// Which tile a layer's products are made of, and its operands.
#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/refuse_launch.h"
#include "kernels/common/switches.h"
#include "kernels/sparse_conv/tile_product.cuh"

namespace ablate::sparse_conv {

constexpr int most_columns = 128;

/// Calls `then` with the widest tile that C → C channels fill, of at most `most` columns: 32, 64 or 128.
template <weight_use Use, class Then>
void with_shape(int channels, int most, Then then) {
  if (channels != 32 && channels != 64 && channels % 128 != 0)
    refuse_launch({"sparse_conv: tiles need 32, 64 or a multiple of 128 channels"});
  if (channels == 32 || most == 32) return then(tile_shape<32, 32, Use>());
  if (channels == 64 || most == 64) return then(tile_shape<64, 64, Use>());
  then(tile_shape<most_columns, 64, Use>());
}

/// Columns that a tile has at most: `columns`.
inline int most_columns_of(const switches& s) {
  return s.has("columns") ? static_cast<int>(s.integer("columns")) : most_columns;
}

template <weight_use Use>
tile_operands operands_of(const problem& p) {
  const bool transposes = Use == weight_use::transposed;
  return {transposes ? p.out_gradient : p.x, p.weights, transposes ? p.out_channels : p.in_channels,
          p.in_channels, static_cast<long long>(p.offsets()) * p.in_channels};
}

}  // namespace ablate::sparse_conv
