// The gradient of the hidden layer, eight columns of a row at a time: from dH and Z to dZ and act(Z).
#pragma once

#include "kernels/common/dense/activation.h"
#include "kernels/common/dense/row_chunk.cuh"
#include "kernels/mlp/mlp.h"

namespace ablate::mlp {

using namespace dense_layers;

struct hidden_view {
  const std::uint16_t* z;  ///< [rows][columns] or [rows][2 · columns]
  std::uint16_t *z_gradient, *hidden;
  long long rows;
  int columns;  ///< h
};

inline hidden_view hidden_view_of(const problem& p) {
  return {p.z, p.product, p.hidden, p.rows, p.hidden_columns()};
}

/// 8 hidden columns of a row, in place: dH becomes dZ (of swiglu the gate's), the gate or Z becomes act(Z),
/// and the other half its gradient.
template <kind Kind>
__device__ void differentiate(float (&gradient)[chunk], float (&z)[chunk], float (&other)[chunk]) {
#pragma unroll
  for (int i = 0; i < chunk; ++i) {
    const float of_hidden = gradient[i];
    if constexpr (is_gated<Kind>) {
      const float s = silu(z[i]);
      gradient[i] = of_hidden * other[i] * silu_slope(z[i]);
      z[i] = s * other[i];
      other[i] = of_hidden * s;
    } else {
      gradient[i] = of_hidden * gelu_erf_slope(z[i]);
      z[i] = gelu_erf(z[i]);
    }
  }
}

/// The same of a lane's 8 columns from `column` on, loaded and stored: `gradient` and, where there is a
/// second half, `other` are left with what was stored, before it was rounded.
template <kind Kind>
__device__ void differentiate_columns(const hidden_view& v, long long row, int column,
                                      float (&gradient)[chunk], float (&other)[chunk]) {
  const long long of_z = (is_gated<Kind> ? 2 : 1) * row * v.columns + column;
  float z[chunk];
  unpack(z, load_chunk(v.z, of_z / chunk));
  if constexpr (is_gated<Kind>) unpack(other, load_chunk(v.z, (of_z + v.columns) / chunk));
  differentiate<Kind>(gradient, z, other);
  store_chunk(v.z_gradient, of_z / chunk, pack(gradient));
  if constexpr (is_gated<Kind>) store_chunk(v.z_gradient, (of_z + v.columns) / chunk, pack(other));
  store_chunk(v.hidden, (row * v.columns + column) / chunk, pack(z));
}

}  // namespace ablate::mlp
