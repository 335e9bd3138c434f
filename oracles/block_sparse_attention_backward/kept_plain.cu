// The yardstick on the device for gradients of attention to kept blocks: fp32 without tensor cores, a block
// of threads a compared row, from what the forward pass left. Nothing here is measured.
#include "kernels/block_sparse_attention_backward/kept_pairs.cuh"
#include "kernels/common/softmax_math.cuh"
#include "oracles/block_sparse_attention_backward/checked_problem.h"
#include "oracles/block_sparse_attention_backward/launches.h"
#include "oracles/window_attention/compare_rows.cuh"

namespace ablate::block_sparse_attention_backward {

constexpr int kept_threads = 128;

/// The layer as this reads it. Rows are of all heads.
struct kept_layer {
  const std::uint16_t *q, *k, *v, *out, *out_gradient;
  const float* lse;
  long long tokens, heads;

  explicit kept_layer(const problem& p)
      : q(p.forward.q),
        k(p.forward.k),
        v(p.forward.v),
        out(p.forward.out),
        out_gradient(p.out_gradient),
        lse(p.forward.lse),
        tokens(p.forward.tokens),
        heads(p.forward.heads) {}
};

struct plain_row {
  float x[width];

  __device__ plain_row(const std::uint16_t* tensor, long long row) {
#pragma unroll
    for (int d = 0; d < width; ++d) x[d] = window_attention::float_of_bf16(tensor[row * width + d]);
  }
  __device__ float times(const plain_row& other) const {
    float sum = 0;
#pragma unroll
    for (int d = 0; d < width; ++d) sum = fmaf(x[d], other.x[d], sum);
    return sum;
  }
};

/// A gradient's row so far, of this thread, and the squares of what its terms may be off by.
struct gradient_sum {
  float sum[width] = {}, noise = 0;

  __device__ void add(float factor, const plain_row& row) {
#pragma unroll
    for (int d = 0; d < width; ++d) sum[d] = fmaf(factor, row.x[d], sum[d]);
    noise = fmaf(factor * factor, row.times(row), noise);
  }
};

/// Of all threads; by all of them. `to`: the row, and what its errors are divided by.
__device__ void store_sum(const gradient_sum& mine, float factor, float* to, float* scale) {
  __shared__ float of_warps[kept_threads / 32][width + 1];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  __syncthreads();  // whoever reads the sums before is done
  const auto gather = [&](float x, int place) {
    for (int far = 16; far > 0; far /= 2) x += __shfl_xor_sync(~0u, x, far);
    if (lane == 0) of_warps[warp][place] = x;
  };
#pragma unroll
  for (int d = 0; d < width; ++d) gather(mine.sum[d], d);
  gather(mine.noise, width);
  __syncthreads();
  if (threadIdx.x != 0) return;
  float squared = 0, noise = 0;
  for (int w = 0; w < kept_threads / 32; ++w) noise += of_warps[w][width];
  for (int d = 0; d < width; ++d) {
    float x = 0;
    for (int w = 0; w < kept_threads / 32; ++w) x += of_warps[w][d];
    to[d] = x * factor;
    squared = fmaf(x, x, squared);
  }
  *scale = factor * sqrtf(fmaxf(squared, noise));
}

/// P and dS of a pair.
struct pair_terms {
  float p, ds;

