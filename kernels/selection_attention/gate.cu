// The gate as a kernel of its own: O = γ_c · C + γ_s · O, C the row of the query's block. Eight lanes a row,
// 16 bytes a lane. Bound by memory: O is read and written again, which the selection's epilogue does not.
// Rows that are kept for gradients are read where they are kept.
// Should move: DRAM bytes, 4 more an element of O.
#include "kernels/common/softmax_math.cuh"
#include "kernels/selection_attention/view.cuh"

namespace ablate::selection_attention {

constexpr int gating_threads = 256;

__device__ float low_of(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ float high_of(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

/// blockIdx.y: head.
__global__ __launch_bounds__(gating_threads) void gate_rows(const __grid_constant__ view v) {
  const long long chunk = blockIdx.x * static_cast<long long>(gating_threads) + threadIdx.x;
  const long long token = chunk / 8, head = blockIdx.y;
  if (token >= v.tokens) return;
  const long long block = (token / tile) >> v.log2_in_block;
  if (block < v.dense_blocks) return;
  const float2 gates = __ldg(v.gates + token * v.heads_of_gates + head);
  const uint4 compressed =
      __ldg(reinterpret_cast<const uint4*>(v.compressed + (head * v.blocks + block) * row_bytes) + chunk % 8);
  auto* const at = reinterpret_cast<uint4*>(v.out + (head * v.tokens + token) * row_bytes) + chunk % 8;
  const uint4 selected =
      v.ungated == nullptr
          ? *at
          : reinterpret_cast<const uint4*>(v.ungated + (head * v.tokens + token) * row_bytes)[chunk % 8];
  const auto both = [&](unsigned c, unsigned s) {
    return packed(gates.x * low_of(c) + gates.y * low_of(s), gates.x * high_of(c) + gates.y * high_of(s));
  };
  *at = make_uint4(both(compressed.x, selected.x), both(compressed.y, selected.y),
                   both(compressed.z, selected.z), both(compressed.w, selected.w));
}

void apply_gates(launcher& to, const view& v) {
  launch(to, gate_rows, dim3(blocks_for(v.tokens * 8, gating_threads), static_cast<unsigned>(v.heads)),
         dim3(gating_threads), 0, v);
}

}  // namespace ablate::selection_attention
