// Gradients of 16 queries of one head by a warp that keeps them, while the keys of their list pass.
//   S = Q·Kᵀ, dP = dO·Vᵀ, P = 2^(c·S − lse), dS = P∘(dP − Δ), dQ += dS·K.
// As in the forward pass, rows come from global memory straight into fragments. K is needed in both forms: by
// rows for the scores and by columns for dQ; the second read finds in L1 what the first brought, so 4 KB pass
// from L2 for each tile of keys. Every sum is one warp's own, in the order of its list: the same bits each
// time.
//   With `key_gradients::added`, the warp also has Q and dO by columns, and adds dK += dSᵀ·Q and dV += Pᵀ·dO
// of each tile of keys to fp32 rows by reductions: five products in one launch instead of seven in two,
// and 8 KB of reductions for 4 KB that are read. Which comes first is different each time.
// Should move: L2 bytes, 4 KB a pair of tiles;
// L2 reductions, none or 8 KB a pair.
#include "kernels/common/fill.h"
#include "kernels/selection_attention_backward/products.cuh"

namespace ablate::selection_attention_backward {

using selection_attention::key_tiles;
using selection_attention::work_item;

constexpr int query_warps = 4;

/// dK and dV come from another launch, or are added up by this one.
enum class key_gradients { elsewhere, added };

/// 12 warps a multiprocessor, or 8 where Q and dO are kept in two forms.
template <key_gradients Keys>
__global__ __launch_bounds__(32 * query_warps, Keys == key_gradients::added
                                                   ? 2
                                                   : 3) void pass_keys(const __grid_constant__ view v) {
  constexpr bool adds_keys = Keys == key_gradients::added;
  __shared__ int entries[query_warps][selection_attention::max_entries];
  const work_item at(v.attention);
  if (!at.attends(v.attention)) return;
  const lane_places lane;
  const long long of_head = at.head * v.attention.tokens * row_bytes;
  const long long queries = of_head + static_cast<long long>(at.tile) * tile_bytes;
  const unsigned char* const keys = v.attention.k + of_head + lane.by_rows();
  const unsigned char* const values = v.attention.v + of_head + lane.by_rows();
  const unsigned char* const key_columns = v.attention.k + of_head + lane.by_columns();

  row_fragments query, gradient;
  query.load(v.attention.q + queries + lane.by_rows());
  gradient.load(v.out_gradient + queries + lane.by_rows());
  value_fragments query_columns, gradient_columns;
  if constexpr (adds_keys) {
    query_columns.load(v.attention.q + queries + lane.by_columns());
    gradient_columns.load(v.out_gradient + queries + lane.by_columns());
  }
  const long long first_row = at.head * v.attention.tokens + static_cast<long long>(at.tile) * tile;
  const row_statistics own[2] = {v.statistics[first_row + lane.quad],
                                 v.statistics[first_row + lane.quad + 8]};

  const key_tiles list(v.attention, at, entries[threadIdx.x / 32]);
  const int count = list.count();
  row_fragments key, value;
  if (count > 0) {
    key.load(keys + list[0] * tile_bytes);
    value.load(values + list[0] * tile_bytes);
  }
  float sums[columns][4] = {};
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const unsigned here = list[i] * tile_bytes;
    value_fragments columns_of_keys;
    columns_of_keys.load(key_columns + here);
    float s[2][4], dp[2][4];
    multiply_tile(s, query, key);
    multiply_tile(dp, gradient, value);
    if (i + 1 < count) {
      const unsigned next = list[i + 1] * tile_bytes;
      key.load(keys + next);
      value.load(values + next);
    }
    unsigned p[4], ds[4];
    differentiate_tile(
        s, dp, v.attention.scale_log2, [&](int, int e) { return own[e / 2]; }, p, ds);
    add_product(sums, ds, columns_of_keys);
    if constexpr (adds_keys) {
      float* const of_keys = v.key_sums + (of_head + here) / 2;
      unsigned turned[4];
      transpose(turned, ds);
      reduce_product(of_keys, lane, turned, query_columns);
      transpose(turned, p);
      reduce_product(of_keys + v.elements(), lane, turned, gradient_columns);
    }
  }
  const long long block =
      static_cast<long long>(at.head) * v.attention.blocks + (at.tile >> v.attention.log2_in_block);
  store_rows(v.q_gradient + queries, lane, sums, scale, v.pooled_row(0, block), v.share);
}

void differentiate_queries(launcher& to, const view& v) {
  launch(to, pass_keys<key_gradients::elsewhere>, dim3(v.attention.grid(query_warps)), dim3(32 * query_warps),
         0, v);
}

void differentiate_queries_and_add(launcher& to, const view& v) {
  const long long elements = v.elements();
  fill(to, {{v.key_sums, 2 * elements, 0}});
  launch(to, pass_keys<key_gradients::added>, dim3(v.attention.grid(query_warps)), dim3(32 * query_warps), 0,
         v);
  round_sums(to, v, v.key_sums, v.k_gradient, 1, scale);
  round_sums(to, v, v.key_sums + (v.key_sums == nullptr ? 0 : elements), v.v_gradient, 2, 1);
}

}  // namespace ablate::selection_attention_backward
