// The rate of mma.sync: every warp adds A·B (A 16×16, B 16×32, bf16) to fp32 accumulators `tensor_rounds`
// times, all in registers, in four independent 16×8 tiles. FLOPs: 2·16·32·16 per round and warp. The values
// are small integers, so the sums are exact. Should move: the tensor pipe, to its ceiling for this
// instruction (wgmma goes higher on Hopper). Fragment layout: PTX ISA, "Matrix Fragments for mma.m16n8k16"
// (.bf16).
#include "kernels/ceilings/ceilings.h"
#include "kernels/ceilings/launches.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"

namespace ablate::ceilings {

constexpr int tiles = tile_columns / 8;

__device__ unsigned pair_of(const unsigned short* low, const unsigned short* high) {
  return static_cast<unsigned>(*low) | static_cast<unsigned>(*high) << 16;
}

__global__ __launch_bounds__(32 * tensor_warps_per_block) void multiply_in_registers(const unsigned short* in,
                                                                                     float* out) {
  const unsigned short* a = in;
  const unsigned short* b = in + tile_rows * tile_depth;
  const int lane = threadIdx.x % 32;
  const int row = lane / 4, pair = 2 * (lane % 4);

  unsigned a_fragment[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const unsigned short* at = a + (row + 8 * (i % 2)) * tile_depth + pair + 8 * (i / 2);
    a_fragment[i] = pair_of(at, at + 1);
  }
  unsigned b_fragment[tiles][2];
#pragma unroll
  for (int t = 0; t < tiles; ++t)
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const unsigned short* at = b + (pair + 8 * i) * tile_columns + 8 * t + row;
      b_fragment[t][i] = pair_of(at, at + tile_columns);
    }

  float d[tiles][4] = {};
  for (int round = 0; round < tensor_rounds; ++round) {
#pragma unroll
    for (int t = 0; t < tiles; ++t)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
          "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
          : "+f"(d[t][0]), "+f"(d[t][1]), "+f"(d[t][2]), "+f"(d[t][3])
          : "r"(a_fragment[0]), "r"(a_fragment[1]), "r"(a_fragment[2]), "r"(a_fragment[3]),
            "r"(b_fragment[t][0]), "r"(b_fragment[t][1]));
  }

  const long long warp = static_cast<long long>(blockIdx.x) * tensor_warps_per_block + threadIdx.x / 32;
  float* tile = out + warp * tile_rows * tile_columns;
#pragma unroll
  for (int t = 0; t < tiles; ++t)
#pragma unroll
    for (int i = 0; i < 4; ++i) tile[(row + 8 * (i / 2)) * tile_columns + 8 * t + pair + i % 2] = d[t][i];
}

void mma_sync_bf16(launcher& to, const problem& p, const switches&) {
  launch(to, multiply_in_registers, dim3(tensor_blocks), dim3(32 * tensor_warps_per_block), 0,
         static_cast<const unsigned short*>(p.in), static_cast<float*>(p.out));
}

}  // namespace ablate::ceilings
