// The two products of attention by a warpgroup: S = Q·Kᵀ, 64 queries by a tile of keys, and O (+)= P·V. Rows
// of `Width` elements are in shared memory in panels of at most 128 bytes, swizzled.
#pragma once

#include "kernels/attention_core/forward_config.h"
#include "kernels/common/hopper/wgmma.cuh"
#include "kernels/common/softmax_math.cuh"

namespace ablate::attention_core {

/// How a row of `Width` elements is swizzled.
template <int Width>
using row_swizzle = hopper::swizzle<block_shape{.width = Width}.span_bytes()>;

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// S = Q·Kᵀ: `Count` scores a thread, of 2 · Count keys.
template <int Width, int Count>
__device__ inline void issue_scores(float (&s)[Count], std::uint64_t queries, std::uint64_t keys) {
  using namespace hopper;
  constexpr int tile_keys = 2 * Count;
#pragma unroll
  for (int k = 0; k < Width / 16; ++k) {
    const int panel = k / 4, in_panel = 32 * (k % 4);
    wgmma<tile_keys>::template shared_a<operand_major::k_major>(
        s, moved_by(queries, panel * rows_per_group * 128 + in_panel),
        moved_by(keys, panel * tile_keys * 128 + in_panel), k > 0);
  }
  wgmma_commit();
}

/// O (+)= P·V, `p`: the fragments of 4 · Count probabilities a row. Columns: those of the values, plus eight
/// of ones where the MMA also sums the probabilities.
template <int Width, int Columns, int Count>
__device__ inline void issue_outputs(float (&o)[Columns / 2], const unsigned (&p)[Count],
                                     std::uint64_t values, bool accumulates) {
  using namespace hopper;
#pragma unroll
  for (int k = 0; k < Count / 4; ++k)
    wgmma<Columns>::template register_a<operand_major::mn_major>(
        o, p + 4 * k, moved_by(values, k * 16 * row_swizzle<Width>::span_bytes), accumulates || k > 0);
  wgmma_commit();
}

template <int Count>
__device__ inline void pack_probabilities(unsigned (&p)[Count / 2], const float (&s)[Count]) {
#pragma unroll
  for (int i = 0; i < Count / 2; ++i) p[i] = packed(s[2 * i], s[2 * i + 1]);
}

#endif

}  // namespace ablate::attention_core
