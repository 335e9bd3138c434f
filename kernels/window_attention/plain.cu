// The yardstick on the device: attention in fp32 without tensor cores, four lanes a query, keys one after the
// other from shared memory; and the inputs, which are made on the device. Nothing here is measured. Its own
// arithmetic is held against the fp64 oracle at the sampled rows.
#include <algorithm>
#include <cfloat>

#include "kernels/window_attention/made_inputs.h"
#include "kernels/window_attention/view.cuh"

namespace ablate::window_attention {

constexpr int plain_threads = 128, lanes_per_query = 4, queries_per_block = plain_threads / lanes_per_query;
constexpr int plain_keys = 32;

__global__ void clear_deviation(deviation* found) { *found = {}; }

__device__ void raise_to(double* most, double value) {
  // Numbers that are not negative are ordered as their bits are.
  atomicMax(reinterpret_cast<unsigned long long*>(most),
            static_cast<unsigned long long>(__double_as_longlong(value)));
}

__device__ double sum_of_warp(double x) {
  for (int lane = 16; lane > 0; lane /= 2) x += __shfl_xor_sync(~0u, x, lane);
  return x;
}

/// Wherever it stands.
__device__ int row_of_token(const view& v, long long window, int token) {
  return v.index == nullptr ? v.row_of(window, token) : v.index[window * v.window + token];
}

/// blockIdx: x compared rows of a window, y head, z window and batch.
template <int Width>
__global__ __launch_bounds__(plain_threads) void compare_rows(view v, int stride, deviation* found) {
  constexpr int part = Width / lanes_per_query;
  __shared__ float keys[plain_keys][Width + 4], values[plain_keys][Width + 4];
  const int lane = static_cast<int>(threadIdx.x) % lanes_per_query;
  const long long window = blockIdx.z % v.windows, batch = blockIdx.z / v.windows;
  const int head = static_cast<int>(blockIdx.y);
  // Of every `stride` rows one, each time another.
  const int slot =
      static_cast<int>(blockIdx.x) * queries_per_block + static_cast<int>(threadIdx.x) / lanes_per_query;
  const int token = min(slot * stride + slot % stride, v.window - 1);
  const bool counts = slot * stride + slot % stride < v.window;
  const auto place = [&](int t) { return v.qkv_place(batch, row_of_token(v, window, t), head); };
  const long long out_place = ((batch * v.tokens + row_of_token(v, window, token)) * v.heads + head) * Width;

  float q[part], o[part] = {};
  for (int d = 0; d < part; ++d) q[d] = __bfloat162float(v.q[place(token) + lane * part + d]);
  float most = -FLT_MAX, sum = 0;  // finite: a score of −∞ has the weight 0
  for (int first = 0; first < v.window; first += plain_keys) {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < plain_keys * Width; i += plain_threads) {
      const long long at = place(first + i / Width) + i % Width;
      keys[i / Width][i % Width] = __bfloat162float(v.k[at]);
      values[i / Width][i % Width] = __bfloat162float(v.v[at]);
    }
    __syncthreads();
    for (int j = 0; j < plain_keys; ++j) {
      float score = 0;
      for (int d = 0; d < part; ++d) score = fmaf(q[d], keys[j][lane * part + d], score);
      score += __shfl_xor_sync(~0u, score, 1);
      score += __shfl_xor_sync(~0u, score, 2);
      score *= v.scale_log2;
      const float most_now = fmaxf(most, score);
      const float rescale = exp2f(most - most_now), weight = exp2f(score - most_now);
      most = most_now;
      sum = fmaf(sum, rescale, weight);
      for (int d = 0; d < part; ++d) o[d] = fmaf(o[d], rescale, weight * values[j][lane * part + d]);
    }
  }

