// The rate of scattered 4 KiB reads, which bounds selected-block attention: it reads 2 KiB of keys and 2 KiB
// of values per list entry. A warp reads a block with eight 16-byte loads per lane and keeps two blocks in
// flight, with 16 warps per SM, as the fastest of those kernels do.
#include <cstdint>

#include "kernels/ceilings/ceilings.h"
#include "kernels/ceilings/launches.h"
#include "kernels/ceilings/scattered_order.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"

namespace ablate::ceilings {

constexpr int gathering_threads = 256, gathering_warps = gathering_threads / 32;
constexpr int gathers_per_warp = static_cast<int>(gathers_per_block) / gathering_warps;
constexpr int half_bytes = gathered_bytes / 2, loads_per_half = half_bytes / 512, blocks_in_flight = 2;

/// The blocks of a memory, and their order.
struct scattered_blocks {
  const unsigned char* memory;
  scattered_order order;

  __device__ const unsigned char* half(unsigned block, int which) const {
    return memory + (block + which * (std::size_t{order.mask} + 1)) * half_bytes;
  }
};

__global__ __launch_bounds__(gathering_threads, 2) void gather_blocks(scattered_blocks in, unsigned* out) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned first = blockIdx.x * static_cast<unsigned>(gathers_per_block) + warp * gathers_per_warp;
  unsigned sum = 0;
#pragma unroll 1
  for (int i = 0; i < gathers_per_warp; i += blocks_in_flight) {
    uint4 values[blocks_in_flight][2][loads_per_half];
#pragma unroll
    for (int j = 0; j < blocks_in_flight; ++j) {
      const unsigned block = in.order.at(first + i + j);
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int k = 0; k < loads_per_half; ++k)
          values[j][half][k] =
              __ldg(reinterpret_cast<const uint4*>(in.half(block, half) + k * 512 + lane * 16));
    }
#pragma unroll
    for (const auto& block : values)
#pragma unroll
      for (const auto& half : block)
#pragma unroll
        for (const uint4& v : half) sum += v.x + v.y + v.z + v.w;
  }
  __shared__ unsigned warps[gathering_warps];
  const unsigned of_warp = __reduce_add_sync(~0u, sum);
  if (lane == 0) warps[warp] = of_warp;
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned total = 0;
  for (const unsigned part : warps) total += part;
  out[blockIdx.x] = total;
}

void gather_4kib(launcher& to, const problem& p, const switches&) {
  const scattered_blocks blocks = {static_cast<const unsigned char*>(p.memory),
                                   scattered_order(p.sector_bits - log2_sectors_gathered)};
  launch(to, gather_blocks, dim3(static_cast<unsigned>(p.elements / gathers_per_block)),
         dim3(gathering_threads), 0, blocks, static_cast<unsigned*>(p.out));
}

}  // namespace ablate::ceilings
