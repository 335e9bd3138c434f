#pragma once

#include <cuda_bf16.h>

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/compression_attention/compression_attention.h"

namespace ablate::compression_attention {

constexpr unsigned row_bytes = 2 * width;

/// The problem as passed to a kernel.
struct view {
  const unsigned char *q, *k, *v;
  unsigned char* out;
  float* lse;
  std::int32_t* table;
  float* scores;         ///< [heads][chunk_rows][padded_rows]; where scores are written
  long long rows;        ///< fewer than 2^31
  long long key_rows;    ///< those that are attended to: all, or the first ones
  long long key_stride;  ///< rows of a head in the memory of k and v
  int heads, selected;
  bool by_index;
  unsigned first_listed;  ///< key rows below it are not listed
  long long
      chunk_rows;  ///< rows of a head that one launch covers: those that attend, unless scores are written
  long long first_row;    ///< of the launch
  long long padded_rows;  ///< key_rows, up to a whole tile
  kept_blocks kept;
  bool multiplies_int8;
  int8_rows int8;
  float scale_log2;  ///< log2(e) / √64: powers of 2 instead of e's

  explicit view(const problem&);
};

}  // namespace ablate::compression_attention
