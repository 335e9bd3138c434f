// The on-device reference: attention in fp32 without tensor cores; and the generation of the inputs. Nothing
// here is timed. The reference itself is checked against the fp64 oracle at the sampled rows: a variant must
// be close to both.
#include <cfloat>

#include "kernels/window_attention/launches.h"
#include "kernels/window_attention/partial_windows.cuh"
#include "oracles/window_attention/compare_rows.cuh"
#include "oracles/window_attention/launches.h"
#include "oracles/window_attention/plain_rows.cuh"

namespace ablate::window_attention {

constexpr int plain_threads = 128, plain_groups = plain_threads / lanes_per_row, plain_keys = 32;

/// Queries per group of four lanes: each key and value that is read serves all of them.
template <int Width>
constexpr int queries_per_group = Width == 128 ? 2 : 4;

/// For any row order.
__device__ int row_of_token(const view& v, long long window, int token) {
  return v.index == nullptr ? v.row_of(window, token) : v.index[window * v.window + token];
}

/// blockIdx: x queries of a window, y head, z window and batch.
template <int Width>
__global__ __launch_bounds__(plain_threads) void attend_plainly(partial_view v, plain_outputs plain) {
  if (*plain.is_there != 0) return;
  constexpr int queries = queries_per_group<Width>;
  static_assert(128 % (queries * plain_groups) == 0);
  __shared__ alignas(16) float keys[plain_keys][Width + 4], values[plain_keys][Width + 4];
  __shared__ float value_norms[plain_keys];
  const int lane = row_part<Width>::lane(), group = static_cast<int>(threadIdx.x) / lanes_per_row;
  const long long window = blockIdx.z % v.windows, batch = blockIdx.z / v.windows;
  const int head = static_cast<int>(blockIdx.y), tokens = v.rows_of_window(window);
  if (static_cast<int>(blockIdx.x) * queries * plain_groups >= tokens) return;
  bool leaves_out = false;
  if (v.valid < v.tokens)
    for (int token = 0; token < tokens; token += 128) leaves_out |= row_of_token(v, window, token) < v.valid;
  const auto row_of = [&](int token) { return batch * v.tokens + row_of_token(v, window, token); };
  const auto query_of = [&](int i) {
    return static_cast<int>(blockIdx.x) * queries * plain_groups + i * plain_groups + group;
  };

  row_part<Width> q[queries], o[queries];
  float most[queries], sum[queries], squared_noise[queries];
#pragma unroll
  for (int i = 0; i < queries; ++i) {
    q[i].load(v.q + row_of(query_of(i)) * v.qkv_stride + head * Width);
    most[i] = -FLT_MAX;  // finite: keys with a score of −∞ have weight 0
    sum[i] = squared_noise[i] = 0;
  }
  for (int first = 0; first < tokens; first += plain_keys) {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < plain_keys * Width; i += plain_threads) {
      const long long at = row_of(first + i / Width) * v.qkv_stride + head * Width + i % Width;
      keys[i / Width][i % Width] = __bfloat162float(v.k[at]);
      values[i / Width][i % Width] = __bfloat162float(v.v[at]);
    }
    __syncthreads();
    row_part<Width> value;
    value.add(1, values[group]);
    const float squared = value.squared_norm();
    if (lane == 0) value_norms[group] = squared;
    __syncthreads();
    for (int j = 0; j < plain_keys; ++j) {
      if (leaves_out && row_of_token(v, window, first + j) >= v.valid) continue;
      float scores[queries], weights[queries];
#pragma unroll
      for (int i = 0; i < queries; ++i) scores[i] = q[i].part_of_product(keys[j]);
#pragma unroll
      for (int i = 0; i < queries; ++i) scores[i] = sum_of_lanes<lanes_per_row>(scores[i]) * v.scale_log2;
#pragma unroll
      for (int i = 0; i < queries; ++i) {
        if (scores[i] > most[i]) {
          const float rescale = exp2f(most[i] - scores[i]);
          most[i] = scores[i];
          sum[i] *= rescale;
          squared_noise[i] *= rescale * rescale;
          o[i].multiply(rescale);
        }
        weights[i] = exp2f(scores[i] - most[i]);
        sum[i] += weights[i];
        squared_noise[i] = fmaf(weights[i] * weights[i], value_norms[j], squared_noise[i]);
      }
#pragma unroll
      for (int i = 0; i < queries; ++i) o[i].add(weights[i], values[j]);
    }
  }
#pragma unroll
  for (int i = 0; i < queries; ++i) {
    const int row = row_of_token(v, window, query_of(i));
    const long long place = (batch * v.tokens + row) * v.heads + head;
#pragma unroll
    for (float& element : o[i].x) element /= sum[i];
    o[i].store(plain.out + place * Width, plain.scale + place, sqrtf(squared_noise[i]) / sum[i]);
    if (lane == 0)
      plain.lse[(batch * v.heads + head) * v.tokens + row] =
          sum[i] == 0 ? NAN : (most[i] + log2f(sum[i])) * 0.693147180559945f;
  }
}

