// The yardstick on the device: gradients in fp32 without tensor cores, a warp a row, and the inputs, which
// are made on the device: Q, K, V, dO and lists, then O and log-sum-exp by the forward pass, and the lists
// turned around. Not measured. Its own arithmetic is checked at the sampled rows against the fp64 oracle,
// which computes everything itself: a variant's results must be near both.
#include "kernels/common/softmax_math.cuh"
#include "kernels/list_transpose/view.cuh"
#include "kernels/selection_attention/launches.h"
#include "kernels/selection_attention_backward/launches.h"
#include "kernels/selection_attention_backward/view.cuh"
#include "oracles/selection_attention/launches.h"
#include "oracles/selection_attention_backward/launches.h"
#include "oracles/window_attention/compare_rows.cuh"
#include "oracles/window_attention/plain_rows.cuh"

namespace ablate::selection_attention_backward {

constexpr int plain_threads = 256;

template <class Number>
__device__ Number sum_of_warp(Number x) {
  for (int far = 16; far > 0; far /= 2) x += __shfl_xor_sync(~0u, x, far);
  return x;
}

/// The lane's two elements of a row.
__device__ float2 elements_of(const unsigned char* tensor, long long row) {
  return __bfloat1622float2(
      *reinterpret_cast<const __nv_bfloat162*>(tensor + row * row_bytes + threadIdx.x % 32 * 4));
}
__device__ float product(float2 a, float2 b) { return sum_of_warp(fmaf(a.x, b.x, a.y * b.y)); }
/// A row's norm. Squares are summed in fp64: fp32 would lose those of
/// rows where one key outweighs the others by far.
__device__ float norm_of(float2 row) {
  const double x = row.x, y = row.y;
  return static_cast<float>(sqrt(sum_of_warp(x * x + y * y)));
}

/// A gradient row so far: the lane's two elements, and the square of what its terms' roundings add up to.
struct gradient_row {
  float2 sum{};
  double squared_noise = 0;

  /// `lost`: what `factor` may be off by beside its own rounding, over what is accepted.
  __device__ void add(float factor, float lost, float2 row) {
    sum.x = fmaf(factor, row.x, sum.x);
    sum.y = fmaf(factor, row.y, sum.y);
    const double of_factor = factor, of_lost = lost;
    squared_noise += (of_factor * of_factor + of_lost * of_lost) * product(row, row);
  }
  /// Times `factor`, and what the token gets of a pooled row, which is rounded with it.
  __device__ void store(const plain_gradients& plain, int which, long long number, float factor,
                        float2 added) const {
    const float2 scaled{sum.x * factor, sum.y * factor};
    *reinterpret_cast<float2*>(plain.of[which] + number * width + threadIdx.x % 32 * 2) = {
        scaled.x + added.x, scaled.y + added.y};
    const float of_row = norm_of(scaled), of_added = norm_of(added),
                noise = factor * static_cast<float>(sqrt(squared_noise));
    if (threadIdx.x % 32 == 0) plain.scale[which][number] = fmaxf(of_row, noise) + of_added;
  }
};

/// Where the gates of a row are.
__device__ long long gate_of(const view& v, long long row) {
  return row % v.attention.tokens * v.attention.heads + row / v.attention.tokens;
}

/// The lane's two elements of what each token of a block gets of its pooled row; 0 where there is none.
__device__ float2 share_of_pooled(const view& v, int which, long long block) {
  if (v.pooled_gradients[which] == nullptr) return {};
  const float2 pooled = elements_of(v.pooled_gradients[which], block);
  return {v.share * pooled.x, v.share * pooled.y};
}

/// A query's Q, dO, log-sum-exp, Δ and gate.
struct plain_query {
  float2 query, gradient;
  float lse_log2, delta, gate, gradient_norm;

  __device__ plain_query(const view& v, long long row)
      : query(elements_of(v.attention.q, row)),
        gradient(elements_of(v.out_gradient, row)),
        lse_log2(v.attention.lse[row] * log2_of_e),
        delta(product(gradient, elements_of(v.attention.out, row))),
        gate(v.is_gated ? v.attention.gates[gate_of(v, row)].y : 1),
        gradient_norm(norm_of(gradient)) {}

