// The rate of wgmma on Hopper: every warpgroup adds A·B (A 64×64, B 64×256, bf16) to fp32 accumulators
// `tensor_rounds` times with m64n256k16, both operands in shared memory, which is constant after the first
// barrier. A block's two warpgroups have 64 rows of A each and share B, so the tensor pipe works for one
// while the other waits; one block fills an SM's registers. Rows of A and columns of B are 64 numbers, 128
// bytes, with the 128-byte swizzle. FLOPs: 2·128·256·64 per round and block. The values are small integers,
// so the sums are exact. Should move: the tensor pipe, beyond what mma.sync reaches.
#include "kernels/ceilings/ceilings.h"
#include "kernels/ceilings/launches.h"
#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/hopper/wgmma.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"

namespace ablate::ceilings {

constexpr int warpgroups = wgmma_rows / 64, wgmma_threads = 128 * warpgroups;

using row_swizzle = hopper::swizzle<2 * wgmma_depth>;

/// A and B in the order of `in`, but swizzled.
struct shared_operands {
  unsigned char a[row_swizzle::span_bytes * wgmma_rows];
  unsigned char b[row_swizzle::span_bytes * wgmma_columns];
};

__global__ __launch_bounds__(wgmma_threads, 1) void multiply_in_shared_memory(const uint4* in, float* out) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  using namespace hopper;
  // A, then B, in `in` as here, in 16-byte chunks; the swizzle pattern restarts at B.
  __shared__ alignas(row_swizzle::pattern_bytes) shared_operands shared;
  auto* const bytes = reinterpret_cast<unsigned char*>(&shared);
  for (unsigned chunk = threadIdx.x; chunk < sizeof shared / 16; chunk += wgmma_threads)
    *reinterpret_cast<uint4*>(bytes + row_swizzle::place(16 * chunk)) = in[chunk];
  fence_shared_for_async();
  __syncthreads();

  const unsigned group = threadIdx.x / 128;
  const std::uint64_t a = matrix_descriptor<row_swizzle>(
      shared_address(shared.a) + group * static_cast<unsigned>(sizeof shared.a / warpgroups));
  const std::uint64_t b = matrix_descriptor<row_swizzle>(shared_address(shared.b));
  float d[wgmma_columns / 2] = {};
#pragma unroll 1
  for (int round = 0; round < tensor_rounds; ++round) {
    wgmma_fence();
#pragma unroll
    for (unsigned k = 0; k < wgmma_depth; k += 16)
      wgmma<wgmma_columns>::shared_a<operand_major::k_major>(d, moved_by(a, 2 * k), moved_by(b, 2 * k), true);
    wgmma_commit();
    wgmma_wait<1>();
  }
  wgmma_wait<0>();
  fence_operand(d);

  const unsigned row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, pair = 2 * (threadIdx.x % 4);
  float* const tile = out + static_cast<long long>(blockIdx.x) * wgmma_rows * wgmma_columns;
#pragma unroll
  for (unsigned i = 0; i < wgmma_columns / 2; i += 2)
    *reinterpret_cast<float2*>(tile + (row + 8 * (i >> 1 & 1)) * wgmma_columns + 8 * (i >> 2) + pair) =
        make_float2(d[i], d[i + 1]);
#endif
}

void tensor_wgmma(launcher& to, const problem& p, const switches&) {
  launch(to, multiply_in_shared_memory, dim3(wgmma_blocks), dim3(wgmma_threads), 0,
         static_cast<const uint4*>(p.in), static_cast<float*>(p.out));
}

}  // namespace ablate::ceilings