  double error = 0, reference = 0;
  bool all_numbers = true;
  for (int d = 0; d < part && counts; ++d) {
    const float expected = o[d] / sum;
    const float seen = __bfloat162float(v.out[out_place + lane * part + d]);
    all_numbers &= isfinite(seen);
    error += static_cast<double>(seen - expected) * (seen - expected);
    reference += static_cast<double>(expected) * expected;
  }
  all_numbers = __all_sync(0xfu << threadIdx.x % 32 / lanes_per_query * lanes_per_query, all_numbers);
  if (counts && lane == 0) {
    const float lse = sum == 0 ? NAN : (most + log2f(sum)) * 0.693147180559945f;
    const double apart =
        fabs(v.lse[(batch * v.heads + head) * v.tokens + row_of_token(v, window, token)] - lse);
    // What is no number compares as greater than anything.
    raise_to(&found->lse_error, isfinite(apart) ? apart : INFINITY);
  }
  const double rows = sum_of_warp(counts && lane == 0 && all_numbers ? 1 : 0);
  error = sum_of_warp(error);
  reference = sum_of_warp(reference);
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&found->squared_error, error);
  atomicAdd(&found->squared_reference, reference);
  atomicAdd(&found->rows, rows);
}

__global__ void gather_samples(view v, const sampled_row* samples, long long count, float* out, float* lse) {
  const long long i = blockIdx.x;
  const sampled_row s = samples[i];
  const long long place = ((static_cast<long long>(s.batch) * v.tokens + s.row) * v.heads + s.head) * v.width;
  for (int d = static_cast<int>(threadIdx.x); d < v.width; d += static_cast<int>(blockDim.x))
    out[i * v.width + d] = __bfloat162float(v.out[place + d]);
  if (threadIdx.x == 0)
    lse[i] = v.lse[(static_cast<long long>(s.batch) * v.heads + s.head) * v.tokens + s.row];
}

__global__ __launch_bounds__(256) void make_elements(std::uint16_t* to, long long count, std::uint64_t seed,
                                                     tensor of, float spread, int row, long long stride) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < count; i += gridDim.x * 256ll)
    to[i / row * stride + i % row] = made_element(seed, of, static_cast<std::uint64_t>(i), spread);
}

void make_rows(launcher& to, const std::uint16_t* at, const problem& p, tensor of, float spread,
               std::int64_t stride) {
  launch(to, make_elements, dim3(16 * to.device().multiprocessors), dim3(256), 0,
         const_cast<std::uint16_t*>(at), p.elements(), p.seed, of, spread,
         static_cast<int>(p.heads * p.width), stride);
}

void make_tensor(launcher& to, const std::uint16_t* at, const problem& p, tensor of, float spread) {
  make_rows(to, at, p, of, spread, p.heads * p.width);
}

void make_inputs(launcher& to, const problem& p, const switches&) {
  make_rows(to, p.q, p, tensor::q, p.score_spread, p.qkv_stride());
  make_rows(to, p.k, p, tensor::k, p.score_spread, p.qkv_stride());
  make_rows(to, p.v, p, tensor::v, 1.0f, p.qkv_stride());
}

void compare_with_plain(launcher& to, const problem& p) {
  const view v(p, 1);
  const auto stride = static_cast<int>(compared_stride(p));
  const auto slots = (p.window + stride - 1) / stride;
  const dim3 grid(blocks_for(slots, queries_per_block), static_cast<unsigned>(p.heads),
                  static_cast<unsigned>(p.windows() * p.batches));
  void (*const kernel)(view, int, deviation*) = p.width == 16   ? compare_rows<16>
                                                : p.width == 32 ? compare_rows<32>
                                                : p.width == 64 ? compare_rows<64>
                                                                : compare_rows<128>;
  launch(to, clear_deviation, dim3(1), dim3(1), 0, p.found);
  launch(to, kernel, grid, dim3(plain_threads), 0, v, stride, p.found);
  launch(to, gather_samples, dim3(static_cast<unsigned>(p.sample_count)), dim3(128), 0, v, p.samples,
         p.sample_count, p.sampled_out, p.sampled_lse);
}

}  // namespace ablate::window_attention
