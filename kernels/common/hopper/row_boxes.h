#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/hopper/tensor_map.h"

namespace ablate::hopper {

/// A bf16 tensor [batches][tokens][heads][width], width 16, 32, 64 or 128.
struct head_tensor {
  const std::uint16_t* base;
  std::int64_t batches, tokens, heads, width;
  std::int64_t token_stride;      ///< elements from one token to the next: heads · width, or more
  std::int64_t batch_tokens = 0;  ///< from one batch to the next; 0: `tokens`
};

/// Elements in 128 bytes, the widest row of a box: wider ones are panels of as many.
inline constexpr std::int64_t box_panel_width = 64;

/// The map of its boxes of `rows` tokens of one head. In shared memory a box is rows of 2 · width bytes, at
/// most 128, swizzled by as much; of width 128 two such panels, one after another. Coordinates: {0, token,
/// head, batch}, of width 128 {0, token, 0, head, batch}. Throws as tensor_map does.
CUtensorMap row_boxes(const launcher&, const head_tensor&, unsigned rows);

}  // namespace ablate::hopper
