// Means of blocks of tokens' rows: a warp a block of a head, eight lanes a row, four rows at a time; lanes of
// one piece of the rows then add up. Each row is read once, in whole lines. Should move: DRAM bytes, those of
// the rows and no more.
#include "kernels/block_sparse_selection/block_means.h"

#include "kernels/block_sparse_selection/view.cuh"

namespace ablate::block_sparse_selection {

struct mean_view {
  const unsigned char* rows;
  unsigned char* means;
  long long blocks_of_head, all_blocks, tokens, tokens_of_head;
  int block;

  explicit mean_view(const block_means& m)
      : rows(reinterpret_cast<const unsigned char*>(m.rows)),
        means(reinterpret_cast<unsigned char*>(m.means)),
        blocks_of_head(m.blocks()),
        all_blocks(m.heads * m.blocks()),
        tokens(m.tokens),
        tokens_of_head(m.tokens_of_head),
        block(m.block) {}

  /// The block of this thread's warp, among all heads'.
  __device__ long long block_of_warp() const {
    return blockIdx.x * static_cast<long long>(row_warps) + threadIdx.x / 32;
  }
  __device__ const unsigned char* first_row(long long number) const {
    return rows + (number / blocks_of_head * tokens_of_head + number % blocks_of_head * block) * row_bytes;
  }
  __device__ int tokens_of(long long number) const {
    const long long left = tokens - number % blocks_of_head * block;
    return left < block ? static_cast<int>(left) : block;
  }
  __device__ unsigned char* mean(long long number) const { return means + number * row_bytes; }
};

/// Where blocks may be those of patches, and others stand behind a head's means.
struct pooled_view : mean_view {
  long long means_of_head;
  block_layout patches;

  explicit pooled_view(const block_means& m)
      : mean_view(m), means_of_head(m.rows_of_means()), patches(m.patches) {}

  __device__ token_span span(long long number) const {
    const long long in_head = number % blocks_of_head;
    if (patches.tokens > 0) return patches.span(in_head);
    const long long left = tokens - in_head * block;
    return {in_head * block, left < block ? static_cast<int>(left) : block};
  }
  __device__ const unsigned char* first_row(long long number) const {
    return rows + (number / blocks_of_head * tokens_of_head + span(number).first) * row_bytes;
  }
  __device__ int tokens_of(long long number) const { return span(number).count; }
  __device__ unsigned char* mean(long long number) const {
    return means + (number / blocks_of_head * means_of_head + number % blocks_of_head) * row_bytes;
  }
};

template <class View>
__device__ void take_mean(const View& v) {
  const long long number = v.block_of_warp();
  if (number >= v.all_blocks) return;
  constexpr int pieces = width / 8, rows_at_once = 32 / pieces;
  const int lane = static_cast<int>(threadIdx.x) % 32, piece = lane % pieces, count = v.tokens_of(number);
  const auto* const from = reinterpret_cast<const uint4*>(v.first_row(number)) + piece;
  float sum[8] = {};
#pragma unroll 4
  for (int row = lane / pieces; row < count; row += rows_at_once) {
    float elements[8];
    widen(from[row * pieces], elements);
#pragma unroll
    for (int i = 0; i < 8; ++i) sum[i] += elements[i];
  }
#pragma unroll
  for (float& x : sum) {
    x += __shfl_xor_sync(~0u, x, pieces);
    x += __shfl_xor_sync(~0u, x, 2 * pieces);
    x /= static_cast<float>(count);
  }
  if (lane >= pieces) return;
  const auto pair = [&](int i) {
    return static_cast<unsigned>(window_attention::bf16_of(sum[i])) |
           static_cast<unsigned>(window_attention::bf16_of(sum[i + 1])) << 16;
  };
  reinterpret_cast<uint4*>(v.mean(number))[piece] = {pair(0), pair(2), pair(4), pair(6)};
}

__global__ __launch_bounds__(row_threads) void mean_of_block(const __grid_constant__ mean_view v) {
  take_mean(v);
}
__global__ __launch_bounds__(row_threads) void mean_among_others(const __grid_constant__ pooled_view v) {
  take_mean(v);
}

dim3 grid_of(const mean_view& v) { return {blocks_for(v.all_blocks, row_warps), 1, 1}; }

void take_means(launcher& to, const block_means& m) {
  const pooled_view v(m);
  if (m.stands_alone())
    launch(to, mean_of_block, grid_of(v), dim3(row_threads), 0, mean_view(m));
  else
    launch(to, mean_among_others, grid_of(v), dim3(row_threads), 0, v);
}

__global__ void clear_mean_findings(mean_findings* found) { *found = {0, 0, ~0ull}; }

/// A warp a block, a lane two elements.
template <class View>
__device__ void judge_row(const View& v, mean_findings* found) {
  const long long number = v.block_of_warp();
  if (number >= v.all_blocks) return;
  const int lane = static_cast<int>(threadIdx.x) % 32, count = v.tokens_of(number);
  const auto* const from = reinterpret_cast<const std::uint16_t*>(v.first_row(number)) + 2 * lane;
  const auto* const seen = reinterpret_cast<const std::uint16_t*>(v.mean(number)) + 2 * lane;
  bool is_right = true;
  for (int e = 0; e < 2; ++e) {
    double sum = 0, absolutes = 0;
    for (int row = 0; row < count; ++row) {
      const auto x = static_cast<double>(window_attention::float_of_bf16(from[row * width + e]));
      sum += x;
      absolutes += fabs(x);
    }
    // Rounded to bf16 once, and sums of fp32.
    const double off = fabs(static_cast<double>(window_attention::float_of_bf16(seen[e])) - sum / count);
    is_right = is_right && off <= 0x1p-8 * fabs(sum / count) + 0x1p-18 * absolutes / count;
  }
  const bool all_right = __all_sync(~0u, is_right);
  if (lane != 0) return;
  atomicAdd(&found->judged, 1ull);
  if (all_right) return;
  atomicAdd(&found->wrong, 1ull);
  atomicMin(&found->first_wrong, static_cast<unsigned long long>(number));
}

__global__ __launch_bounds__(row_threads) void judge_mean(const __grid_constant__ mean_view v,
                                                          mean_findings* found) {
  judge_row(v, found);
}
__global__ __launch_bounds__(row_threads) void judge_mean_among_others(const __grid_constant__ pooled_view v,
                                                                       mean_findings* found) {
  judge_row(v, found);
}

void judge_means(launcher& to, const block_means& m, mean_findings* found) {
  const pooled_view v(m);
  launch(to, clear_mean_findings, dim3(1), dim3(1), 0, found);
  if (m.stands_alone())
    launch(to, judge_mean, grid_of(v), dim3(row_threads), 0, mean_view(m), found);
  else
    launch(to, judge_mean_among_others, grid_of(v), dim3(row_threads), 0, v, found);
}

}  // namespace ablate::block_sparse_selection
