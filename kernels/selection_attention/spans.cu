// The direct form (direct.cu) for blocks of 16 or 4 tokens, followed by special tokens (block_layout.h,
// vggt): a warp has the queries of one block of one head and processes the keys of one block, or 16 special
// ones, at a time.
//   S = Q·Kᵀ, P = 2^(c·s − m), O += P·V; scores of missing keys are −∞. For missing rows the last one is read
//   again, with weight 0, so nothing is read past the end.
// First come forced blocks, then listed ones, then special tokens. Special queries attend to all tokens, by
// another kernel.
// Should move, beside direct.cu: bytes from L2 by the special keys, 5 an image and query block.
#include "kernels/selection_attention/fragments.cuh"

namespace ablate::selection_attention {

constexpr int warps_of_spans = 4;

/// A warp's key tiles, each of one span.
class key_spans {
 public:
  /// `entries`: of this warp, room for max_selected. All lanes call it.
  __device__ key_spans(const view& v, const block_layout& layout, int head, int block, int* entries)
      : layout_(layout), entries_(entries), forced_(v.forced_blocks) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const std::int32_t* const list = v.table + (static_cast<long long>(head) * v.blocks + block) * v.selected;
    for (int first = 0; first < v.selected; first += 32) {
      const int entry = first + lane < v.selected ? list[first + lane] : -1;
      const bool is_there = entry >= v.lowest_entry && entry < v.blocks;
      const unsigned all = __ballot_sync(~0u, is_there);
      if (is_there) entries_[listed_ + __popc(all & ((1u << lane) - 1))] = entry;
      listed_ += __popc(all);
    }
    __syncwarp();
  }
  __device__ int count() const {
    const auto special = static_cast<int>(layout_.tokens - layout_.patches());
    return forced_ + listed_ + (special + tile - 1) / tile;
  }
  __device__ token_span operator[](int i) const {
    if (i < forced_) return layout_.span(i);
    if (i < forced_ + listed_) return layout_.span(entries_[i - forced_]);
    const long long first = layout_.patches() + static_cast<long long>(i - forced_ - listed_) * tile;
    return {first, static_cast<int>(min(static_cast<long long>(tile), layout_.tokens - first))};
  }

 private:
  const block_layout& layout_;
  int* entries_;
  int forced_, listed_ = 0;
};

/// Row `row` of a span, or the last that it has.
__device__ inline long long row_or_last(const token_span& span, int row) {
  return span.first + min(row, span.count - 1);
}

/// Scores of keys that a span does not have.
__device__ inline void mask(float (&s)[2][4], int count) {
  if (count == tile) return;
#pragma unroll
  for (int n = 0; n < 2; ++n)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      if (8 * n + static_cast<int>(threadIdx.x) % 4 * 2 + e % 2 >= count) s[n][e] = -INFINITY;
}

__global__ __launch_bounds__(32 * warps_of_spans, 16 / warps_of_spans) void attend_to_spans(
    const __grid_constant__ view v, const __grid_constant__ block_layout layout) {
  __shared__ int entries[warps_of_spans][max_selected];
  const int warp = static_cast<int>(threadIdx.x) / 32, quad = static_cast<int>(threadIdx.x) % 32 / 4,
            in_quad = static_cast<int>(threadIdx.x) % 4;
  const int groups = (v.blocks + warps_of_spans - 1) / warps_of_spans;
  const int head = static_cast<int>(blockIdx.x) / groups;
  const int block = static_cast<int>(blockIdx.x) % groups * warps_of_spans + warp;
  if (block >= v.blocks || block < v.dense_blocks) return;
  const long long of_head = head * v.tokens * row_bytes;
  const unsigned char* const keys = v.k + of_head + in_quad * 16;
  const unsigned char* const values = v.v + of_head + quad * 16;
  const token_span queries = layout.span(block);

  const auto load_rows = [&](row_fragments& to, const unsigned char* from, const token_span& span) {
#pragma unroll
    for (int row = 0; row < 2; ++row) to.load_row(row, from + row_or_last(span, quad + 8 * row) * row_bytes);
  };
  const auto load_values = [&](value_fragments& to, const token_span& span) {
#pragma unroll
    for (int row = 0; row < 4; ++row)
      to.load_row(row, values + row_or_last(span, 2 * in_quad + value_fragments::offset(row)) * row_bytes);
  };

  row_fragments query, key;
  value_fragments value;
  load_rows(query, v.q + of_head + in_quad * 16, queries);
  const key_spans list(v, layout, head, block, entries[warp]);
  const int count = list.count();
  token_span span{0, tile};
  if (count > 0) {
    span = list[0];
    load_rows(key, keys, span);
    load_values(value, span);
  }
  softmax_rows<softmax_form::lazy> rows;
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    float s[2][4];
    multiply_tile(s, query, key);
    mask(s, span.count);
    if (i + 1 < count) {
      span = list[i + 1];
      load_rows(key, keys, span);
    }
    unsigned p[4];
    rows.weigh(s, v.scale_log2, p);
#pragma unroll
    for (int n = 0; n < columns; ++n) mma::multiply_add(rows.out[n], p, value.pair(0, n), value.pair(2, n));
    if (i + 1 < count) load_values(value, span);
  }
#pragma unroll
  for (int half = 0; half < 2; ++half)
    store_row<row_output{.gated = true}>(v, rows, half, head, row_or_last(queries, quad + 8 * half), block,
                                         quad + 8 * half < queries.count);
}

void attend_in_layout(launcher& to, const view& v, const block_layout& layout) {
  const dim3 grid(blocks_for(v.blocks, warps_of_spans) * static_cast<unsigned>(v.heads));
  launch(to, attend_to_spans, grid, dim3(32 * warps_of_spans), 0, v, layout);
}

}  // namespace ablate::selection_attention
