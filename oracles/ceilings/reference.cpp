#include "oracles/ceilings/reference.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/common/bf16.h"
#include "kernels/common/in_parts.h"

namespace ablate::ceilings {

std::int64_t sampled_sector(const problem& p, std::int64_t sample) {
  const std::int64_t part = (std::int64_t{1} << p.sector_bits) / sampled_sectors(p);
  return sample * part + sample % part;
}

namespace {

template <class Counter>
void add_to_all(void* counters, std::int64_t count, std::int64_t share) {
  for (std::int64_t i = 0; i < count; ++i) static_cast<Counter*>(counters)[i] += static_cast<Counter>(share);
}

/// Every counter takes an equal share.
void count_reductions(const problem& p, void* counters) {
  const std::int64_t share = p.elements / p.counters;
  switch (p.reduced) {
    case operand::int32:
      return add_to_all<std::uint32_t>(counters, p.counters, share);
    case operand::float32:
      return add_to_all<float>(counters, p.counters, share);
    case operand::uint64:
      return add_to_all<std::uint64_t>(counters, p.counters, share);
    case operand::float32x2:
      return add_to_all<float>(counters, 2 * p.counters, share);
  }
}

/// Strides of B[k][column].
struct strides {
  int k, column;
};

/// A · B, `tensor_rounds` times, repeated for each of `tiles` warps or blocks.
void tensor_products(const std::uint16_t* in, int rows, int depth, int columns, strides of_b, int tiles,
                     float* out) {
  const std::uint16_t* a = in;
  const std::uint16_t* b = in + rows * depth;
  const auto elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      float sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += float_of_bf16(a[row * depth + k]) * float_of_bf16(b[k * of_b.k + column * of_b.column]);
      out[row * columns + column] = tensor_rounds * sum;
    }
  }
  for (int tile = 1; tile < tiles; ++tile)
    std::memcpy(out + static_cast<std::size_t>(tile) * elements, out, sizeof(float) * elements);
}

/// Every warp has the same sums and adds one product per round.
void multiply_adds(const float* in, float* out) {
  for (int block = 0; block < fma_blocks; ++block)
    for (int chain = 0; chain < fma_chains; ++chain)
      for (int thread = 0; thread < fma_threads_per_block; ++thread) {
        const int lane = thread % 32;
        *out++ = in[32 * (2 + chain) + lane] + fma_rounds * (in[lane] * in[32 + lane]);
      }
}

constexpr std::uint32_t mask_of(int sector_bits) { return (std::uint32_t{1} << sector_bits) - 1; }

/// Inverse of an odd number modulo 2^32: each Newton step doubles the number of correct bits, initially 3.
constexpr std::uint32_t inverse(std::uint32_t odd) {
  std::uint32_t x = odd;
  for (int i = 0; i < 4; ++i) x *= 2 - odd * x;
  return x;
}

std::uint32_t both_halves(std::uint64_t value) {
  return static_cast<std::uint32_t>(value) + static_cast<std::uint32_t>(value >> 32);
}

/// The value that access i returns, low + high half.
std::uint32_t returned(const problem& p, std::uint32_t access) {
  const std::uint64_t sector = sector_of(access, p.sector_bits);
  const std::uint64_t word = word_at(sector * words_per_sector);
  if (p.what == resource::random_read_16b)
    return both_halves(word) + both_halves(word_at(sector * words_per_sector + 1));
  if (p.what != resource::random_read_pairs) return both_halves(word);
  const auto second = static_cast<std::uint32_t>(sector + word) & mask_of(p.sector_bits);
  return both_halves(word_at(static_cast<std::uint64_t>(second) * words_per_sector));
}

void sum_what_blocks_return(const problem& p, std::uint32_t* sums) {
  in_parts(p.elements / accesses_per_block, 64, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t block = first; block < end; ++block) {
      std::uint32_t sum = 0;
      for (std::int64_t i = 0; i < accesses_per_block; ++i)
        sum += returned(p, static_cast<std::uint32_t>(block * accesses_per_block + i));
      sums[block] = sum;
    }
  });
}

void sum_what_blocks_read(const problem& p, const std::uint32_t* in, std::uint32_t* sums) {
  in_parts(p.elements / words_per_read_block, 64, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t block = first; block < end; ++block) {
      std::uint32_t sum = 0;
      for (std::int64_t i = 0; i < words_per_read_block; ++i) sum += in[block * words_per_read_block + i];
      sums[block] = sum;
    }
  });
}

void number_words(const problem& p, std::uint32_t* words) {
  in_parts(p.elements, 1 << 20, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t i = first; i < end; ++i) words[i] = static_cast<std::uint32_t>(i);
  });
}

/// For each 4 KiB block, what a warp that reads it adds to the sum.
std::vector<std::uint32_t> sums_of_gathered_blocks(int sector_bits) {
  constexpr std::uint64_t words = gathered_bytes / 2 / sizeof(std::uint64_t);
  const std::uint64_t blocks = std::uint64_t{1} << (sector_bits - log2_sectors_gathered);
  std::vector<std::uint32_t> sums(blocks);
  for (std::uint64_t block = 0; block < blocks; ++block)
    for (const std::uint64_t half : {std::uint64_t{0}, blocks})
      for (std::uint64_t i = 0; i < words; ++i)
        sums[block] += both_halves(word_at((half + block) * words + i));
  return sums;
}

