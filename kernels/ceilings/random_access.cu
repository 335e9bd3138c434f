// The rate of accesses in pseudo-random order, by the size of the memory that they spread over: an upper
// bound for a hash table of that size.
//   access i of n → sector π(i mod S) of S = 2^k sectors of 32 bytes, π the bijection of ceilings.h
// Layout: 64-bit words, four per sector; an access takes the first (a 16-byte load the first two).
// Consecutive threads have consecutive i, so one access of a warp touches 32 scattered sectors.
//
// Idea: addresses come from a handful of multiplications, never from memory, and each thread has 8
// independent accesses (8 chains of two for the pairs) at full occupancy: 2048 threads per SM, at 32
// registers each. So the memory system is the only thing waited for.
//
// Should move, per access: the L1 hit rate up to about 200 KiB (loads only); lts__t_sectors_srcunit_tex by 1
// from there on; beyond L2, dram__bytes_read by 64 for a load and by 32 to 46 for accesses that write, and
// dram__bytes_write by 32 for the latter. Dependent loads are no slower: other threads hide their latency.
//
// A compare-and-swap expects the present value and stores it back: it succeeds however often and in whatever
// order launches run, and its word is written back. One that changes its word was as fast, and so was one
// that fails. On a single word, compare-and-swaps are serialized (1.35 G/s on an H200). Returning additions
// reach 42 G/s because ptxas merges a warp's into one, here as in any kernel that draws numbers this way:
// 1.31 G/s really sent.
//
// Tried on an H200 at 16 MiB, 256 MiB and 1 GiB, and the same within 1 %: 4 and 16 accesses per thread, half
// the occupancy with 16 in flight, loads bypassing L1, __ldg. Limiting the L2 fetch granularity to 32 bytes
// made loads of 256 MiB 3 % slower, to 128 bytes 15 %. A launch that sweeps the memory several times does so
// in the same order, so just above L2's size it sees less reuse than a table would: 67 G loads/s at 64 MiB,
// against 79 where blocks of 64 accesses per thread changed the order.
#include <cstdint>

#include "kernels/ceilings/ceilings.h"
#include "kernels/ceilings/launches.h"
#include "kernels/ceilings/scattered_order.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"

namespace ablate::ceilings {

constexpr int block_threads = 256, blocks_per_multiprocessor = 8;
constexpr int accesses_per_thread = accesses_per_block / block_threads;

/// The memory as a kernel argument.
struct sectors {
  std::uint64_t* words;
  scattered_order order;

  __device__ unsigned at(unsigned access) const { return order.at(access); }
  __device__ std::uint64_t* first_word(unsigned sector) const {
    return words + static_cast<std::size_t>(sector) * words_per_sector;
  }
};

__device__ std::uint64_t filled(std::uint64_t index) {
  const std::uint64_t m = (index + 1) * word_factor;
  return m ^ m >> 32;
}

/// Initial value of a sector's first word.
__device__ std::uint64_t filled_first(unsigned sector) {
  return filled(static_cast<std::uint64_t>(sector) * words_per_sector);
}

__device__ unsigned both_halves(std::uint64_t value) {
  return static_cast<unsigned>(value) + static_cast<unsigned>(value >> 32);
}

/// Access k of this thread.
__device__ unsigned access_of(int k) {
  return blockIdx.x * static_cast<unsigned>(accesses_per_block) + k * block_threads + threadIdx.x;
}

__device__ void write_block_sum(unsigned of_thread, unsigned* out) {
  __shared__ unsigned warps[block_threads / 32];
  const unsigned of_warp = __reduce_add_sync(0xffffffffu, of_thread);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = of_warp;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned total = 0;
    for (unsigned part : warps) total += part;
    out[blockIdx.x] = total;
  }
}

// Loads --------------------------------------------------------------------------------------------------

