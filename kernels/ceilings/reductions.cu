// The rate of reductions (red.global.add, no value returned) by target pattern and operand: the second floor
// for kernels that count with atomics (docs/operations/voxelize.md, "Work").
//   distinct      i → counter (i · odd) mod counters: each lane of a warp on a 32-byte sector of its own
//   full sectors  the 8 (4 with 8-byte operands) neighbors of a sector at once, sectors in that order
//   equal         all to one address
// All counters take equal shares. Even the one address is computed from i, with a mask that is 0: where ptxas
// sees a warp add integers to one address, it sends their sum, once.
//
// Should move, per reduction: lts__t_sectors_op_red by 1 for distinct sectors, by 1/8 (1/4) for full ones.
// The ratio of the two rates tells whether a chip's limit is in sectors or in words.
#include <cstdint>

#include "kernels/ceilings/ceilings.h"
#include "kernels/ceilings/launches.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"

namespace ablate::ceilings {

constexpr int threads_per_block = 256;
constexpr int reductions_per_thread = 4;

__device__ void reduce(std::uint32_t* counter) {
  asm volatile("red.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}
__device__ void reduce(float* counter) {
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(counter), "f"(1.0f) : "memory");
}
__device__ void reduce(std::uint64_t* counter) {
  asm volatile("red.global.add.u64 [%0], %1;" ::"l"(counter), "l"(1ull) : "memory");
}
__device__ void reduce(float2* counter) {
#if __CUDA_ARCH__ >= 900
  asm volatile("red.global.add.v2.f32 [%0], {%1, %1};" ::"l"(counter), "f"(1.0f) : "memory");
#else
  __trap();  // needs sm_90, as the variants declare
#endif
}

/// Calls `use(i)` for this thread's reductions; consecutive threads have consecutive i.
template <class Use>
__device__ void for_my_reductions(long long reductions, Use use) {
  const long long first =
      static_cast<long long>(blockIdx.x) * threads_per_block * reductions_per_thread + threadIdx.x;
#pragma unroll
  for (int k = 0; k < reductions_per_thread; ++k)
    if (first + k * threads_per_block < reductions) use(static_cast<unsigned>(first + k * threads_per_block));
}

/// Multiplying by an odd number permutes a power-of-two range: each counter takes the same number of
/// reductions.
__device__ unsigned scattered(unsigned i, unsigned mask) { return (i * first_factor) & mask; }

template <class Counter>
__global__ __launch_bounds__(threads_per_block) void reduce_scattered(Counter* counters, unsigned mask,
                                                                      long long reductions) {
  for_my_reductions(reductions, [&](unsigned i) { reduce(counters + scattered(i, mask)); });
}

template <class Counter>
__global__ __launch_bounds__(threads_per_block) void reduce_full_sectors(Counter* counters, unsigned mask,
                                                                         long long reductions) {
  constexpr unsigned in_sector = sector_bytes / sizeof(Counter);
  for_my_reductions(reductions, [&](unsigned i) {
    reduce(counters + scattered(i / in_sector, mask / in_sector) * in_sector + i % in_sector);
  });
}

template <class Counter>
__global__ __launch_bounds__(threads_per_block) void reduce_one_address(Counter* counter, unsigned mask,
                                                                        long long reductions) {
  for_my_reductions(reductions, [&](unsigned i) { reduce(counter + (i & mask)); });
}

namespace {

template <class Counter>
void launch_reductions(launcher& to, void (*kernel)(Counter*, unsigned, long long), const problem& p) {
  launch(to, kernel, dim3(blocks_for(p.elements, threads_per_block * reductions_per_thread)),
         dim3(threads_per_block), 0, static_cast<Counter*>(p.out), static_cast<unsigned>(p.counters - 1),
         p.elements);
}

/// Calls `form(Counter{})` for the problem's operand.
template <class Form>
void with_counter(const problem& p, Form form) {
  switch (p.reduced) {
    case operand::int32:
      return form(std::uint32_t{});
    case operand::float32:
      return form(float{});
    case operand::uint64:
      return form(std::uint64_t{});
    case operand::float32x2:
      return form(float2{});
  }
}

}  // namespace

void red_scattered(launcher& to, const problem& p, const switches&) {
  with_counter(p, [&](auto zero) { launch_reductions(to, reduce_scattered<decltype(zero)>, p); });
}

void red_full_sectors(launcher& to, const problem& p, const switches&) {
  with_counter(p, [&](auto zero) { launch_reductions(to, reduce_full_sectors<decltype(zero)>, p); });
}

void red_one_address(launcher& to, const problem& p, const switches&) {
  with_counter(p, [&](auto zero) { launch_reductions(to, reduce_one_address<decltype(zero)>, p); });
}

}  // namespace ablate::ceilings
