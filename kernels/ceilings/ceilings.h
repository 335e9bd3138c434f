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
  atomics_distinct,  ///< reductions to distinct addresses, one 32-byte sector each, in scattered order
  atomics_equal,     ///< reductions to one address
  tensor_bf16_flops  ///< mma.sync m16n8k16, bf16 in, fp32 accumulate, registers only
};

// The tensor product: every warp computes D = rounds · A·B with A 16×16 and B 16×32, in four 16×8 tiles.
constexpr int tile_rows = 16, tile_depth = 16, tile_columns = 32;
// 1188 = 9 · 132 = 11 · 108: whole waves on H100, H200 and on A100.
constexpr int tensor_blocks = 1188, tensor_warps_per_block = 4, tensor_rounds = 2048;

struct problem {
  resource what = resource::launch;
  std::int64_t elements = 0;  ///< 4-byte words of `in` (copies, reads) or reductions to send
  std::int64_t counters = 0;  ///< 4-byte words of `out` that take reductions; a power of two
  const void* in = nullptr;   ///< words to copy or sum; A then B as bf16, row-major, for the tensor product
  void* out = nullptr;        ///< see output_bytes
};

/// Bytes of `in` and `out`: a copy, or the words written; one sum for each block of a read; one word; the
/// counters; [warps][16][32] fp32.
std::size_t input_bytes(const problem&);
std::size_t output_bytes(const problem&);

/// Words that a block of a read sums: block b sums in[b·w … (b+1)·w) modulo 2^32. A write stores its index in
/// each word, modulo 2^32.
constexpr std::int64_t words_per_read_block = 8192;

/// The oracle, into host buffers of the same shapes.
void reference(const problem&, const void* in, void* out);

}  // namespace ablate::ceilings