__global__ void note(unsigned* is_there) { *is_there = 1; }

__global__ void gather_samples(view v, const sampled_row* samples, float* out, float* lse) {
  const long long i = blockIdx.x;
  const sampled_row s = samples[i];
  const long long place = ((static_cast<long long>(s.batch) * v.tokens + s.row) * v.heads + s.head) * v.width;
  for (int d = static_cast<int>(threadIdx.x); d < v.width; d += static_cast<int>(blockDim.x))
    out[i * v.width + d] = __bfloat162float(v.out[place + d]);
  if (threadIdx.x == 0)
    lse[i] = v.lse[(static_cast<long long>(s.batch) * v.heads + s.head) * v.tokens + s.row];
}

constexpr int making_threads = 256;

/// Writes tokens in window order, `row_elements` per token; rows in memory are `stride` elements apart.
__global__ __launch_bounds__(making_threads) void make_elements(view v, std::uint16_t* to,
                                                                generated_inputs inputs, tensor of,
                                                                long long stride) {
  const int row_elements = v.heads * v.width;
  const long long count = v.batches * v.tokens * row_elements;
  for (long long i = blockIdx.x * static_cast<long long>(making_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(making_threads)) {
    const long long token = i / row_elements % v.tokens, batch = i / row_elements / v.tokens;
    const int element = static_cast<int>(i % row_elements);
    const token_place at = {batch, token / v.window, token % v.window, element / v.width};
    const long long row = batch * v.tokens + row_of_token(v, at.window, static_cast<int>(at.token));
    to[row * stride + element] =
        inputs.element(of, at, static_cast<std::uint64_t>(row * row_elements + element));
  }
}

void make_tensor(launcher& to, const checked_problem& p, const std::uint16_t* at, tensor of,
                 std::int64_t stride) {
  launch(to, make_elements, dim3(16 * to.device().multiprocessors), dim3(making_threads), 0, view(p, 1),
         const_cast<std::uint16_t*>(at), p.inputs, of, static_cast<long long>(stride));
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  make_tensor(to, p, p.q, tensor::q, p.qkv_stride());
  make_tensor(to, p, p.k, tensor::k, p.qkv_stride());
  make_tensor(to, p, p.v, tensor::v, p.qkv_stride());
}

template <int Width>
void attend_plainly_by(launcher& to, const problem& p, std::int64_t valid, const plain_outputs& plain) {
  const partial_view v(p, 1, valid);
  const dim3 grid(blocks_for(p.window, plain_groups * queries_per_group<Width>),
                  static_cast<unsigned>(p.heads), static_cast<unsigned>(v.windows * p.batches));
  launch(to, attend_plainly<Width>, grid, dim3(plain_threads), 0, v, plain);
}

void compare_with_plain(launcher& to, const checked_problem& p, const switches&) {
  compare_partial_windows(to, p, p.tokens);
}

void compare_partial_windows(launcher& to, const checked_problem& p, std::int64_t valid) {
  const plain_outputs plain = cut_reference(p);
  switch (p.width) {
    case 16:
      attend_plainly_by<16>(to, p, valid, plain);
      break;
    case 32:
      attend_plainly_by<32>(to, p, valid, plain);
      break;
    case 64:
      attend_plainly_by<64>(to, p, valid, plain);
      break;
    default:
      attend_plainly_by<128>(to, p, valid, plain);
  }
  launch(to, note, dim3(1), dim3(1), 0, plain.is_there);
  compare_rows(to, shape_of(p), {p.out, plain.out, plain.scale}, accepted_row_error, &p.found->out);
  compare_log_sums(to, shape_of(p), p.lse, plain.lse, accepted_lse_error, &p.found->lse);
  launch(to, gather_samples, dim3(static_cast<unsigned>(p.sample_count)), dim3(128), 0, view(p, 1), p.samples,
         p.sampled_out, p.sampled_lse);
}

}  // namespace ablate::window_attention
