// The yardstick on the device: attention among pooled rows in fp32 without tensor cores, a block a row, and
// what a list must be by the same scores; and the inputs, which are made on the device. Nothing here is
// measured. Its own arithmetic is held against the fp64 oracle at the sampled rows.
#include <cfloat>

#include "kernels/compression_attention/launches.h"
#include "kernels/compression_attention/top_list.cuh"
#include "kernels/compression_attention/view.cuh"
#include "oracles/compression_attention/launches.h"
#include "oracles/window_attention/compare_rows.cuh"
#include "oracles/window_attention/plain_rows.cuh"

namespace ablate::compression_attention {

constexpr int plain_threads = 256;

/// A score, and what its roundings can add up to: 64 · 2^-23 · Σ|q·k|.
struct bounded_score {
  float score = -INFINITY, bound = 0;
  entry key = 0;  ///< 0: none
};
__device__ bounded_score greater(const bounded_score& a, const bounded_score& b) {
  return a.key > b.key ? a : b;
}
__device__ bounded_score lesser(const bounded_score& a, const bounded_score& b) {
  return a.key != 0 && (b.key == 0 || a.key < b.key) ? a : b;
}
__device__ bounded_score of_lane(const bounded_score& mine, int far) {
  return {__shfl_xor_sync(~0u, mine.score, far), __shfl_xor_sync(~0u, mine.bound, far),
          __shfl_xor_sync(~0u, mine.key, far)};
}
/// How lists are compared: whether scores are exact in fp32, and whether they are rounded to bf16.
struct list_order {
  bool exact, rounded;

  __device__ entry key(float score, unsigned row) const {
    return rounded ? ranked_by_bf16::of(score, row) : ranked_by_fp32::of(score, row);
  }
  /// Whether `a` ranks before `b` beyond doubt.
  __device__ bool is_before(const bounded_score& a, const bounded_score& b) const {
    if (a.key == 0 || b.key == 0) return false;
    if (exact) return a.key > b.key;
    const float doubt = fmaxf(a.bound, b.bound);
    return rounded ? key(a.score - doubt, 0) > key(b.score + doubt, 0) : a.score - b.score > doubt;
  }
};

/// What threads have seen of a row's keys.
struct partial_row {
  float most = -FLT_MAX, sum = 0, noise = 0, out[width] = {};
  int scores = 0;  ///< that may be listed: neither NaN nor −∞
  bounded_score worst_listed, best_left;

  __device__ void raise(float to) {
    const float rescale = exp2f(most - to);
    most = to;
    sum *= rescale;
    noise *= rescale * rescale;
#pragma unroll
    for (float& x : out) x *= rescale;
  }
  /// The warp's lanes together, in all of them.
  __device__ void gather() {
    for (int far = 16; far > 0; far /= 2) {
      raise(fmaxf(most, __shfl_xor_sync(~0u, most, far)));
      sum += __shfl_xor_sync(~0u, sum, far);
      noise += __shfl_xor_sync(~0u, noise, far);
#pragma unroll
      for (float& x : out) x += __shfl_xor_sync(~0u, x, far);
      scores += __shfl_xor_sync(~0u, scores, far);
      worst_listed = lesser(worst_listed, of_lane(worst_listed, far));
      best_left = greater(best_left, of_lane(best_left, far));
    }
  }
};

struct shared_row {
  float query[width];
  bounded_score listed[max_selected];  ///< by place in the list
  partial_row of_warp[plain_threads / 32];
  list_fault fault;
};

__device__ void load_row(const unsigned char* tensor, long long row, float (&to)[width]) {
  const auto* const from = reinterpret_cast<const uint4*>(tensor + row * row_bytes);
#pragma unroll
  for (int i = 0; i < width / 8; ++i) {
    const uint4 chunk = from[i];
    const unsigned words[] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      to[8 * i + 2 * w] = __uint_as_float(words[w] << 16);
      to[8 * i + 2 * w + 1] = __uint_as_float(words[w] & 0xffff0000u);
    }
  }
}

/// Numbers of int8.
__device__ void load_int8_row(const std::int8_t* tensor, long long row, float (&to)[width]) {
#pragma unroll
  for (int d = 0; d < width; ++d) to[d] = static_cast<float>(tensor[row * width + d]);
}

/// Thread 0: the list by itself.
__device__ list_fault fault_of_list(const view& v, const std::int32_t* list, unsigned* is_listed) {
  bool ended = false;
  for (int i = 0; i < v.selected; ++i) {
    const std::int32_t row = list[i];
    if (row == -1) {
      ended = true;
      continue;
    }
    if (ended || row < static_cast<long long>(v.first_listed) || row >= v.rows) return list_fault::no_row;
    if ((is_listed[row / 32] >> row % 32 & 1) != 0) return list_fault::twice;
    is_listed[row / 32] |= 1u << row % 32;
    if (v.by_index && i > 0 && list[i - 1] > row) return list_fault::misordered;
  }
  return list_fault::none;
}