  __device__ float weight(const view& v, float2 key) const {
    return gate * exp2f(fmaf(product(query, key), v.attention.scale_log2, -lse_log2));
  }
  __device__ float score_gradient(float weight, float2 value) const {
    return weight * (product(gradient, value) - delta);
  }
  /// dP and Δ are sums of 64 products in fp32, each off by up to 64 · 2^-24 · ‖dO‖·‖v‖; where one key has all
  /// of the weight their difference is nothing else.
  __device__ float lost_in_difference(float weight, float value_norm) const {
    constexpr float of_sums = 2 * 64 * 0x1p-24f / static_cast<float>(accepted_row_error);
    return of_sums * weight * gradient_norm * value_norm;
  }
};

/// dQ of a compared row, and dK and dV of the key at the same place.
__global__ __launch_bounds__(plain_threads) void differentiate_plainly(const __grid_constant__ view v,
                                                                       plain_gradients plain,
                                                                       long long stride, long long compared) {
  if (*plain.is_there != 0) return;
  const long long number = (blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x) / 32;
  if (number >= compared) return;
  const long long row = number * stride, first_of_head = row / v.attention.tokens * v.attention.tokens;
  const int tokens_of_block = tile << v.attention.log2_in_block;
  // Blocks of all heads follow each other as rows do, lists and rows of the transposed lists alike.
  const long long block = row / tokens_of_block;

  const plain_query own(v, row);
  gradient_row of_query;
  for (int slot = 0; slot < v.attention.selected; ++slot) {
    const std::int32_t entry = v.attention.table[block * v.attention.selected + slot];
    if (entry < 0 || entry >= v.attention.blocks) continue;
    for (int i = 0; i < tokens_of_block; ++i) {
      const long long token = first_of_head + static_cast<long long>(entry) * tokens_of_block + i;
      const float2 key = elements_of(v.attention.k, token);
      const float weight = own.weight(v, key);
      const float2 value = elements_of(v.attention.v, token);
      of_query.add(own.score_gradient(weight, value), own.lost_in_difference(weight, norm_of(value)), key);
    }
  }
  of_query.store(plain, 0, number, scale, share_of_pooled(v, 0, block));

  const float2 key = elements_of(v.attention.k, row), value = elements_of(v.attention.v, row);
  const float value_norm = norm_of(value);
  gradient_row of_key, of_value;
  for (long long entry = v.offsets[block]; entry < v.offsets[block + 1]; ++entry)
    for (int i = 0; i < tokens_of_block; ++i) {
      const plain_query other(v,
                              first_of_head + static_cast<long long>(v.queries[entry]) * tokens_of_block + i);
      const float weight = other.weight(v, key);
      of_key.add(other.score_gradient(weight, value), other.lost_in_difference(weight, value_norm),
                 other.query);
      of_value.add(weight, 0, other.gradient);
    }
  of_key.store(plain, 1, number, scale, share_of_pooled(v, 1, block));
  of_value.store(plain, 2, number, 1, share_of_pooled(v, 2, block));
}

/// The gates' gradients and dC, a warp a block.
__global__ __launch_bounds__(plain_threads) void differentiate_gates_plainly(const __grid_constant__ view v,
                                                                             plain_gradients plain) {
  if (*plain.is_there != 0) return;
  const long long block = (blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x) / 32;
  if (block >= v.rows) return;
  const int tokens_of_block = tile << v.attention.log2_in_block;
  const float2 compressed = elements_of(v.attention.compressed, block);
  float2 sum{};
  double squared_noise = 0;
  for (long long row = block * tokens_of_block; row < (block + 1) * tokens_of_block; ++row) {
    const float2 gradient = elements_of(v.out_gradient, row);
    const float of_selected = product(gradient, elements_of(v.attention.out, row)),
                of_compressed = product(gradient, compressed);
    const float gate = v.attention.gates[gate_of(v, row)].x;
    sum.x = fmaf(gate, gradient.x, sum.x);
    sum.y = fmaf(gate, gradient.y, sum.y);
    squared_noise += static_cast<double>(gate) * gate * product(gradient, gradient);
    if (threadIdx.x % 32 == 0)
      reinterpret_cast<float2*>(plain.gates)[gate_of(v, row)] = {of_compressed, of_selected};
  }
  *reinterpret_cast<float2*>(plain.compressed + block * width + threadIdx.x % 32 * 2) = sum;
  const float of_row = norm_of(sum);
  if (threadIdx.x % 32 == 0)
    plain.compressed_scale[block] = fmaxf(of_row, static_cast<float>(sqrt(squared_noise)));
}

__global__ void note(unsigned* is_there) { *is_there = 1; }

/// What the variant left in the compared rows. blockIdx.y: gradient.
__global__ __launch_bounds__(plain_threads) void gather_compared(const __grid_constant__ view v,
                                                                 plain_gradients plain, long long stride,
                                                                 long long compared) {
  const long long i = blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x;
  constexpr int words = width / 2;
  if (i >= compared * words) return;
  const unsigned which = blockIdx.y;
  const unsigned char* const from = which == 0 ? v.q_gradient : which == 1 ? v.k_gradient : v.v_gradient;
  reinterpret_cast<unsigned*>(plain.seen[which])[i] =
      reinterpret_cast<const unsigned*>(from)[i / words * stride * words + i % words];
}

/// blockIdx: x sample, y gradient. dQ of the first half of the samples, dK and dV of the second.
__global__ void gather_samples(const __grid_constant__ view v, const sampled_row* samples, float* to) {
  const unsigned count = gridDim.x, i = blockIdx.x, which = blockIdx.y;
  const sampled_row s = samples[which == 0 ? i : count + i];
  const unsigned char* const from = which == 0 ? v.q_gradient : which == 1 ? v.k_gradient : v.v_gradient;
  *reinterpret_cast<float2*>(to + (static_cast<long long>(which) * count + i) * width + threadIdx.x * 2) =
      elements_of(from, s.head * v.attention.tokens + s.row);
}

/// The gates' gradients of the sampled queries, and dC of their blocks. A warp a sample.
__global__ void gather_sampled_gates(const __grid_constant__ view v, const sampled_row* samples, float* to) {
  const long long row = samples[blockIdx.x].head * v.attention.tokens + samples[blockIdx.x].row;
  float* const at = to + blockIdx.x * (2 + width);
  if (threadIdx.x < 2)
    at[threadIdx.x] = reinterpret_cast<const float*>(v.gate_gradients + gate_of(v, row))[threadIdx.x];
  const float2 both = elements_of(v.compressed_gradient, row / (tile << v.attention.log2_in_block));
  at[2 + threadIdx.x * 2] = both.x;
  at[3 + threadIdx.x * 2] = both.y;
}

void compare_gates(launcher& to, const checked_problem& p, const view& v, const plain_gradients& plain) {
  window_attention::compare_log_sums(to, {1, 2 * p.rows(), 1, 1, true}, p.gate_gradients, plain.gates,
                                     accepted_gate_error, &p.found->gates);
  window_attention::compare_rows(to, {1, v.rows, 1, width, true},
                                 {p.compressed_gradient, plain.compressed, plain.compressed_scale},
                                 accepted_row_error, &p.found->compressed);
  launch(to, gather_sampled_gates, dim3(static_cast<unsigned>(p.sample_count)), dim3(32), 0, v, p.samples,
         p.sampled_gates);
}

void compare_with_plain(launcher& to, const checked_problem& p, const switches&) {
  const plain_gradients plain = cut_reference(p);
  const view v(p, row_cut{0});
  const std::int64_t stride = p.compared_stride(), compared = p.compared_rows();
  launch(to, differentiate_plainly, dim3(blocks_for(32 * compared, plain_threads)), dim3(plain_threads), 0, v,
         plain, stride, compared);
  if (p.attention.is_gated)
    launch(to, differentiate_gates_plainly, dim3(blocks_for(32 * v.rows, plain_threads)), dim3(plain_threads),
           0, v, plain);
  launch(to, note, dim3(1), dim3(1), 0, plain.is_there);
  launch(to, gather_compared, dim3(blocks_for(compared * (width / 2), plain_threads), 3), dim3(plain_threads),
         0, v, plain, stride, compared);
  for (int i = 0; i < 3; ++i)
    window_attention::compare_rows(to, {1, compared, 1, width, true},
                                   {plain.seen[i], plain.of[i], plain.scale[i]}, accepted_row_error,
                                   p.found->of + i);
  launch(to, gather_samples, dim3(static_cast<unsigned>(p.sample_count), 3), dim3(32), 0, v, p.samples,
         p.sampled_gradients);
  if (p.attention.is_gated) compare_gates(to, p, v, plain);
}

__global__ __launch_bounds__(plain_threads) void make_out_gradient(checked_problem p, std::uint16_t* to) {
  const long long count = p.attention.elements();
  for (long long i = blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(plain_threads)) {
    const long long row = i / width;
    to[i] = generated_out_gradient(p, row / p.attention.tokens, row % p.attention.tokens,
                                   static_cast<int>(i % width));
  }
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  selection_attention::make_inputs(to, generated_attention_of(p), {});
  launch(to, make_out_gradient, dim3(16 * static_cast<unsigned>(to.device().multiprocessors)),
         dim3(plain_threads), 0, p, const_cast<std::uint16_t*>(p.out_gradient));
  selection_attention::problem ungated = p.attention;
  ungated.is_gated = false;
  selection_attention::direct(
      to, ungated, {{"grid", "by_head"}, {"softmax", "lazy"}, {"tiles_ahead", "1"}, {"warps", "4"}});
  list_transpose::count(to, inversion_of(p), {{"ranks", "kept"}, {"rows", "ordered"}});
}

}  // namespace ablate::selection_attention_backward
