// What stands around products that are added to sums in fp32: the sums cleared, then the bias added and
// rounded.
#include "kernels/sparse_conv/sums.h"

#include <cuda_bf16.h>

#include <cstring>

#include "kernels/common/fill.h"
#include "kernels/common/launch.cuh"

namespace ablate::sparse_conv {

constexpr int round_threads = 256, round_elements = 8;

/// Eight elements a thread; a row is a multiple of them.
__global__ __launch_bounds__(round_threads) void add_bias_and_round(const float* sums, const float* bias,
                                                                    std::uint16_t* out, long long elements,
                                                                    int columns) {
  const long long first = (blockIdx.x * static_cast<long long>(round_threads) + threadIdx.x) * round_elements;
  if (first >= elements) return;
  float x[round_elements];
#pragma unroll
  for (int i = 0; i < round_elements; i += 4)
    *reinterpret_cast<float4*>(x + i) = *reinterpret_cast<const float4*>(sums + first + i);
  if (bias != nullptr) {
    const float* const of_columns = bias + first % columns;
#pragma unroll
    for (int i = 0; i < round_elements; ++i) x[i] += of_columns[i];
  }
  __nv_bfloat162 rounded[round_elements / 2];
#pragma unroll
  for (int i = 0; i < round_elements; i += 2) rounded[i / 2] = __floats2bfloat162_rn(x[i], x[i + 1]);
  uint4 bits;
  memcpy(&bits, rounded, sizeof bits);
  *reinterpret_cast<uint4*>(out + first) = bits;
}

template <weight_use Use>
void clear_sums(launcher& to, const problem& p) {
  fill(to, {{p.sums, p.rows * columns_of<Use>(p), 0}});
}

template <weight_use Use>
void round_sums(launcher& to, const problem& p) {
  const int columns = columns_of<Use>(p);
  const std::int64_t elements = p.rows * columns;
  const bool transposes = Use == weight_use::transposed;
  launch(to, add_bias_and_round, dim3(blocks_for(elements, round_threads * round_elements)),
         dim3(round_threads), 0, p.sums, !transposes && p.has_bias ? p.bias : nullptr,
         transposes ? p.x_gradient : p.y, elements, columns);
}

template void clear_sums<weight_use::forward>(launcher&, const problem&);
template void clear_sums<weight_use::transposed>(launcher&, const problem&);
template void round_sums<weight_use::forward>(launcher&, const problem&);
template void round_sums<weight_use::transposed>(launcher&, const problem&);

}  // namespace ablate::sparse_conv