/// Thread 0: the list by its scores.
__device__ list_fault fault_of_scores(const view& v, const std::int32_t* list, const shared_row& shared,
                                      const partial_row& all, const list_order& order) {
  int entries = 0;
  for (int i = 0; i < v.selected; ++i) entries += list[i] >= 0;
  if (entries != min(v.selected, all.scores)) return list_fault::no_row;
  for (int i = 0; i < entries; ++i)
    if (shared.listed[i].key == 0) return list_fault::no_row;
  if (order.is_before(all.best_left, all.worst_listed)) return list_fault::worse;
  for (int i = 1; i < entries && !v.by_index; ++i)
    if (order.is_before(shared.listed[i], shared.listed[i - 1])) return list_fault::misordered;
  return list_fault::none;
}

/// blockIdx.x: a compared row. Shared memory: shared_row, then, where there are lists, a bit for each key
/// row.
__global__ __launch_bounds__(plain_threads) void attend_plainly(view v, plain_outputs plain, long long stride,
                                                                bool has_lists, list_order order,
                                                                findings* found) {
  extern __shared__ unsigned char raw[];
  auto& shared = *reinterpret_cast<shared_row*>(raw);
  auto* const is_listed = reinterpret_cast<unsigned*>(raw + sizeof(shared_row));
  const long long number = blockIdx.x * stride, head = number / v.chunk_rows;
  const long long row = head * v.rows + v.first_row + number % v.chunk_rows;
  const std::int32_t* const list = has_lists ? v.table + row * v.selected : nullptr;
  const bool by_int8 = v.multiplies_int8 && row - head * v.rows < v.kept.rows;
  const int thread = static_cast<int>(threadIdx.x);
  for (long long i = thread; has_lists && i <= v.rows / 32; i += plain_threads) is_listed[i] = 0;
  if (thread < width)
    shared.query[thread] =
        by_int8 ? static_cast<float>(v.int8.q[row * width + thread])
                : __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(v.q + row * row_bytes)[thread]);
  if (thread < max_selected) shared.listed[thread] = bounded_score();
  __syncthreads();
  if (thread == 0) shared.fault = has_lists ? fault_of_list(v, list, is_listed) : list_fault::none;
  __syncthreads();

  partial_row mine;
  for (long long key = thread; key < v.key_rows; key += plain_threads) {
    if (!v.kept.attends(head, row - head * v.rows, key)) continue;
    float x[width];
    if (by_int8)
      load_int8_row(v.int8.k, head * v.rows + key, x);
    else
      load_row(v.k, head * v.key_stride + key, x);
    bounded_score s{0, 0, 0};
#pragma unroll
    for (int d = 0; d < width; ++d) {
      s.score = fmaf(shared.query[d], x[d], s.score);
      s.bound += fabsf(shared.query[d] * x[d]);
    }
    s.bound *= 64 * 0x1p-23f;
    if (by_int8)
      s.score *=
          v.int8.q_scales[head * v.kept.query_blocks() + (row - head * v.rows) / kept_blocks::queries] *
          v.int8.k_scales[head * v.kept.boxes(v.rows) + v.kept.box_of(key)];
    if (s.score > -INFINITY && key >= static_cast<long long>(v.first_listed)) {
      s.key = order.key(s.score, static_cast<unsigned>(key));
      ++mine.scores;
      if (has_lists && (is_listed[key / 32] >> key % 32 & 1) != 0) {
        mine.worst_listed = lesser(mine.worst_listed, s);
        for (int i = 0; i < v.selected; ++i)
          if (list[i] == key) shared.listed[i] = s;
      } else {
        mine.best_left = greater(mine.best_left, s);
      }
    }
    const float exponent = s.score * v.scale_log2;
    if (exponent > mine.most) mine.raise(exponent);
    const float weight = exp2f(exponent - mine.most);
    load_row(v.v, head * v.key_stride + key, x);
    float squared = 0;
#pragma unroll
    for (int d = 0; d < width; ++d) {
      mine.out[d] = fmaf(weight, x[d], mine.out[d]);
      squared += window_attention::finite_square(x[d]);
    }
    mine.sum += weight;
    mine.noise = fmaf(weight * weight, squared, mine.noise);
  }
  mine.gather();
  if (thread % 32 == 0) shared.of_warp[thread / 32] = mine;
  __syncthreads();
  if (thread >= 32) return;
  mine = thread < plain_threads / 32 ? shared.of_warp[thread] : partial_row();
  mine.gather();

  const long long at = blockIdx.x;
  float squared = 0;
