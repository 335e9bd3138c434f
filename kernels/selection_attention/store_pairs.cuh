// Rows on their way out where columns are as tensor products leave them: pairs, eight columns apart.
#pragma once

#include "kernels/selection_attention/softmax_rows.cuh"
#include "kernels/selection_attention/view.cuh"

namespace ablate::selection_attention {

/// What is stored of a row: S, or O = γ_c · C + γ_s · S.
enum class row_gate { none, applied };

/// Outputs and log-sum-exp of row l / 4 + 8 · `half`, a token of this head. All lanes call it; those of a row
/// that is not there store nothing.
template <row_gate Gate, softmax_form Form>
__device__ void store_pairs(const view& v, softmax_rows<Form>& rows, int half, int head, long long token,
                            bool is_there = true) {
  const unsigned in_quad = threadIdx.x % 4;
  const float lse = rows.finish(half);
  if (!is_there) return;
  float2 gates{};
  const unsigned char* compressed = nullptr;
  if constexpr (Gate == row_gate::applied) {
    gates = __ldg(v.gates + token * v.heads_of_gates + head);
    const long long block = token / tile >> v.log2_in_block;
    compressed = v.compressed + (static_cast<long long>(head) * v.blocks + block) * row_bytes + in_quad * 4;
  }
  const long long row = head * v.tokens + token;
#pragma unroll
  for (int n = 0; n < columns; ++n) {
    float x = rows.out[n][2 * half], y = rows.out[n][2 * half + 1];
    if constexpr (Gate == row_gate::applied) {
      const unsigned pair = __ldg(reinterpret_cast<const unsigned*>(compressed + n * 16));
      x = gates.x * __uint_as_float(pair << 16) + gates.y * x;
      y = gates.x * __uint_as_float(pair & 0xffff0000u) + gates.y * y;
    }
    *reinterpret_cast<unsigned*>(v.out + row * row_bytes + n * 16 + in_quad * 4) = packed(x, y);
  }
  if (in_quad == 0) v.lse[row] = lse;
}

}  // namespace ablate::selection_attention
