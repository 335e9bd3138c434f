#pragma once

#include <cstddef>
#include <cstdint>

namespace ablate::ceilings {

/// What a case measures on the chip.
enum class resource {
  dram_copy_bytes,   ///< copy: bytes read and written per second, device memory
  dram_read_bytes,   ///< read of a buffer much larger than L2
  dram_write_bytes,  ///< write of a buffer much larger than L2
  l2_bytes,          ///< read of a buffer that stays in L2
  launch,            ///< one kernel that does almost nothing
  // Reductions (no value returned) on the problem's operand:
  atomics_distinct,      ///< to distinct addresses, one 32-byte sector each, in scattered order
  atomics_full_sectors,  ///< to distinct addresses: neighbors fill a sector, sectors in scattered order
  atomics_equal,         ///< to one address
  // Floating-point operations; a multiply-add counts as two:
  tensor_bf16_flops,        ///< mma.sync m16n8k16, bf16 in, fp32 accumulate, registers only
  tensor_bf16_wgmma_flops,  ///< wgmma m64n256k16, bf16 in shared memory, fp32 accumulate (sm_90a)
  fma_f32_flops,            ///< fp32 multiply-adds, registers only
  // Accesses to sectors of a memory in pseudo-random order (see sector_of):
  random_read_sectors,   ///< 8-byte loads
  random_read_16b,       ///< 16-byte loads
  random_read_pairs,     ///< an 8-byte load, then a second one whose address depends on its value
  random_read_blocks,    ///< 4 KiB per warp, half of it from each half of the memory
  random_write_sectors,  ///< 4-byte stores
  random_cas,            ///< 64-bit compare-and-swap that succeeds
  random_add,            ///< 64-bit addition, nothing returned
  random_min,            ///< 64-bit minimum, nothing returned
  // The same on a single word:
  one_word_cas,  ///< 64-bit compare-and-swap that succeeds
  one_word_add   ///< 64-bit addition that returns the old value
};

/// What a reduction adds 1 to.
enum class operand {
  int32,
  float32,
  uint64,
  float32x2  ///< two neighboring fp32 numbers in one instruction (sm_90)
};

// The tensor product: every warp computes D = rounds · A·B with A 16×16 and B 16×32, in four 16×8 tiles.
constexpr int tile_rows = 16, tile_depth = 16, tile_columns = 32;
// 1188 = 9 · 132 = 11 · 108: whole waves on H100, H200 and A100.
constexpr int tensor_blocks = 1188, tensor_warps_per_block = 4, tensor_rounds = 2048;

// The same with wgmma: every block computes D = rounds · A·B with A 128×64 and B 64×256, 64 rows per
// warpgroup.
constexpr int wgmma_rows = 128, wgmma_depth = 64, wgmma_columns = 256;
constexpr int wgmma_blocks = 132;  ///< one wave on H100 and H200

// Multiply-adds: in every round, a lane adds the product of its two factors to each of its sums.
constexpr int fma_blocks = tensor_blocks, fma_threads_per_block = 128, fma_chains = 8, fma_rounds = 16384;

constexpr int sector_bytes = 32, words_per_sector = sector_bytes / 8;

struct problem {
  resource what = resource::launch;
  /// 4-byte words of `in` (copies, reads), reductions to send, or sector accesses (a pair counts once)
  std::int64_t elements = 0;
  operand reduced = operand::int32;
  std::int64_t counters = 0;    ///< operands in `out` that take reductions; a power of two
  int sector_bits = -1;         ///< log2 of the number of sectors in `memory`, at most 29; −1: no memory
  std::uint64_t untouched = 0;  ///< each 64-bit word of `memory` before a launch that changes it
  bool is_sampled = false;      ///< instead of accessing `memory`, samples it into `out`
  /// Words to copy or sum. For mma.sync: A, then B, as bf16, row-major; for wgmma the same with B
  /// column-major. For multiply-adds: fp32 [2 + fma_chains][32 lanes], two factors, then the initial sums.
  const void* in = nullptr;
  void* out = nullptr;     ///< see output_bytes
  void* memory = nullptr;  ///< sectors of four 64-bit words
};

/// Bytes of `in`, `out` and `memory`. `out` holds the copy, or the words written; one sum per block for reads
/// and for accesses whose return values are known in advance; one word; the counters; fp32 [warps][16][32]
/// for mma.sync, [blocks][128][256] for wgmma, [blocks][fma_chains][threads] for multiply-adds; the sampled
/// sectors for accesses that change `memory`.
std::size_t input_bytes(const problem&);
std::size_t output_bytes(const problem&);
std::size_t memory_bytes(const problem&);

/// 4 or 8.
std::size_t operand_bytes(operand);

/// Words summed by one block of a read: block b sums in[b·w … (b+1)·w) modulo 2^32. A write stores each
/// word's index in it, modulo 2^32.
constexpr std::int64_t words_per_read_block = 8192;

/// Accesses per thread block: block b makes accesses b·a … (b+1)·a. Where they return values, it sums low +
/// high half of each, modulo 2^32.
constexpr std::int64_t accesses_per_block = 2048;

/// 4 KiB blocks read by one warp each, as selected-block attention reads the keys and values of 16 tokens:
/// block b is the 2 KiB at byte b · 2048 of each half of the memory. A memory of s sectors has s / 128
/// blocks; access i goes to block sector_of(i) among these. A thread block sums low + high half of all it
/// reads.
constexpr int gathered_bytes = 4096, log2_sectors_gathered = 7;
constexpr std::int64_t gathers_per_block = 256;

/// Access i goes to sector `sector_of(i)`: the low bits of i, multiplied three times by an odd number modulo
/// the number of sectors, and xored with their own upper half (shifted by ⌈bits/2⌉) in between, twice. Each
/// step is a bijection, so the sectors' numbers of accesses differ by at most one. No memory is read for
/// this.
constexpr std::uint32_t first_factor = 0x9E3779B1u, second_factor = 0x85EBCA6Bu, third_factor = 0xC2B2AE35u;

/// In read-only `memory`, 64-bit word w is word_at(w): m ^ m >> 32 with m = (w + 1) · this. A sector's first
/// word is what compare-and-swap expects and stores; its low half is what a store writes; without its highest
/// bit it is the operand of a minimum.
constexpr std::uint64_t word_factor = 0x9E3779B97F4A7C15ull;

/// Whether `memory` is filled with word_at and then never changes (a compare-and-swap stores the value it
/// finds).
bool reads_only(resource);

/// `out` samples at most this many sectors of a changed memory. With s samples, the memory is cut into s
/// equal parts; sample j is in the j-th, at j modulo the part's size.
constexpr std::int64_t max_sampled_sectors = 1 << 15;
std::int64_t sampled_sectors(const problem&);

}  // namespace ablate::ceilings
