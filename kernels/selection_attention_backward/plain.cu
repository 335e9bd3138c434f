// The yardstick on the device: gradients in fp32 without tensor cores, a warp a row, and the inputs, which
// are made on the device: Q, K, V, dO and lists, then O and log-sum-exp by the forward pass, and the lists
// turned around. Nothing here is measured. Its own arithmetic is held against the fp64 oracle, which makes
// all of this itself, at the sampled rows: what a variant computes must be near both.
#include "kernels/selection_attention_backward/view.cuh"
#include "kernels/selection_inversion/view.cuh"
#include "kernels/window_attention/compare_rows.cuh"
#include "kernels/window_attention/plain_rows.cuh"

namespace ablate::selection_attention {
void make_inputs(launcher&, const problem&, const switches&);
void direct(launcher&, const problem&, const switches&);
}  // namespace ablate::selection_attention

namespace ablate::selection_attention_backward {

constexpr int plain_threads = 256;
constexpr float log2_of_e = 1.44269504088896f;

__device__ float sum_of_warp(float x) {
  for (int far = 16; far > 0; far /= 2) x += __shfl_xor_sync(~0u, x, far);
  return x;
}

/// The lane's two elements of a row.
__device__ float2 elements_of(const unsigned char* tensor, long long row) {
  return __bfloat1622float2(
      *reinterpret_cast<const __nv_bfloat162*>(tensor + row * row_bytes + threadIdx.x % 32 * 4));
}
__device__ float product(float2 a, float2 b) { return sum_of_warp(fmaf(a.x, b.x, a.y * b.y)); }

/// A gradient row so far: the lane's two elements, and the square of what its terms' roundings add up to.
struct gradient_row {
  float2 sum{};
  float squared_noise = 0;

  __device__ void add(float factor, float2 row) {
    sum.x = fmaf(factor, row.x, sum.x);
    sum.y = fmaf(factor, row.y, sum.y);
    squared_noise = fmaf(factor * factor, product(row, row), squared_noise);
  }
  __device__ void store(const plain_gradients& plain, int which, long long number, float factor) const {
    const float2 scaled{sum.x * factor, sum.y * factor};
    *reinterpret_cast<float2*>(plain.of[which] + number * width + threadIdx.x % 32 * 2) = scaled;
    const float of_row = sqrtf(product(scaled, scaled));
    if (threadIdx.x % 32 == 0) plain.scale[which][number] = fmaxf(of_row, factor * sqrtf(squared_noise));
  }
};

/// A query's Q, dO, log-sum-exp and Δ.
struct plain_query {
  float2 query, gradient;
  float lse_log2, delta;

  __device__ plain_query(const view& v, long long row)
      : query(elements_of(v.attention.q, row)),
        gradient(elements_of(v.out_gradient, row)),
        lse_log2(v.attention.lse[row] * log2_of_e),
        delta(product(gradient, elements_of(v.attention.out, row))) {}

  __device__ float weight(const view& v, float2 key) const {
    return exp2f(fmaf(product(query, key), v.attention.scale_log2, -lse_log2));
  }
  __device__ float score_gradient(float weight, float2 value) const {
    return weight * (product(gradient, value) - delta);
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
  // Blocks of all heads follow each other as rows do, lists and rows of the lists turned around alike.
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
      of_query.add(own.score_gradient(weight, elements_of(v.attention.v, token)), key);
    }
  }
  of_query.store(plain, 0, number, scale);

  const float2 key = elements_of(v.attention.k, row), value = elements_of(v.attention.v, row);
  gradient_row of_key, of_value;
  for (long long entry = v.offsets[block]; entry < v.offsets[block + 1]; ++entry)
    for (int i = 0; i < tokens_of_block; ++i) {
      const plain_query other(v,
                              first_of_head + static_cast<long long>(v.queries[entry]) * tokens_of_block + i);
      const float weight = other.weight(v, key);
      of_key.add(other.score_gradient(weight, value), other.query);
      of_value.add(weight, other.gradient);
    }
  of_key.store(plain, 1, number, scale);
  of_value.store(plain, 2, number, 1);
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

void compare_with_plain(launcher& to, const problem& p) {
  const plain_gradients plain = cut_reference(p);
  const view v(p, row_cut{0});
  const std::int64_t stride = p.compared_stride(), compared = p.compared_rows();
  launch(to, differentiate_plainly, dim3(blocks_for(32 * compared, plain_threads)), dim3(plain_threads), 0, v,
         plain, stride, compared);
  launch(to, note, dim3(1), dim3(1), 0, plain.is_there);
  launch(to, gather_compared, dim3(blocks_for(compared * (width / 2), plain_threads), 3), dim3(plain_threads),
         0, v, plain, stride, compared);
  for (int i = 0; i < 3; ++i)
    window_attention::compare_rows(to, {1, compared, 1, width, true},
                                   {plain.seen[i], plain.of[i], plain.scale[i]}, accepted_row_error,
                                   p.found->of + i);
  launch(to, gather_samples, dim3(static_cast<unsigned>(p.sample_count), 3), dim3(32), 0, v, p.samples,
         p.sampled_gradients);
}

__global__ __launch_bounds__(plain_threads) void make_out_gradient(problem p, std::uint16_t* to) {
  const long long count = p.attention.elements();
  for (long long i = blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(plain_threads)) {
    const long long row = i / width;
    to[i] =
        made_out_gradient(p, row / p.attention.tokens, row % p.attention.tokens, static_cast<int>(i % width));
  }
}

void make_inputs(launcher& to, const problem& p, const switches&) {
  selection_attention::make_inputs(to, p.attention, {});
  launch(to, make_out_gradient, dim3(16 * static_cast<unsigned>(to.device().multiprocessors)),
         dim3(plain_threads), 0, p, const_cast<std::uint16_t*>(p.out_gradient));
  selection_attention::direct(
      to, p.attention, {{"grid", "by_head"}, {"softmax", "lazy"}, {"tiles_ahead", "1"}, {"warps", "4"}});
  selection_inversion::count(to, inversion_of(p), {{"ranks", "kept"}, {"rows", "ordered"}});
}

}  // namespace ablate::selection_attention_backward
