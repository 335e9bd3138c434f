#include <cstring>

#include "kernels/ceilings/ceilings.h"

namespace ablate::ceilings {

std::size_t input_bytes(const problem& p) {
  switch (p.what) {
    case resource::dram_copy_bytes:
    case resource::dram_read_bytes:
    case resource::l2_bytes:
      return 4 * static_cast<std::size_t>(p.elements);
    case resource::tensor_bf16_flops:
      return 2 * (tile_rows * tile_depth + tile_depth * tile_columns);
    default:
      return 0;
  }
}

std::size_t output_bytes(const problem& p) {
  switch (p.what) {
    case resource::dram_copy_bytes:
    case resource::dram_write_bytes:
      return 4 * static_cast<std::size_t>(p.elements);
    case resource::dram_read_bytes:
    case resource::l2_bytes:
      return 4 * static_cast<std::size_t>(p.elements / words_per_read_block);
    case resource::launch:
      return 4;
    case resource::atomics_distinct:
    case resource::atomics_equal:
      return 4 * static_cast<std::size_t>(p.counters);
    case resource::tensor_bf16_flops:
      return sizeof(float) * tensor_blocks * tensor_warps_per_block * tile_rows * tile_columns;
  }
  return 0;
}

namespace {

float from_bf16(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

void tensor_product(const std::uint16_t* in, float* out) {
  const std::uint16_t* a = in;
  const std::uint16_t* b = in + tile_rows * tile_depth;
  float tile[tile_rows * tile_columns];
  for (int row = 0; row < tile_rows; ++row) {
    for (int column = 0; column < tile_columns; ++column) {
      float sum = 0;
      for (int k = 0; k < tile_depth; ++k)
        sum += from_bf16(a[row * tile_depth + k]) * from_bf16(b[k * tile_columns + column]);
      tile[row * tile_columns + column] = tensor_rounds * sum;
    }
  }
  for (int warp = 0; warp < tensor_blocks * tensor_warps_per_block; ++warp)
    std::memcpy(out + static_cast<std::size_t>(warp) * tile_rows * tile_columns, tile, sizeof tile);
}

}  // namespace

void reference(const problem& p, const void* in, void* out) {
  auto* words = static_cast<std::uint32_t*>(out);
  switch (p.what) {
    case resource::dram_copy_bytes:
      std::memcpy(out, in, input_bytes(p));
      break;
    case resource::dram_write_bytes:
      for (std::int64_t i = 0; i < p.elements; ++i) words[i] = static_cast<std::uint32_t>(i);
      break;
    case resource::dram_read_bytes:
    case resource::l2_bytes:
      for (std::int64_t block = 0; block < p.elements / words_per_read_block; ++block) {
        std::uint32_t sum = 0;
        for (std::int64_t i = 0; i < words_per_read_block; ++i)
          sum += static_cast<const std::uint32_t*>(in)[block * words_per_read_block + i];
        words[block] = sum;
      }
      break;
    case resource::launch:
      words[0] = 1;
      break;
    case resource::atomics_distinct:
    case resource::atomics_equal:
      // Every counter takes the same share.
      for (std::int64_t i = 0; i < p.counters; ++i)
        words[i] += static_cast<std::uint32_t>(p.elements / p.counters);
      break;
    case resource::tensor_bf16_flops:
      tensor_product(static_cast<const std::uint16_t*>(in), static_cast<float*>(out));
      break;
  }
}

}  // namespace ablate::ceilings
