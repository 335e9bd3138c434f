#include "kernels/ceilings/ceilings.h"

#include <algorithm>

namespace ablate::ceilings {

std::size_t input_bytes(const problem& p) {
  switch (p.what) {
    case resource::dram_copy_bytes:
    case resource::dram_read_bytes:
    case resource::l2_bytes:
      return 4 * static_cast<std::size_t>(p.elements);
    case resource::tensor_bf16_flops:
      return 2 * (tile_rows * tile_depth + tile_depth * tile_columns);
    case resource::tensor_bf16_wgmma_flops:
      return 2 * (wgmma_rows * wgmma_depth + wgmma_depth * wgmma_columns);
    case resource::fma_f32_flops:
      return sizeof(float) * 32 * (2 + fma_chains);
    default:
      return 0;
  }
}

std::size_t memory_bytes(const problem& p) {
  return p.sector_bits < 0 ? 0 : static_cast<std::size_t>(sector_bytes) << p.sector_bits;
}

std::size_t operand_bytes(operand reduced) {
  return reduced == operand::int32 || reduced == operand::float32 ? 4 : 8;
}

bool reads_only(resource what) {
  return what == resource::random_read_sectors || what == resource::random_read_16b ||
         what == resource::random_read_pairs || what == resource::random_read_blocks ||
         what == resource::random_cas || what == resource::one_word_cas;
}

std::int64_t sampled_sectors(const problem& p) {
  return std::min(std::int64_t{1} << p.sector_bits, max_sampled_sectors);
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
    case resource::atomics_full_sectors:
    case resource::atomics_equal:
      return operand_bytes(p.reduced) * static_cast<std::size_t>(p.counters);
    case resource::tensor_bf16_flops:
      return sizeof(float) * tensor_blocks * tensor_warps_per_block * tile_rows * tile_columns;
    case resource::tensor_bf16_wgmma_flops:
      return sizeof(float) * wgmma_blocks * wgmma_rows * wgmma_columns;
    case resource::fma_f32_flops:
      return sizeof(float) * fma_blocks * fma_threads_per_block * fma_chains;
    case resource::random_read_sectors:
    case resource::random_read_16b:
    case resource::random_read_pairs:
    case resource::random_cas:
    case resource::one_word_cas:
      return 4 * static_cast<std::size_t>(p.elements / accesses_per_block);
    case resource::random_read_blocks:
      return 4 * static_cast<std::size_t>(p.elements / gathers_per_block);
    case resource::random_write_sectors:
    case resource::random_add:
    case resource::random_min:
    case resource::one_word_add:
      return sector_bytes * static_cast<std::size_t>(sampled_sectors(p));
  }
  return 0;
}

}  // namespace ablate::ceilings
