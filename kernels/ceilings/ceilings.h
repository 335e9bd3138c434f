#pragma once

#include <cstddef>
#include <cstdint>

namespace ablate::ceilings {

/// What the chip is asked to show.
enum class resource {
  dram_copy_bytes,   ///< copy: bytes read and written per second, device memory
  dram_read_bytes,   ///< read of a buffer much larger than L2
  dram_write_bytes,  ///< write of a buffer much larger than L2
  l2_bytes,          ///< read of a buffer that stays in L2
  launch,            ///< one kernel that does next to nothing
  // Reductions, nothing returned, of the problem's operand:
  atomics_distinct,      ///< to distinct addresses, one 32-byte sector each, in scattered order
  atomics_full_sectors,  ///< to distinct addresses, neighbors filling sectors, which come in scattered order
  atomics_equal,         ///< to one address
  // Floating-point operations, a multiply-add being two:
  tensor_bf16_flops,        ///< mma.sync m16n8k16, bf16 in, fp32 accumulate, registers only
  tensor_bf16_wgmma_flops,  ///< wgmma m64n256k16, bf16 in shared memory, fp32 accumulate (sm_90a)
  fma_f32_flops,            ///< fp32 multiply-adds, registers only
  // Accesses to sectors of a memory in pseudo-random order (see sector_of):
  random_read_sectors,   ///< 8-byte loads
  random_read_16b,       ///< 16-byte loads
  random_read_pairs,     ///< an 8-byte load, and a second one whose address depends on what it read
  random_read_blocks,    ///< of 4 KiB, by a warp each: half of it from each half of the memory
  random_write_sectors,  ///< 4-byte stores
  random_cas,            ///< 64-bit compare-and-swap that succeeds
  random_add,            ///< 64-bit addition, nothing returned
  random_min,            ///< 64-bit minimum, nothing returned
  // The same on one word:
  one_word_cas,  ///< 64-bit compare-and-swap that succeeds
  one_word_add   ///< 64-bit addition that returns what it found
};

/// What a reduction adds 1 to.
enum class operand {
  int32,
  float32,
  uint64,
  float32x2  ///< two neighboring fp32 numbers by one instruction (sm_90)
};

// The tensor product: every warp computes D = rounds · A·B with A 16×16 and B 16×32, in four 16×8 tiles.
constexpr int tile_rows = 16, tile_depth = 16, tile_columns = 32;
// 1188 = 9 · 132 = 11 · 108: whole waves on H100, H200 and on A100.
constexpr int tensor_blocks = 1188, tensor_warps_per_block = 4, tensor_rounds = 2048;

// The same by wgmma: every block computes D = rounds · A·B with A 128×64 and B 64×256, 64 rows a warpgroup.
constexpr int wgmma_rows = 128, wgmma_depth = 64, wgmma_columns = 256;
constexpr int wgmma_blocks = 132;  ///< one wave on H100 and H200

// Multiply-adds: a lane adds the product of its two factors to each of its sums in every round.
constexpr int fma_blocks = tensor_blocks, fma_threads_per_block = 128, fma_chains = 8, fma_rounds = 16384;

constexpr int sector_bytes = 32, words_per_sector = sector_bytes / 8;

struct problem {
  resource what = resource::launch;
  /// 4-byte words of `in` (copies, reads), reductions to send, or accesses to sectors (a pair counts once)
  std::int64_t elements = 0;
  operand reduced = operand::int32;
  std::int64_t counters = 0;    ///< operands in `out` that take reductions; a power of two
  int sector_bits = -1;         ///< log2 of the sectors of `memory`, at most 29; −1: there is none
  std::uint64_t untouched = 0;  ///< each 64-bit word of `memory` before a launch that changes it
  bool is_sampled = false;      ///< instead of accesses: `out` from what stands in `memory`
  /// Words to copy or sum. For mma.sync A, then B, as bf16, row-major; for wgmma the same with B
  /// column-major. For multiply-adds fp32 [2 + fma_chains][32 lanes]: two factors, then what the sums begin
  /// with.
  const void* in = nullptr;
  void* out = nullptr;     ///< see output_bytes
  void* memory = nullptr;  ///< sectors of four 64-bit words
};

/// Bytes of `in`, `out` and `memory`. `out` is a copy, or the words written; one sum for each block of a read
/// and of accesses that return a value which is known beforehand; one word; the counters; [warps][16][32]
/// fp32 by mma.sync, [blocks][128][256] by wgmma, [blocks][fma_chains][threads] by multiply-adds; of accesses
/// that change `memory` the sampled sectors of it.
std::size_t input_bytes(const problem&);
std::size_t output_bytes(const problem&);
std::size_t memory_bytes(const problem&);

/// 4 or 8.
std::size_t operand_bytes(operand);

/// Words that a block of a read sums: block b sums in[b·w … (b+1)·w) modulo 2^32. A write stores its index in
/// each word, modulo 2^32.
constexpr std::int64_t words_per_read_block = 8192;

/// Accesses of a block of threads: block b makes the accesses b·a … (b+1)·a. Of the values that they return
/// it sums low + high half, modulo 2^32.
constexpr std::int64_t accesses_per_block = 2048;

/// A warp's blocks of 4 KiB, as attention to selected blocks reads keys and values of 16 tokens: block b is 2
/// KiB from byte b · 2048 on of each half of the memory. A memory of s sectors has s / 128 of them; access i
/// goes to block sector_of(i) of so many. Of all that a block of threads reads it sums low + high half.
constexpr int gathered_bytes = 4096, log2_sectors_gathered = 7;
constexpr std::int64_t gathers_per_block = 256;

/// Access i goes to sector `sector_of(i)`: the low bits of i, three times multiplied by an odd number modulo
/// the number of sectors, and twice xored with their own upper half (shifted by ⌈bits/2⌉) in between. Each
/// step is a bijection; so every sector takes as many accesses as any other, or one more. Nothing is loaded
/// for it.
constexpr std::uint32_t first_factor = 0x9E3779B1u, second_factor = 0x85EBCA6Bu, third_factor = 0xC2B2AE35u;

/// Where `memory` is only read, its 64-bit word w is word_at(w): m ^ m >> 32 of m = (w + 1) · this. The first
/// word of a sector is what compare-and-swap expects and stores, the low half of it what a store writes, and
/// it without its highest bit what a minimum is taken with.
constexpr std::uint64_t word_factor = 0x9E3779B97F4A7C15ull;

/// Whether `memory` is filled with word_at, and then never changed (a compare-and-swap stores what is there).
bool reads_only(resource);

/// `out` shows of a changed memory so many sectors, at sampled_sector(0) …
constexpr std::int64_t most_sampled_sectors = 1 << 15;
std::int64_t sampled_sectors(const problem&);
/// Sample j of s sectors: the j-th of as many equal parts, and in it place j modulo its size.
std::int64_t sampled_sector(const problem&, std::int64_t sample);

std::uint32_t sector_of(std::uint32_t access, int sector_bits);
/// The first access that goes to a sector: the inverse of sector_of.
std::uint32_t first_access_of(std::uint32_t sector, int sector_bits);
std::uint64_t word_at(std::uint64_t index);

/// The oracle, into host buffers of the same shapes. It needs no `memory`.
void reference(const problem&, const void* in, void* out);

}  // namespace ablate::ceilings
