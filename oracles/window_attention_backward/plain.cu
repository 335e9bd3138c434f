// The on-device reference: attention and its gradients in fp32 without tensor cores. It computes the backward
// pass's starting point (inputs, outputs, log-sum-exp) and the gradients to compare with. Nothing here is
// timed. The reference itself is checked against the fp64 oracle at the sampled rows: a variant must be close
// to both.
#include <cfloat>

#include "kernels/common/softmax_math.cuh"
#include "kernels/window_attention/view.cuh"
#include "kernels/window_attention_backward/launches.h"
#include "kernels/window_attention_backward/view.cuh"
#include "oracles/window_attention/compare_rows.cuh"
#include "oracles/window_attention/launches.h"
#include "oracles/window_attention/plain_rows.cuh"
#include "oracles/window_attention_backward/inputs_of_rows.h"
#include "oracles/window_attention_backward/launches.h"

namespace ablate::window_attention_backward {

using window_attention::lanes_per_row;
using window_attention::row_part;

constexpr int plain_threads = 128, plain_rows = plain_threads / lanes_per_row;

/// The problem with the row sums that plain gradients are computed from.
struct plain_view : view {
  const float* plain_delta;

  explicit plain_view(const checked_problem& p) : view(p), plain_delta(p.plain_delta) {}
};

/// For any row order.
__device__ inline int row_of_token(const view& v, long long window, int token) {
  return v.index == nullptr ? v.row_of(window, token) : v.index[window * v.window + token];
}

/// Rows of the other side, in fp32, padded so that the lanes' chunks are in different banks.
template <int Width>
struct plain_tile {
  alignas(16) float first[plain_rows][Width + 4], second[plain_rows][Width + 4];
  float first_norms[plain_rows], second_norms[plain_rows];  ///< squared
  float lse_log2[plain_rows], delta[plain_rows];
};

template <int Width>
__device__ void load_plain(const view& v, const row_block& b, int first_token, const __nv_bfloat16* first,
                           const __nv_bfloat16* second, plain_tile<Width>& tile) {
  for (int i = static_cast<int>(threadIdx.x); i < plain_rows * Width; i += plain_threads) {
    const long long at =
        v.place(b.batch, row_of_token(v, b.window, first_token + i / Width), b.head) + i % Width;
    tile.first[i / Width][i % Width] = __bfloat162float(first[at]);
    tile.second[i / Width][i % Width] = __bfloat162float(second[at]);
  }
}

/// Computes the norms of the tile's rows.
template <int Width>
__device__ void measure_norms(plain_tile<Width>& tile) {
  const int group = static_cast<int>(threadIdx.x) / lanes_per_row;
  row_part<Width> first, second;
  first.add(1, tile.first[group]);
  second.add(1, tile.second[group]);
  tile.first_norms[group] = first.squared_norm();
  tile.second_norms[group] = second.squared_norm();
}

/// Outputs in bf16, log-sum-exp, and Δ of the rounded outputs. Attended to are the first `keys` of a window.
template <int Width>
__global__ __launch_bounds__(plain_threads) void attend_plainly(view v, int keys, __nv_bfloat16* out,
                                                                float* lse, float* delta) {
  __shared__ plain_tile<Width> tile;
  const row_block b = v.block_of(blockIdx.x, plain_rows);
  const long long row =
      row_of_token(v, b.window, b.first_token + static_cast<int>(threadIdx.x) / lanes_per_row);
  const long long place = v.place(b.batch, row, b.head);
  row_part<Width> q, o, gradient;
  q.load(v.q + place);
  float most = -FLT_MAX, sum = 0;  // finite: a score of −∞ has weight 0
  for (int first = 0; first < v.window; first += plain_rows) {
    __syncthreads();
    load_plain<Width>(v, b, first, v.k, v.v, tile);
    __syncthreads();
    for (int j = 0; j < plain_rows && first + j < keys; ++j) {
      const float score = q.times(tile.first[j]) * v.scale_log2;
      const float max_now = fmaxf(most, score);
      const float rescale = exp2f(most - max_now), weight = exp2f(score - max_now);
      most = max_now;
      sum = fmaf(sum, rescale, weight);
      o.multiply(rescale);
      o.add(weight, tile.second[j]);
    }
  }
  gradient.load(v.out_gradient + place);
  float part = 0;
  for (int d = 0; d < o.size; ++d) {
    const __nv_bfloat16 rounded = __float2bfloat16(o.x[d] / sum);
    out[place + o.element(d)] = rounded;
    part = fmaf(gradient.x[d], __bfloat162float(rounded), part);
  }
  part = sum_of_lanes<lanes_per_row>(part);
  if (o.lane() != 0) return;
  lse[v.place_of_row(b.batch, row, b.head)] = sum == 0 ? NAN : (most + log2f(sum)) / log2_of_e;
  delta[v.place_of_row(b.batch, row, b.head)] = part;
}

/// What fp32 arithmetic in another order is off by, in parts of its terms' norms: three bits.
constexpr float off_in_fp32 = 0x1p-21f;

__device__ inline float rounded(float factor) { return __bfloat162float(__float2bfloat16(factor)); }

/// Which gradient: the number of its tensor.
enum class gradient { of_queries, of_keys, of_values };

/// Computes a gradient of all rows.
template <int Width, gradient Of>
__global__ __launch_bounds__(plain_threads) void differentiate_plainly(plain_view v, plain_gradients plain) {
  if (*plain.is_there != 0) return;
  __shared__ plain_tile<Width> tile;
  const row_block b = v.block_of(blockIdx.x, plain_rows);
  const long long row =
      row_of_token(v, b.window, b.first_token + static_cast<int>(threadIdx.x) / lanes_per_row);
  const long long place = v.place(b.batch, row, b.head);
  constexpr bool of_queries = Of == gradient::of_queries, of_values = Of == gradient::of_values;
  row_part<Width> first, second, sum, below, above;
  float noise = 0;  // squared
  first.load((of_queries ? v.q : v.k) + place);
  second.load((of_queries ? v.out_gradient : v.v) + place);
  const float first_norm = sqrtf(first.squared_norm()), second_norm = sqrtf(second.squared_norm());
  const long long own = v.place_of_row(b.batch, row, b.head);
  const float own_lse = v.lse[own] * log2_of_e, own_delta = v.plain_delta[own];
  for (int other = 0; other < v.window; other += plain_rows) {
    __syncthreads();
    load_plain<Width>(v, b, other, of_queries ? v.k : v.q, of_queries ? v.v : v.out_gradient, tile);
    if (threadIdx.x < plain_rows) {
      const long long at =
          v.place_of_row(b.batch, row_of_token(v, b.window, other + static_cast<int>(threadIdx.x)), b.head);
      tile.lse_log2[threadIdx.x] = v.lse[at] * log2_of_e;
      tile.delta[threadIdx.x] = v.plain_delta[at];
    }
    __syncthreads();
    measure_norms(tile);
    __syncthreads();
    for (int j = 0; j < plain_rows; ++j) {
      const float lse = of_queries ? own_lse : tile.lse_log2[j],
                  delta = of_queries ? own_delta : tile.delta[j];
      const float p = exp2f(fmaf(first.times(tile.first[j]), v.scale_log2, -lse));
      const float p_off =
          off_in_fp32 * (1 + v.scale_log2 * first_norm * sqrtf(tile.first_norms[j]) + fabsf(lse));
      float factor = p, off = p * p_off;
      if constexpr (!of_values) {
        factor = p * (second.times(tile.second[j]) - delta);
        off = fabsf(factor) * p_off +
              p * off_in_fp32 * (second_norm * sqrtf(tile.second_norms[j]) + fabsf(delta));
      }
      const float* const times = of_values ? tile.second[j] : tile.first[j];
      sum.add(factor, times);
      below.add(rounded(factor - off) - factor, times);
      above.add(rounded(factor + off) - factor, times);
      noise = fmaf(factor * factor, of_values ? tile.second_norms[j] : tile.first_norms[j], noise);
    }
  }
  const float scale = of_values ? 1 : v.scale;
  sum.multiply(scale);
  constexpr int which = static_cast<int>(Of);
  constexpr auto of_lost = static_cast<float>(1 / accepted_row_error);
  sum.store(plain.of[which] + place, plain.scale[which] + place / Width, scale * sqrtf(noise),
            of_lost * scale * sqrtf(fmaxf(below.squared_norm(), above.squared_norm())));
}

constexpr int raising_threads = 1024;

/// A block a gradient: no row's divisor is below least_scale. Infinite ones are left out, else all were.
__global__ __launch_bounds__(raising_threads) void raise_scales(plain_gradients plain, long long rows) {
  if (*plain.is_there != 0) return;
  __shared__ double parts[raising_threads / 32];
  float* const scale = plain.scale[blockIdx.x];
  double squares = 0;
  for (long long row = threadIdx.x; row < rows; row += raising_threads)
    if (isfinite(scale[row])) squares += static_cast<double>(scale[row]) * scale[row];
  for (int far = 16; far > 0; far /= 2) squares += __shfl_xor_sync(~0u, squares, far);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = squares;
  __syncthreads();
  squares = 0;
  for (const double part : parts) squares += part;
  const auto least = static_cast<float>(least_scale(squares, rows));
  for (long long row = threadIdx.x; row < rows; row += raising_threads) scale[row] = fmaxf(scale[row], least);
}

__global__ void note(unsigned* is_there) { *is_there = 1; }

/// blockIdx: x sample, y gradient. dQ of the first half of the samples, dK and dV of the second.
__global__ void gather_samples(view v, const window_attention::sampled_row* samples, float* to) {
  const unsigned count = gridDim.x, i = blockIdx.x, which = blockIdx.y;
  const window_attention::sampled_row s = samples[which == 0 ? i : count + i];
  const __nv_bfloat16* const from = which == 0 ? v.q_gradient : which == 1 ? v.k_gradient : v.v_gradient;
  for (int d = static_cast<int>(threadIdx.x); d < v.width; d += static_cast<int>(blockDim.x))
    to[(static_cast<long long>(which) * count + i) * v.width + d] =
        __bfloat162float(from[v.place(s.batch, s.row, s.head) + d]);
}

namespace {

template <class Function>
void with_width(int width, Function&& function) {
  switch (width) {
    case 16:
      return function(std::integral_constant<int, 16>());
    case 32:
      return function(std::integral_constant<int, 32>());
    case 64:
      return function(std::integral_constant<int, 64>());
    default:
      return function(std::integral_constant<int, 128>());
  }
}

}  // namespace

/// Zeros in what follows the first `rows` rows of each window, whose rows follow each other.
__global__ __launch_bounds__(plain_threads) void clear_behind(std::uint16_t* tensor, long long elements,
                                                              int elements_of_row, int window, int rows) {
  for (long long i = blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x; i < elements;
       i += gridDim.x * static_cast<long long>(plain_threads))
    if (i / elements_of_row % window >= rows) tensor[i] = 0;
}

void make_inputs_of_rows(launcher& to, const checked_problem& p, std::int64_t rows) {
  const window_attention::checked_problem a = generated_attention_of(p);
  window_attention::make_inputs(to, a, {});
  window_attention::make_tensor(to, a, p.out_gradient, window_attention::tensor::out_gradient,
                                a.heads * a.width);
  if (rows < a.window)
    for (const std::uint16_t* tensor : {a.q, a.k, a.v, p.out_gradient})
      launch(to, clear_behind, dim3(16 * static_cast<unsigned>(to.device().multiprocessors)),
             dim3(plain_threads), 0, const_cast<std::uint16_t*>(tensor), static_cast<long long>(a.elements()),
             static_cast<int>(a.heads * a.width), static_cast<int>(a.window), static_cast<int>(rows));
  const view v(p);
  with_width(a.width, [&](auto width) {
    launch(to, attend_plainly<width()>, dim3(v.blocks(plain_rows)), dim3(plain_threads), 0, v,
           static_cast<int>(rows), reinterpret_cast<__nv_bfloat16*>(a.out), a.lse, p.plain_delta);
  });
}

/// Generates the inputs and the forward pass's results.
void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  make_inputs_of_rows(to, p, p.attention.window);
}

