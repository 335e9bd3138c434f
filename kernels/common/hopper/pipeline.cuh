#pragma once

#include <cuda.h>

#include <cstdint>
#include <cuda/ptx>

namespace ablate::hopper {

/// Barriers and copies of Hopper (PTX ISA: mbarrier, cp.async.bulk.tensor, barrier, setmaxnreg), as
/// cuda::ptx spells them where it has them.

using barrier = std::uint64_t;  ///< an mbarrier in shared memory

__device__ inline unsigned shared_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

__device__ inline void initialize(barrier& b, unsigned arrivals) { cuda::ptx::mbarrier_init(&b, arrivals); }

/// After the initializations, before the block's barrier: makes them visible to asynchronous copies.
__device__ inline void fence_initialization() {
  cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
}

/// One arrival, expecting copies to deliver `bytes` before the phase completes.
__device__ inline void arrive_expecting(barrier& b, unsigned bytes) {
  cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared,
                                       &b, bytes);
}

__device__ inline void arrive(barrier& b) {
  cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared, &b);
}

/// Returns once the phase of this parity is complete; on a fresh barrier, that of parity 1 is.
__device__ inline void wait(barrier& b, unsigned parity) {
  while (!cuda::ptx::mbarrier_try_wait_parity(&b, parity)) {
  }
}

/// The same, by shared-memory address.
__device__ inline void arrive(unsigned barrier_address) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(barrier_address) : "memory");
}
__device__ inline void wait(unsigned barrier_address, unsigned parity) {
  unsigned done;
  do {
    asm volatile(
        "{\n\t.reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.b32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(barrier_address), "r"(parity)
        : "memory");
  } while (!done);
}

/// One arrival at this block's barrier and at those in its place in the other blocks of the cluster, by a
/// warp's first `Blocks` lanes.
template <int Blocks>
__device__ inline void arrive_in_cluster(unsigned barrier_address) {
  const unsigned block = threadIdx.x % 32;
  if constexpr (Blocks == 1) {
    if (block == 0) arrive(barrier_address);
  } else if (block < Blocks) {
    asm volatile(
        "{\n\t.reg .b32 there;\n\t"
        "mapa.shared::cluster.u32 there, %0, %1;\n\t"
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n\t}" ::"r"(barrier_address),
        "r"(block)
        : "memory");
  }
}
/// Waits for arrivals from all blocks of the cluster.
__device__ inline void wait_in_cluster(barrier& b, unsigned parity) {
  unsigned done;
  do {
    asm volatile(
        "{\n\t.reg .pred p;\n\t"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.b32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(shared_address(&b)), "r"(parity)
        : "memory");
  } while (!done);
}
/// Of all threads of the cluster's blocks.
__device__ inline void synchronize_cluster() {
  cuda::ptx::barrier_cluster_arrive();
  cuda::ptx::barrier_cluster_wait();
}

/// A stage of a ring and the parity of its barriers' phase.
struct ring_position {
  unsigned stage = 0, parity = 0;
  template <int Stages>
  __device__ void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  /// After so many steps from the beginning.
  template <int Stages>
  __device__ static ring_position after(unsigned steps) {
    return {steps % Stages, steps / Stages % 2};
  }
};

/// A consumer's position in a ring of consecutive tiles, each with a "full" and an "empty" barrier.
/// Descriptors and barrier addresses advance by additions: `Step` is what a stage adds to the low word of the
/// tile's matrix descriptor.
template <int Stages, unsigned Step>
class tile_ring {
 public:
  __device__ tile_ring(std::uint64_t first_descriptor, const barrier* full, const barrier* empty)
      : low_(static_cast<unsigned>(first_descriptor)),
        high_(static_cast<unsigned>(first_descriptor >> 32)),
        full_(shared_address(full)),
        empty_(shared_address(empty)) {}

  /// At the beginning: as if so many tiles had been left.
  __device__ void skip(unsigned tiles) {
    stage_ = tiles % Stages;
    parity_ = tiles / Stages % 2;
    low_ += stage_ * Step;
    full_ += stage_ * sizeof(barrier);
    empty_ += stage_ * sizeof(barrier);
  }

  __device__ std::uint64_t descriptor() const { return static_cast<std::uint64_t>(high_) << 32 | low_; }
  __device__ void await() const { wait(full_, parity_); }
  /// This warp is done with the tile; advances to the next.
  __device__ void leave() {
    if (threadIdx.x % 32 == 0) arrive(empty_);
    low_ += Step;
    full_ += sizeof(barrier);
    empty_ += sizeof(barrier);
    if (++stage_ < Stages) return;
    stage_ = 0;
    parity_ ^= 1;
    low_ -= Stages * Step;
    full_ -= Stages * sizeof(barrier);
    empty_ -= Stages * sizeof(barrier);
  }

 private:
  unsigned low_, high_, full_, empty_, stage_ = 0, parity_ = 0;
};

/// Makes ordinary writes to shared memory visible to asynchronous copies and MMAs.
__device__ inline void fence_shared_for_async() { cuda::ptx::fence_proxy_async(cuda::ptx::space_shared); }

/// A barrier of `threads` threads by number, 1 … 15 (0 is the block's own).
__device__ inline void named_barrier_wait(int id, int threads) {
  asm volatile("barrier.cta.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ inline void named_barrier_arrive(int id, int threads) {
  asm volatile("barrier.cta.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// The number of this thread's warpgroup in its block, by all threads of a warp. Lane 0 tells it to the
/// others: so the compiler knows that a branch on it is not divergent, and after the branch keeps matrix
/// descriptors in uniform registers; else moves (R2UR) bring them there before each MMA.
__device__ inline int warpgroup() { return __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0); }

/// Sets the registers per thread of this warpgroup from here on; all four warps execute it.
template <int Registers>
__device__ inline void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ inline void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

}  // namespace ablate::hopper
