// What is around products that are added to sums in fp32: the sums cleared, then the bias added and
// rounded.
#include "kernels/sparse_conv/sums.h"

#include <cuda_bf16.h>

#include <cstring>

#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/fill.h"
#include "kernels/common/launch.cuh"

namespace ablate::sparse_conv {

constexpr int round_threads = 256, round_elements = 8;

/// Eight elements a thread; a row is a multiple of them.
__device__ inline long long first_of_thread() {
  return (blockIdx.x * static_cast<long long>(round_threads) + threadIdx.x) * round_elements;
}

__device__ inline void round_eight(const float* sums, const float* bias, std::uint16_t* out, long long first,
                                   int columns) {
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

__global__ __launch_bounds__(round_threads) void add_bias_and_round(const float* sums, const float* bias,
                                                                    std::uint16_t* out, long long elements,
                                                                    int columns) {
  const long long first = first_of_thread();
  if (first < elements) round_eight(sums, bias, out, first, columns);
}

/// Leaves the sums as the next products want them: what they are read from is in L2, where 0 costs less than
/// a launch that fills them.
__global__ __launch_bounds__(round_threads) void round_and_clear(float* sums, const float* bias,
                                                                 std::uint16_t* out, long long elements,
                                                                 int columns) {
  let_next_kernel_begin();
  wait_for_previous_kernel();
  const long long first = first_of_thread();
  if (first >= elements) return;
  round_eight(sums, bias, out, first, columns);
#pragma unroll
  for (int i = 0; i < round_elements; i += 4) *reinterpret_cast<float4*>(sums + first + i) = float4{};
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

void round_and_clear_sums(launcher& to, const problem& p) {
  const std::int64_t elements = p.rows * p.out_channels;
  launch(to, round_and_clear,
         {.grid = dim3(blocks_for(elements, round_threads * round_elements)),
          .block = dim3(round_threads),
          .overlaps_previous = true},
         p.sums, p.has_bias ? p.bias : nullptr, p.y, elements, p.out_channels);
}

template void clear_sums<weight_use::forward>(launcher&, const problem&);
template void clear_sums<weight_use::transposed>(launcher&, const problem&);
template void round_sums<weight_use::forward>(launcher&, const problem&);
template void round_sums<weight_use::transposed>(launcher&, const problem&);

}  // namespace ablate::sparse_conv