void compare_with_plain(launcher& to, const checked_problem& p, const switches&) {
  const plain_view v(p);
  const plain_gradients plain = cut_reference(p);
  with_width(p.attention.width, [&](auto width) {
    const dim3 grid(v.blocks(plain_rows));
    launch(to, differentiate_plainly<width(), gradient::of_queries>, grid, dim3(plain_threads), 0, v, plain);
    launch(to, differentiate_plainly<width(), gradient::of_keys>, grid, dim3(plain_threads), 0, v, plain);
    launch(to, differentiate_plainly<width(), gradient::of_values>, grid, dim3(plain_threads), 0, v, plain);
  });
  const window_attention::row_shape shape = window_attention::shape_of(p.attention);
  launch(to, raise_scales, dim3(3), dim3(raising_threads), 0, plain, static_cast<long long>(shape.rows()));
  launch(to, note, dim3(1), dim3(1), 0, plain.is_there);
  const std::uint16_t* const seen[] = {p.q_gradient, p.k_gradient, p.v_gradient};
  for (int i = 0; i < 3; ++i)
    window_attention::compare_rows(to, shape, {seen[i], plain.of[i], plain.scale[i]}, accepted_row_error,
                                   p.found->of + i);
  launch(to, gather_samples, dim3(static_cast<unsigned>(p.sample_count), 3), dim3(128), 0, v, p.samples,
         p.sampled_gradients);
}

}  // namespace ablate::window_attention_backward