#pragma unroll
  for (float& x : mine.out) {
    x /= mine.sum;
    squared += window_attention::finite_square(x);
  }
  for (int d = thread; d < width; d += 32) {
    // Indices known at compile time keep the row in registers.
    float value = 0;
#pragma unroll
    for (int i = 0; i < width; ++i)
      if (i == d) value = mine.out[i];
    plain.out[at * width + d] = value;
    plain.seen_out[at * width + d] = reinterpret_cast<const std::uint16_t*>(v.out)[row * width + d];
  }
  if (thread != 0) return;
  plain.scale[at] = sqrtf(fmaxf(squared, mine.noise / (mine.sum * mine.sum)));
  plain.lse[at] = mine.sum == 0 ? NAN : (mine.most + log2f(mine.sum)) * 0.693147180559945f;
  if (by_int8) plain.lse[at] += v.int8.offsets[row];
  plain.seen_lse[at] = v.lse[row];
  if (!has_lists) return;
  list_fault fault = shared.fault;
  if (fault == list_fault::none) fault = fault_of_scores(v, list, shared, mine, order);
  atomicAdd(&found->lists, 1ull);
  if (fault == list_fault::none) return;
  atomicAdd(&found->wrong_lists, 1ull);
  atomicMin(&found->first_wrong, static_cast<unsigned long long>(row) << 3 | static_cast<unsigned>(fault));
}

__global__ void clear_findings(findings* found) {
  found->lists = found->wrong_lists = 0;
  found->first_wrong = ~0ull;
}

__global__ void gather_samples(view v, bool has_lists, const sampled_row* samples, float* out, float* lse,
                               std::int32_t* table) {
  const long long i = blockIdx.x, row = samples[i].head * v.rows + samples[i].row;
  const int lane = static_cast<int>(threadIdx.x);
  for (int d = lane; d < width; d += 32)
    out[i * width + d] = __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(v.out + row * row_bytes)[d]);
  if (lane == 0) lse[i] = v.lse[row];
  for (int place = lane; place < v.selected; place += 32)
    table[i * v.selected + place] = has_lists ? v.table[row * v.selected + place] : -1;
}

void compare_with_plain(launcher& to, const checked_problem& p, const switches&) {
  const plain_outputs plain = cut_reference(p);
  const view v(p);
  launch(to, clear_findings, dim3(1), dim3(1), 0, p.found);
  const std::size_t bits = p.lists ? static_cast<std::size_t>(p.rows / 32 + 1) * sizeof(unsigned) : 0;
  launch(to, attend_plainly, dim3(static_cast<unsigned>(p.compared_rows())), dim3(plain_threads),
         sizeof(shared_row) + bits, v, plain, p.compared_stride(), p.lists,
         list_order{are_exact(p.what), p.compared == comparison::bf16}, p.found);
  const bool all = p.compared_stride() == 1;
  const window_attention::row_shape shape =
      all ? window_attention::row_shape{1, p.attending_rows(), p.heads, width, true}
          : window_attention::row_shape{1, p.compared_rows(), 1, width, true};
  window_attention::compare_rows(to, shape, {plain.seen_out, plain.out, plain.scale},
                                 window_attention::accepted_row_error, &p.found->of.out);
  window_attention::compare_log_sums(to, shape, plain.seen_lse, plain.lse,
                                     window_attention::accepted_lse_error, &p.found->of.lse);
  launch(to, gather_samples, dim3(static_cast<unsigned>(p.sample_count)), dim3(32), 0, v, p.lists, p.samples,
         p.sampled_out, p.sampled_lse, p.sampled_table);
}

__global__ __launch_bounds__(plain_threads) void make_elements(checked_problem p, tensor of,
                                                               std::uint16_t* to) {
  const long long count = p.elements();
  for (long long i = blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(plain_threads)) {
    const long long row = i / width;
    to[i] = generated_bits(p, of, row / p.rows, row % p.rows, static_cast<int>(i % width));
  }
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  const dim3 grid(16 * static_cast<unsigned>(to.device().multiprocessors));
  launch(to, make_elements, grid, dim3(plain_threads), 0, p, tensor::q, const_cast<std::uint16_t*>(p.q));
  launch(to, make_elements, grid, dim3(plain_threads), 0, p, tensor::k, const_cast<std::uint16_t*>(p.k));
  launch(to, make_elements, grid, dim3(plain_threads), 0, p, tensor::v, const_cast<std::uint16_t*>(p.v));
}

}  // namespace ablate::compression_attention