__global__ __launch_bounds__(block_threads, blocks_per_multiprocessor) void load_sectors(sectors in,
                                                                                         unsigned* out) {
  std::uint64_t values[accesses_per_thread];
#pragma unroll
  for (int k = 0; k < accesses_per_thread; ++k) values[k] = *in.first_word(in.at(access_of(k)));
  unsigned sum = 0;
#pragma unroll
  for (std::uint64_t value : values) sum += both_halves(value);
  write_block_sum(sum, out);
}

__global__ __launch_bounds__(block_threads, blocks_per_multiprocessor) void load_half_sectors(sectors in,
                                                                                              unsigned* out) {
  constexpr int in_flight = 4;  // four registers each
  unsigned sum = 0;
#pragma unroll
  for (int first = 0; first < accesses_per_thread; first += in_flight) {
    uint4 values[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k)
      values[k] = *reinterpret_cast<const uint4*>(in.first_word(in.at(access_of(first + k))));
#pragma unroll
    for (const uint4& v : values) sum += v.x + v.y + v.z + v.w;
  }
  write_block_sum(sum, out);
}

__global__ __launch_bounds__(block_threads, blocks_per_multiprocessor) void load_pairs(sectors in,
                                                                                       unsigned* out) {
  std::uint64_t values[accesses_per_thread];
  unsigned first[accesses_per_thread];
#pragma unroll
  for (int k = 0; k < accesses_per_thread; ++k) {
    first[k] = in.at(access_of(k));
    first[k] += static_cast<unsigned>(*in.first_word(first[k]));
  }
#pragma unroll
  for (int k = 0; k < accesses_per_thread; ++k) values[k] = *in.first_word(first[k] & in.order.mask);
  unsigned sum = 0;
#pragma unroll
  for (std::uint64_t value : values) sum += both_halves(value);
  write_block_sum(sum, out);
}

// Stores and atomics -------------------------------------------------------------------------------------

__global__ __launch_bounds__(block_threads, blocks_per_multiprocessor) void store_sectors(sectors to) {
#pragma unroll
  for (int k = 0; k < accesses_per_thread; ++k) {
    const unsigned sector = to.at(access_of(k));
    *reinterpret_cast<unsigned*>(to.first_word(sector)) = static_cast<unsigned>(filled_first(sector));
  }
}

__device__ std::uint64_t compare_and_swap(std::uint64_t* word, std::uint64_t both) {
  std::uint64_t found;
  asm volatile("atom.global.cas.b64 %0, [%1], %2, %2;" : "=l"(found) : "l"(word), "l"(both) : "memory");
  return found;
}

__global__ __launch_bounds__(block_threads, blocks_per_multiprocessor) void swap_sectors(sectors in,
                                                                                         unsigned* out) {
  std::uint64_t found[accesses_per_thread];
#pragma unroll
  for (int k = 0; k < accesses_per_thread; ++k) {
    const unsigned sector = in.at(access_of(k));
    found[k] = compare_and_swap(in.first_word(sector), filled_first(sector));
  }
  unsigned sum = 0;
#pragma unroll
  for (std::uint64_t value : found) sum += both_halves(value);
  write_block_sum(sum, out);
}

__global__ __launch_bounds__(block_threads, blocks_per_multiprocessor) void add_to_sectors(sectors to) {
#pragma unroll
  for (int k = 0; k < accesses_per_thread; ++k)
    asm volatile("red.global.add.u64 [%0], %1;" ::"l"(to.first_word(to.at(access_of(k)))), "l"(1ull)
                 : "memory");
}

__global__ __launch_bounds__(block_threads, blocks_per_multiprocessor) void lower_sectors(sectors to) {
#pragma unroll
  for (int k = 0; k < accesses_per_thread; ++k) {
    const unsigned sector = to.at(access_of(k));
    asm volatile("red.global.min.u64 [%0], %1;" ::"l"(to.first_word(sector)),
                 "l"(filled_first(sector) << 1 >> 1)
                 : "memory");
  }
}

