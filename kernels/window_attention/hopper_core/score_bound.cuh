// Whether a query tile's scores are small enough to be taken without a maximum (softmax_form::bounded).
#pragma once

#include "kernels/window_attention/hopper_core/memory.cuh"
#include "kernels/window_attention/hopper_core/tile_scheduler.cuh"

namespace ablate::window_attention {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// Whether c · ‖q‖ · ‖k‖ stays below 100 for all queries of the group, which are at `queries`, and all keys
/// of the window.
template <block_shape Block, class Memory>
__device__ inline bool scores_are_bounded(const view& v, const query_tile& t, Memory& shared, int group,
                                          const unsigned char* queries) {
  constexpr float max_exponent = 100;
  const int thread = static_cast<int>(threadIdx.x) % 128, tiles = v.window / keys_per_tile;
  float keys = 0;
  for (int i = thread; i < tiles; i += 128)
    keys = fmaxf(
        keys, v.key_norms[(static_cast<long long>(t.batch) * v.heads + t.head) * (v.tokens / keys_per_tile) +
                          v.row_of(t.window, i * keys_per_tile) / keys_per_tile]);
  // Every thread has some of the keys' norms and half of a query: each warp takes the greatest of both.
  const unsigned char* const row = queries + thread / 2 * Block.span_bytes();
  float query = 0;
  for (int chunk = thread % 2; chunk < Block.span_bytes() / 16 * Block.panels(); chunk += 2) {
    const auto words =
        *reinterpret_cast<const uint4*>(row + chunk / (Block.span_bytes() / 16) * rows_per_group * 128 +
                                        chunk % (Block.span_bytes() / 16) * 16);
    for (const unsigned word : {words.x, words.y, words.z, words.w}) {
      const float low = __uint_as_float(word << 16), high = __uint_as_float(word & 0xffff0000u);
      query = fmaf(low, low, fmaf(high, high, query));
    }
  }
  query += __shfl_xor_sync(~0u, query, 1);
  // A norm that is no number must not look small.
  if (!(query <= INFINITY)) query = INFINITY;
  for (int lane = 16; lane > 0; lane /= 2) {
    keys = fmaxf(keys, __shfl_xor_sync(~0u, keys, lane));
    query = fmaxf(query, __shfl_xor_sync(~0u, query, lane));
  }
  if (threadIdx.x % 32 == 0) {
    shared.greatest_key[group][thread / 32] = keys;
    shared.greatest_query[group][thread / 32] = query;
  }
  hopper::named_barrier_wait(group_barrier(group), 128);
  float all_keys = 0, all_queries = 0;
  for (int warp = 0; warp < 4; ++warp) {
    all_keys = fmaxf(all_keys, shared.greatest_key[group][warp]);
    all_queries = fmaxf(all_queries, shared.greatest_query[group][warp]);
  }
  return v.scale_log2 * sqrtf(all_keys * all_queries) <= max_exponent;
}

#endif

}  // namespace ablate::window_attention
