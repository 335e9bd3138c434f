#pragma once

#include <cstdint>

#include "kernels/common/launch.cuh"

namespace ablate::kernel_map {

/// The published grid over (out row, offset): one thread each, in blocks of 64 rows by 8 offsets, so that a
/// warp holds 32 neighboring rows of one offset.
constexpr int rows_per_block = 64, offsets_per_block = 8;

template <int RowsPerBlock = rows_per_block>
geometry grid_over(std::int64_t outs, int offsets) {
  const unsigned blocks = offsets == 0 ? 0 : blocks_for(outs, RowsPerBlock);
  return {dim3(blocks, blocks_for(offsets, offsets_per_block)), dim3(RowsPerBlock, offsets_per_block)};
}

}  // namespace ablate::kernel_map