__global__ __launch_bounds__(block_threads,
                             blocks_per_multiprocessor) void take_numbers(std::uint64_t* counter) {
  std::uint64_t sum = 0;
#pragma unroll
  for (int k = 0; k < accesses_per_thread; ++k) {
    std::uint64_t found;
    asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(found) : "l"(counter), "l"(1ull) : "memory");
    sum += found;
  }
  // Keeps the returned values alive; otherwise the assembler would turn these into reductions. Never true in
  // practice: the counter starts at 0 or at the poison value.
  if (sum == ~0ull) counter[1] = 0;
}

// Setup and sampling -------------------------------------------------------------------------------------

__global__ __launch_bounds__(block_threads) void fill_words(ulonglong2* words, long long pairs) {
  const long long i = static_cast<long long>(blockIdx.x) * block_threads + threadIdx.x;
  if (i < pairs) words[i] = make_ulonglong2(filled(2 * i), filled(2 * i + 1));
}

/// One thread per word: each sample comes from `per_sample` sectors.
__global__ __launch_bounds__(block_threads) void sample_sectors(const std::uint64_t* words,
                                                                std::uint64_t* out, long long samples,
                                                                long long per_sample) {
  const long long i = static_cast<long long>(blockIdx.x) * block_threads + threadIdx.x;
  const long long sample = i / words_per_sector;
  if (sample >= samples) return;
  const long long sector = sample * per_sample + sample % per_sample;
  out[i] = words[sector * words_per_sector + i % words_per_sector];
}

// Launch functions ---------------------------------------------------------------------------------------

namespace {

sectors sectors_of(const problem& p) {
  return {static_cast<std::uint64_t*>(p.memory), scattered_order(p.sector_bits)};
}

dim3 grid_of(const problem& p) { return dim3(static_cast<unsigned>(p.elements / accesses_per_block)); }

void launch_summing(launcher& to, void (*kernel)(sectors, unsigned*), const problem& p) {
  launch(to, kernel, grid_of(p), dim3(block_threads), 0, sectors_of(p), static_cast<unsigned*>(p.out));
}

/// Runs before the output is read.
void sample_memory(launcher& to, const problem& p) {
  const long long samples = sampled_sectors(p);
  launch(to, sample_sectors, dim3(blocks_for(samples * words_per_sector, block_threads)), dim3(block_threads),
         0, static_cast<const std::uint64_t*>(p.memory), static_cast<std::uint64_t*>(p.out), samples,
         (1ll << p.sector_bits) / samples);
}

void launch_changing(launcher& to, void (*kernel)(sectors), const problem& p) {
  if (p.is_sampled) return sample_memory(to, p);
  launch(to, kernel, grid_of(p), dim3(block_threads), 0, sectors_of(p));
}

}  // namespace

void load_8(launcher& to, const problem& p, const switches&) { launch_summing(to, load_sectors, p); }
void load_16(launcher& to, const problem& p, const switches&) { launch_summing(to, load_half_sectors, p); }
void load_8_twice(launcher& to, const problem& p, const switches&) { launch_summing(to, load_pairs, p); }
void cas_64(launcher& to, const problem& p, const switches&) { launch_summing(to, swap_sectors, p); }
void store_4(launcher& to, const problem& p, const switches&) { launch_changing(to, store_sectors, p); }
void red_add_64(launcher& to, const problem& p, const switches&) { launch_changing(to, add_to_sectors, p); }
void red_min_64(launcher& to, const problem& p, const switches&) { launch_changing(to, lower_sectors, p); }

void atom_add_64(launcher& to, const problem& p, const switches&) {
  if (p.is_sampled) return sample_memory(to, p);
  launch(to, take_numbers, grid_of(p), dim3(block_threads), 0, static_cast<std::uint64_t*>(p.memory));
}

/// Runs once, on fresh buffers.
void fill_memory(launcher& to, const problem& p, const switches&) {
  if (p.sector_bits < 0 || !reads_only(p.what)) return;
  const long long pairs = static_cast<long long>(memory_bytes(p) / sizeof(ulonglong2));
  launch(to, fill_words, dim3(blocks_for(pairs, block_threads)), dim3(block_threads), 0,
         static_cast<ulonglong2*>(p.memory), pairs);
}

}  // namespace ablate::ceilings
