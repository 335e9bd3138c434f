// The yardstick on the device: attention to selected blocks in fp32 without tensor cores, a warp a query; and
// the inputs, which are made on the device. Nothing here is measured. Its own arithmetic is held against the
// fp64 oracle at the sampled rows: what a variant computes must be near both.
#include <cfloat>

#include "kernels/selection_attention/launches.h"
#include "kernels/selection_attention/view.cuh"
#include "oracles/selection_attention/launches.h"
#include "oracles/window_attention/compare_rows.cuh"
#include "oracles/window_attention/plain_rows.cuh"

namespace ablate::selection_attention {

constexpr int plain_threads = 256;

__device__ float sum_of_warp(float x) {
  for (int far = 16; far > 0; far /= 2) x += __shfl_xor_sync(~0u, x, far);
  return x;
}

/// The lane's two elements of a row.
__device__ float2 elements_of(const unsigned char* tensor, long long row) {
  return __bfloat1622float2(
      *reinterpret_cast<const __nv_bfloat162*>(tensor + row * row_bytes + threadIdx.x % 32 * 4));
}

__global__ __launch_bounds__(plain_threads) void attend_plainly(view v, block_layout layout,
                                                                plain_outputs plain, long long stride,
                                                                long long compared) {
  if (*plain.is_there != 0) return;
  const long long number = (blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x) / 32;
  if (number >= compared) return;
  const long long row = number * stride;
  const long long head = row / v.tokens, query = row % v.tokens;
  const bool is_special = query >= layout.patches();
  const long long query_block = is_special ? 0 : layout.block_of(query);
  const std::int32_t* const list =
      v.table + (head * v.blocks + query_block) * static_cast<long long>(v.selected);
  const bool is_dense = is_special || query_block < v.dense_blocks;
  const float2 q = elements_of(v.q, row);
  float2 o = {};
  float most = -FLT_MAX, sum = 0, squared_noise = 0;
  const auto attend_to = [&](long long first, long long count) {
    for (long long i = first; i < first + count; ++i) {
      const long long token = head * v.tokens + i;
      const float2 key = elements_of(v.k, token), value = elements_of(v.v, token);
      const float score = sum_of_warp(fmaf(q.x, key.x, q.y * key.y)) * v.scale_log2;
      const float squared =
          sum_of_warp(window_attention::finite_square(value.x) + window_attention::finite_square(value.y));
      if (score > most) {
        const float rescale = exp2f(most - score);
        most = score;
        sum *= rescale;
        squared_noise *= rescale * rescale;
        o.x *= rescale;
        o.y *= rescale;
      }
      const float weight = exp2f(score - most);
      sum += weight;
      squared_noise = fmaf(weight * weight, squared, squared_noise);
      o.x = fmaf(weight, value.x, o.x);
      o.y = fmaf(weight, value.y, o.y);
    }
  };
  const auto attend_to_block = [&](int block) {
    const token_span span = layout.span(block);
    attend_to(span.first, span.count);
  };
  if (is_dense) {
    attend_to(0, v.tokens);
  } else {
    for (int block = 0; block < v.forced_blocks; ++block) attend_to_block(block);
    for (int slot = 0; slot < v.selected; ++slot)
      if (list[slot] >= v.lowest_entry && list[slot] < v.blocks) attend_to_block(list[slot]);
    attend_to(layout.patches(), v.tokens - layout.patches());
  }
  if (sum != 0) {
    o.x /= sum;
    o.y /= sum;
  }
  const float squared =
      sum_of_warp(window_attention::finite_square(o.x) + window_attention::finite_square(o.y));
  float scale = sqrtf(fmaxf(squared, sum == 0 ? 0 : squared_noise / (sum * sum)));
  if (v.gates != nullptr && !is_dense) {
    const float2 gates = v.gates[row % v.tokens * v.heads + head];
    const float2 compressed = elements_of(v.compressed, head * v.blocks + query_block);
    o.x = gates.x * compressed.x + gates.y * o.x;
    o.y = gates.x * compressed.y + gates.y * o.y;
    scale =
        fmaxf(gates.y * scale, gates.x * sqrtf(sum_of_warp(window_attention::finite_square(compressed.x) +
                                                           window_attention::finite_square(compressed.y))));
  }
  *reinterpret_cast<float2*>(plain.out + number * width + threadIdx.x % 32 * 2) = o;
  if (plain.seen_out != nullptr)
    reinterpret_cast<unsigned*>(plain.seen_out)[number * (width / 2) + threadIdx.x % 32] =
        reinterpret_cast<const unsigned*>(v.out)[row * (width / 2) + threadIdx.x % 32];
  if (threadIdx.x % 32 != 0) return;
  plain.scale[number] = scale;
  plain.lse[number] = sum == 0 ? -INFINITY : (most + log2f(sum)) * 0.693147180559945f;
  if (plain.seen_lse != nullptr) plain.seen_lse[number] = v.lse[row];
}

__global__ void note(unsigned* is_there) { *is_there = 1; }

__global__ void gather_samples(view v, const sampled_row* samples, float* out, float* lse) {
  const long long i = blockIdx.x, row = samples[i].head * v.tokens + samples[i].row;
  const float2 both = elements_of(v.out, row);
  *reinterpret_cast<float2*>(out + i * width + threadIdx.x * 2) = both;
  if (threadIdx.x == 0) lse[i] = v.lse[row];
}

void compare_with_plain(launcher& to, const checked_problem& p, const switches&) {
  const plain_outputs plain = cut_reference(p);
  const view v(p, true);
  const bool keeps = p.keeps_plain;
  const window_attention::row_shape shape =
      keeps ? window_attention::row_shape{1, p.tokens, p.heads, width, true}
            : window_attention::row_shape{1, p.compared_rows(), 1, width, true};
  launch(to, attend_plainly, dim3(blocks_for(32 * shape.rows(), plain_threads)), dim3(plain_threads), 0, v,
         p.layout(), plain, p.compared_stride(), shape.rows());
  if (keeps) launch(to, note, dim3(1), dim3(1), 0, plain.is_there);
  window_attention::compare_rows(to, shape, {keeps ? p.out : plain.seen_out, plain.out, plain.scale},
                                 window_attention::accepted_row_error, &p.found->out);
  window_attention::compare_log_sums(to, shape, keeps ? p.lse : plain.seen_lse, plain.lse,
                                     window_attention::accepted_lse_error, &p.found->lse);
  launch(to, gather_samples, dim3(static_cast<unsigned>(p.sample_count)), dim3(32), 0, v, p.samples,
         p.sampled_out, p.sampled_lse);
}

__global__ __launch_bounds__(plain_threads) void make_elements(checked_problem p, tensor of,
                                                               std::uint16_t* to) {
  const long long count = p.elements();
  for (long long i = blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(plain_threads)) {
    const long long row = i / width;
    to[i] = generated_bits(p, of, row / p.tokens, row % p.tokens, static_cast<int>(i % width));
  }
}

__global__ __launch_bounds__(plain_threads) void make_table(checked_problem p, std::int32_t* to) {
  const long long lists = p.heads * p.blocks();
  for (long long i = blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x; i < lists * p.selected;
       i += gridDim.x * static_cast<long long>(plain_threads)) {
    const long long list = i / p.selected;
    to[i] = p.lists.block(list / p.blocks(), list % p.blocks(), static_cast<int>(i % p.selected));
  }
}

__global__ __launch_bounds__(plain_threads) void make_gated(checked_problem p, std::uint16_t* compressed,
                                                            float* gates) {
  const long long first = blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x;
  const long long all = gridDim.x * static_cast<long long>(plain_threads);
  for (long long i = first; i < p.heads * p.blocks() * width; i += all)
    compressed[i] =
        generated_compressed(p, i / width / p.blocks(), i / width % p.blocks(), static_cast<int>(i % width));
  for (long long i = first; i < p.tokens * p.heads * 2; i += all)
    gates[i] = generated_gate(p, i / 2 / p.heads, i / 2 % p.heads, static_cast<int>(i % 2));
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  const dim3 grid(16 * static_cast<unsigned>(to.device().multiprocessors));
  launch(to, make_elements, grid, dim3(plain_threads), 0, p, tensor::q, const_cast<std::uint16_t*>(p.q));
  launch(to, make_elements, grid, dim3(plain_threads), 0, p, tensor::k, const_cast<std::uint16_t*>(p.k));
  launch(to, make_elements, grid, dim3(plain_threads), 0, p, tensor::v, const_cast<std::uint16_t*>(p.v));
  launch(to, make_table, grid, dim3(plain_threads), 0, p, const_cast<std::int32_t*>(p.table));
  if (p.is_gated)
    launch(to, make_gated, grid, dim3(plain_threads), 0, p, const_cast<std::uint16_t*>(p.compressed),
           const_cast<float*>(p.gates));
}

}  // namespace ablate::selection_attention
