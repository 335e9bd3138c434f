// Eight elements of a row, 16 bytes of memory: eight lanes have a row.
#pragma once

#include "kernels/common/softmax_math.cuh"
#include "kernels/selection_attention_backward/view.cuh"

namespace ablate::selection_attention_backward {

constexpr int lanes_of_row = 8;

struct row_chunk {
  unsigned word[4] = {};

  /// Of no row (null): zeros.
  __device__ row_chunk(const unsigned char* row, int chunk) {
    if (row != nullptr) *reinterpret_cast<uint4*>(word) = __ldg(reinterpret_cast<const uint4*>(row) + chunk);
  }
  __device__ float operator[](int i) const {
    return __uint_as_float(i % 2 == 0 ? word[i / 2] << 16 : word[i / 2] & 0xffff0000u);
  }

  /// share · elements + factor · sums, in bf16.
  __device__ uint4 share_and_sums(float share, const float4& low, const float4& high, float factor) const {
    const auto& at = *this;
    return {packed(fmaf(share, at[0], low.x * factor), fmaf(share, at[1], low.y * factor)),
            packed(fmaf(share, at[2], low.z * factor), fmaf(share, at[3], low.w * factor)),
            packed(fmaf(share, at[4], high.x * factor), fmaf(share, at[5], high.y * factor)),
            packed(fmaf(share, at[6], high.z * factor), fmaf(share, at[7], high.w * factor))};
  }
};

}  // namespace ablate::selection_attention_backward