void sum_what_warps_gather(const problem& p, std::uint32_t* sums) {
  const std::vector<std::uint32_t> of_block = sums_of_gathered_blocks(p.sector_bits);
  for (std::int64_t i = 0; i < p.elements; ++i) {
    if (i % gathers_per_block == 0) sums[i / gathers_per_block] = 0;
    sums[i / gathers_per_block] +=
        of_block[sector_of(static_cast<std::uint32_t>(i), p.sector_bits - log2_sectors_gathered)];
  }
}

/// A sector's first word after this many accesses.
std::uint64_t changed(const problem& p, std::uint32_t sector, std::uint64_t accesses) {
  const std::uint64_t operand = word_at(static_cast<std::uint64_t>(sector) * words_per_sector);
  if (accesses == 0) return p.untouched;
  if (p.what == resource::random_write_sectors) return p.untouched >> 32 << 32 | (operand & 0xffffffffu);
  if (p.what == resource::random_min) return std::min(p.untouched, operand << 1 >> 1);
  return p.untouched + accesses;
}

void sample_changed_memory(const problem& p, std::uint64_t* words) {
  const std::int64_t sectors = std::int64_t{1} << p.sector_bits;
  for (std::int64_t sample = 0; sample < sampled_sectors(p); ++sample) {
    const auto sector = static_cast<std::uint32_t>(sampled_sector(p, sample));
    const bool one_more = first_access_of(sector, p.sector_bits) < p.elements % sectors;
    std::uint64_t* of_sample = words + sample * words_per_sector;
    std::fill(of_sample, of_sample + words_per_sector, p.untouched);
    of_sample[0] = changed(p, sector, static_cast<std::uint64_t>(p.elements / sectors + one_more));
  }
}

}  // namespace

std::uint32_t sector_of(std::uint32_t access, int sector_bits) {
  const std::uint32_t mask = mask_of(sector_bits);
  const int shift = (sector_bits + 1) / 2;
  std::uint32_t x = access & mask;
  x = (x * first_factor) & mask;
  x ^= x >> shift;
  x = (x * second_factor) & mask;
  x ^= x >> shift;
  return (x * third_factor) & mask;
}

std::uint32_t first_access_of(std::uint32_t sector, int sector_bits) {
  // A right shift by at least half of the bits: x ^= x >> shift is its own inverse.
  const std::uint32_t mask = mask_of(sector_bits);
  const int shift = (sector_bits + 1) / 2;
  std::uint32_t x = (sector * inverse(third_factor)) & mask;
  x ^= x >> shift;
  x = (x * inverse(second_factor)) & mask;
  x ^= x >> shift;
  return (x * inverse(first_factor)) & mask;
}

std::uint64_t word_at(std::uint64_t index) {
  const std::uint64_t m = (index + 1) * word_factor;
  return m ^ m >> 32;
}

void reference(const problem& p, const void* in, void* out) {
  auto* words = static_cast<std::uint32_t*>(out);
  switch (p.what) {
    case resource::dram_copy_bytes:
      std::memcpy(out, in, input_bytes(p));
      break;
    case resource::dram_write_bytes:
      number_words(p, words);
      break;
    case resource::dram_read_bytes:
    case resource::l2_bytes:
      sum_what_blocks_read(p, static_cast<const std::uint32_t*>(in), words);
      break;
    case resource::launch:
      words[0] = 1;
      break;
    case resource::atomics_distinct:
    case resource::atomics_full_sectors:
    case resource::atomics_equal:
      count_reductions(p, out);
      break;
    case resource::tensor_bf16_flops:
      tensor_products(static_cast<const std::uint16_t*>(in), tile_rows, tile_depth, tile_columns,
                      {.k = tile_columns, .column = 1}, tensor_blocks * tensor_warps_per_block,
                      static_cast<float*>(out));
      break;
    case resource::tensor_bf16_wgmma_flops:
      tensor_products(static_cast<const std::uint16_t*>(in), wgmma_rows, wgmma_depth, wgmma_columns,
                      {.k = 1, .column = wgmma_depth}, wgmma_blocks, static_cast<float*>(out));
      break;
    case resource::fma_f32_flops:
      multiply_adds(static_cast<const float*>(in), static_cast<float*>(out));
      break;
    case resource::random_read_sectors:
    case resource::random_read_16b:
    case resource::random_read_pairs:
    case resource::random_cas:
    case resource::one_word_cas:
      sum_what_blocks_return(p, words);
      break;
    case resource::random_read_blocks:
      sum_what_warps_gather(p, words);
      break;
    case resource::random_write_sectors:
    case resource::random_add:
    case resource::random_min:
    case resource::one_word_add:
      sample_changed_memory(p, static_cast<std::uint64_t*>(out));
      break;
  }
}

}  // namespace ablate::ceilings