  __device__ pair_terms(const plain_row& q, const plain_row& k, const plain_row& v,
                        const plain_row& out_gradient, float lse, float delta)
      : p(expf(q.times(k) / 8 - lse)), ds(p * (out_gradient.times(v) - delta)) {}  // √64
};

/// blockIdx.x: a compared row, of queries and of keys.
__global__ __launch_bounds__(kept_threads) void differentiate_kept_plainly(
    const __grid_constant__ kept_layer of, const __grid_constant__ kept_pairs pairs, long long stride,
    const __grid_constant__ plain_gradients plain, const std::uint16_t* q_gradient,
    const std::uint16_t* k_gradient, const std::uint16_t* v_gradient) {
  const long long at = blockIdx.x, row = at * stride, head = row / of.tokens, first = head * of.tokens;
  const int in_head = static_cast<int>(row - first);
  gradient_sum dq, dk, dv;
  {
    const plain_row q(of.q, row), out_gradient(of.out_gradient, row), out(of.out, row);
    const float delta = out_gradient.times(out);
    for (long long key = threadIdx.x; key < of.tokens; key += kept_threads) {
      if (!pairs.keeps(head, in_head / rows_of_query_block, static_cast<int>(key) / rows_of_key_block))
        continue;
      const plain_row k(of.k, first + key), v(of.v, first + key);
      dq.add(pair_terms(q, k, v, out_gradient, of.lse[row], delta).ds, k);
    }
  }
  store_sum(dq, 0.125f, plain.of[0] + at * width, plain.scale[0] + at);
  {
    const plain_row k(of.k, row), v(of.v, row);
    for (long long query = threadIdx.x; query < of.tokens; query += kept_threads) {
      if (!pairs.keeps(head, static_cast<int>(query) / rows_of_query_block, in_head / rows_of_key_block))
        continue;
      const plain_row q(of.q, first + query), out_gradient(of.out_gradient, first + query),
          out(of.out, first + query);
      const pair_terms terms(q, k, v, out_gradient, of.lse[first + query], out_gradient.times(out));
      dk.add(terms.ds, q);
      dv.add(terms.p, out_gradient);
    }
  }
  store_sum(dk, 0.125f, plain.of[1] + at * width, plain.scale[1] + at);
  store_sum(dv, 1, plain.of[2] + at * width, plain.scale[2] + at);
  const std::uint16_t* const seen[] = {q_gradient, k_gradient, v_gradient};
  for (int which = 0; which < gradients; ++which)
    for (int d = static_cast<int>(threadIdx.x); d < width; d += kept_threads)
      plain.seen[which][at * width + d] = seen[which][row * width + d];
}

__global__ void clear_turned(findings* found) { found->not_turned = 0; }

/// A thread a word of a key block: its bits, one by one, and with the first one the count.
__global__ __launch_bounds__(kept_threads) void compare_turned(const __grid_constant__ kept_pairs pairs,
                                                               findings* found) {
  const long long i = blockIdx.x * static_cast<long long>(kept_threads) + threadIdx.x;
  if (i >= static_cast<long long>(pairs.heads) * pairs.key_blocks * pairs.query_words) return;
  const int word = static_cast<int>(i % pairs.query_words);
  const long long row = i / pairs.query_words, head = row / pairs.key_blocks;
  const int key = static_cast<int>(row % pairs.key_blocks);
  unsigned expected = 0;
  for (int bit = 0; bit < 32 && 32 * word + bit < pairs.query_blocks; ++bit)
    if (pairs.keeps(head, 32 * word + bit, key)) expected |= 1u << bit;
  int wrong = __popc(expected ^ pairs.turned[i]);
  if (word == 0) {
    int count = 0;
    for (int query = 0; query < pairs.query_blocks; ++query) count += pairs.keeps(head, query, key);
    wrong += count != pairs.turned_counts[row];
  }
  if (wrong > 0) atomicAdd(&found->not_turned, static_cast<unsigned long long>(wrong));
}

/// blockIdx: x sample, y gradient.
__global__ void gather_kept_samples(const sampled_row* samples, long long tokens,
                                    const std::uint16_t* q_gradient, const std::uint16_t* k_gradient,
                                    const std::uint16_t* v_gradient, float* to) {
  const sampled_row& at = samples[blockIdx.x];
  const std::uint16_t* const from = blockIdx.y == 0 ? q_gradient : blockIdx.y == 1 ? k_gradient : v_gradient;
  const int d = static_cast<int>(threadIdx.x);
  to[(static_cast<long long>(blockIdx.y) * gridDim.x + blockIdx.x) * width + d] =
      window_attention::float_of_bf16(from[(at.head * tokens + at.row) * width + d]);
}

void compare_kept_with_plain(launcher& to, const checked_problem& p) {
  const kept_pairs pairs(p);
  launch(to, clear_turned, dim3(1), dim3(1), 0, p.found);
  const long long words = static_cast<long long>(pairs.heads) * pairs.key_blocks * pairs.query_words;
  launch(to, compare_turned, dim3(blocks_for(words, kept_threads)), dim3(kept_threads), 0, pairs, p.found);
  const plain_gradients plain = cut_reference(p);
  launch(to, differentiate_kept_plainly, dim3(static_cast<unsigned>(p.compared_rows())), dim3(kept_threads),
         0, kept_layer(p), pairs, static_cast<long long>(p.compared_stride()), plain, p.gradient[0],
         p.gradient[1], p.gradient[2]);
  for (int i = 0; i < gradients; ++i)
    window_attention::compare_rows(
        to, {1, p.compared_rows(), 1, width, true}, {plain.seen[i], plain.of[i], plain.scale[i]},
        window_attention_backward::accepted_row_error, p.found == nullptr ? nullptr : p.found->rows.of + i);
  launch(to, gather_kept_samples, dim3(static_cast<unsigned>(p.forward_checks.sample_count), gradients),
         dim3(width), 0, p.samples, static_cast<long long>(p.forward.tokens), p.gradient[0], p.gradient[1],
         p.gradient[2], p.sampled_gradients);
}

}  // namespace ablate::block_sparse_attention_backward
