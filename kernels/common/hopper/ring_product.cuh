#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/hopper/wgmma.cuh"

namespace ablate::hopper {

/// In shared memory: stages of tiles of both sides, 64 elements of K each in swizzled rows of 128 bytes, and
/// the barriers that tell when one is full or may be filled.
template <int Stages, std::size_t RowBytes, std::size_t ColumnBytes>
struct product_ring {
  static constexpr int stages = Stages;
  alignas(1024) unsigned char rows[Stages][RowBytes];
  alignas(1024) unsigned char columns[Stages][ColumnBytes];
  barrier full[Stages], empty[Stages];
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// The ring at the first multiple of 1024 bytes, its barriers for one thread that fills and so many warps
/// that empty; for all threads of the block, which meet at a barrier after it.
template <class Ring>
__device__ inline Ring& begin_ring(unsigned char* raw, int consumer_warps) {
  const unsigned misaligned = shared_address(raw) % 1024;
  auto& ring = *reinterpret_cast<Ring*>(raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  if (threadIdx.x == 0) {
    for (int s = 0; s < Ring::stages; ++s) {
      initialize(ring.full[s], 1);
      initialize(ring.empty[s], static_cast<unsigned>(consumer_warps));
    }
    fence_initialization();
  }
  return ring;
}

/// The products of a warpgroup, 64 rows of a tile by its columns, over all steps. Empties a stage when the
/// products that read it are done, one step later, by an arrival of each warp; advances the ring. `Leading`,
/// of the columns' descriptor, and `OfK16`, between their elements 16 apart in K, in bytes.
template <int Columns, operand_major Major, unsigned Leading, unsigned OfK16, class Ring>
__device__ inline void multiply_through_ring(float (&d)[Columns / 2], int steps, Ring& ring, int group,
                                             ring_position& at) {
  constexpr int step_elements = 64;
  unsigned before = 0;
  for (int step = 0; step < steps; ++step) {
    wait(ring.full[at.stage], at.parity);
    const std::uint64_t a =
        matrix_descriptor<swizzle<128>>(shared_address(ring.rows[at.stage]) + group * 64 * 128);
    const std::uint64_t b = matrix_descriptor<swizzle<128>>(shared_address(ring.columns[at.stage]), Leading);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < step_elements / 16; ++k)
      wgmma<Columns>::template shared_a<Major>(d, moved_by(a, 32 * k), moved_by(b, OfK16 * k),
                                               step > 0 || k > 0);
    wgmma_commit();
    if (step > 0) {
      wgmma_wait<1>();
      if (threadIdx.x % 32 == 0) arrive(ring.empty[before]);
    }
    before = at.stage;
    at.advance<Ring::stages>();
  }
  wgmma_wait<0>();
  fence_operand(d);
  if (threadIdx.x % 32 == 0) arrive(ring.empty[before]);
}

#endif

}  // namespace ablate::hopper
