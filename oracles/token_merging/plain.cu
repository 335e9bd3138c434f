// The yardstick on the device: matches by products in fp64, what they are made by channel by channel, means
// by a scan of all sources, copies by what a token is; and the inputs, which are made on the device. Nothing
// here is measured. What is judged here is held against the oracle at the samples.
#include "kernels/token_merging/view.cuh"
#include "oracles/token_merging/generated_inputs.h"
#include "oracles/token_merging/launches.h"
#include "oracles/token_merging/reference.h"

namespace ablate::token_merging {

__device__ inline void note(bool is_right, long long number, findings* found) {
  atomicAdd(&found->judged, 1ull);
  if (is_right) return;
  atomicAdd(&found->wrong, 1ull);
  atomicMin(&found->first_wrong, static_cast<unsigned long long>(number));
}

/// A destination's product with a source, in fp64.
struct candidate {
  exact_product product;
  int destination;

  __device__ bool is_before(const candidate& other) const {
    return product.value > other.product.value ||
           (product.value == other.product.value && destination < other.destination);
  }
};
__device__ inline candidate product_with(const view& v, const float* source, int destination) {
  candidate result{{0, 0}, destination};
  const auto* const row = reinterpret_cast<const uint4*>(v.x_row(v.destination_tokens[destination]));
  for (int i = 0; i < v.match_channels / piece_elements; ++i) {
    float other[piece_elements];
    widen(row[i], other);
    for (int d = 0; d < piece_elements; ++d)
      result.product.add(static_cast<double>(source[i * piece_elements + d]), static_cast<double>(other[d]));
  }
  return result;
}

/// blockIdx.x: a judged source. Shared memory: its row, fp32.
__global__ __launch_bounds__(block_threads) void judge_matches(const __grid_constant__ view v,
                                                               long long stride, bool is_exact,
                                                               findings* found) {
  extern __shared__ __align__(16) float row[];
  __shared__ double values[block_threads], bounds[block_threads];
  __shared__ int destinations[block_threads];
  const int thread = static_cast<int>(threadIdx.x);
  const int source = static_cast<int>(blockIdx.x * stride);
  for (int i = thread; i < v.match_channels; i += block_threads)
    row[i] = float_of_bf16(v.x_row(v.source_tokens[source])[i]);
  __syncthreads();
  candidate best{{-INFINITY, 0}, 0};
  for (int destination = thread; destination < v.destinations; destination += block_threads)
    if (const candidate other = product_with(v, row, destination); other.is_before(best)) best = other;
  values[thread] = best.product.value;
  bounds[thread] = best.product.bound;
  destinations[thread] = best.destination;
  __syncthreads();
  if (thread != 0) return;
  for (int i = 1; i < block_threads; ++i)
    if (const candidate other{{values[i], bounds[i]}, destinations[i]}; other.is_before(best)) best = other;
  const int matched = v.best[source];
  const bool is_right =
      matched >= 0 && matched < v.destinations &&
      is_right_match(product_with(v, row, matched).product, best.product, matched == best.destination,
                     is_exact, static_cast<double>(v.similarity[source]));
  note(is_right, source, found);
}

/// A thread a token: its row of metric::mean_of_heads, element by element.
__global__ __launch_bounds__(block_threads) void judge_metric_rows(checked_problem p) {
  const long long token = blockIdx.x * static_cast<long long>(block_threads) + threadIdx.x;
  if (token >= p.tokens()) return;
  const auto sum_of = [&](int channel) {
    float sum = 0;
    for (int head = 0; head < p.heads; ++head)
      sum += float_of_bf16(p.x[token * p.channels() + head * width + channel]);
    return sum;
  };
  double squared = 0;
  for (int channel = 0; channel < width; ++channel) {
    const auto sum = static_cast<double>(sum_of(channel));
    squared += sum * sum;
  }
  bool is_right = true;
  for (int channel = 0; channel < width; ++channel)
    is_right = is_right && p.metric_rows[token * width + channel] == metric_element(sum_of(channel), squared);
  if (!is_right) atomicAdd(&p.found->wrong_metric_rows, 1ull);
}

/// Whether a source is merged into a destination.
__device__ inline bool is_merged_into(const view& v, int source, long long destination) {
  return v.best[source] == destination && !v.layout.is_protected(v.source_tokens[source]);
}

/// blockIdx.x: a merged row, of all heads and tensors.
__global__ __launch_bounds__(block_threads) void judge_means(const __grid_constant__ view v,
                                                             findings* found) {
  __shared__ int members[block_threads];
  __shared__ int member_count;
  const int thread = static_cast<int>(threadIdx.x);
  const long long row = blockIdx.x;
  const bool is_destination = row < v.destinations;
  const int token = is_destination ? v.destination_tokens[row] : v.appended_tokens[row - v.destinations];
  constexpr int max_elements = 64 * tensors * width / block_threads;  // of a thread, of 64 heads
  const int elements = tensors * v.channels;
  double sums[max_elements], absolutes[max_elements];
  int merged = 1;
  // Element e of a row of all: tensor, head, element of the head.
  const auto input = [&](int e, long long of_token) {
    const long long head = e % v.channels / width;
    return static_cast<double>(
        float_of_bf16(v.in[e / v.channels][(head * v.tokens + of_token) * width + e % width]));
  };
  for (int i = 0; i * block_threads + thread < elements; ++i) {
    sums[i] = input(i * block_threads + thread, token);
    absolutes[i] = fabs(sums[i]);
  }
  for (int first = 0; is_destination && first < v.sources; first += block_threads) {
    const int source = first + thread;
    const bool is_member = source < v.sources && is_merged_into(v, source, row);
    if (__syncthreads_count(is_member) == 0) continue;
    if (thread == 0) member_count = 0;
    __syncthreads();
    if (is_member) members[atomicAdd(&member_count, 1)] = v.source_tokens[source];
    __syncthreads();
    for (int m = 0; m < member_count; ++m)
      for (int i = 0; i * block_threads + thread < elements; ++i) {
        const double value = input(i * block_threads + thread, members[m]);
        sums[i] += value;
        absolutes[i] += fabs(value);
      }
    merged += member_count;
    __syncthreads();
  }
  bool is_right = true;
  for (int i = 0; i * block_threads + thread < elements; ++i) {
    const int e = i * block_threads + thread;
    const long long head = e % v.channels / width;
    const float seen =
        float_of_bf16(v.merged[e / v.channels][(head * v.attending + row) * width + e % width]);
    is_right = is_right && is_right_mean(static_cast<double>(seen), sums[i] / merged, absolutes[i] / merged);
  }
  const bool all_right = __syncthreads_and(is_right) != 0;
  if (thread == 0) note(all_right, row, found);
}

/// blockIdx.x: a token.
__global__ __launch_bounds__(block_threads) void judge_copies(const __grid_constant__ view v,
                                                              findings* found) {
  const long long token = blockIdx.x;
  const int place = v.places[token];
  const int row = place >= 0 ? place : v.best[-1 - place];
  bool is_right = true;
  for (int e = static_cast<int>(threadIdx.x); e < v.channels; e += block_threads) {
    const long long head = e / width;
    is_right = is_right && v.out[(head * v.tokens + token) * width + e % width] ==
                               v.attended[(head * v.attending + row) * width + e % width];
  }
  const bool all_right = __syncthreads_and(is_right) != 0;
  if (threadIdx.x == 0) note(all_right, token, found);
}

__global__ void clear_findings(findings* found) { *found = {0, 0, ~0ull}; }

/// blockIdx.x: a sample; what the check reads of it.
__global__ __launch_bounds__(block_threads) void copy_samples(const __grid_constant__ view v, step what,
                                                              const std::int32_t* samples, std::int32_t* best,
                                                              float* similarity, std::uint16_t* rows) {
  const int number = samples[blockIdx.x];
  if (what == step::match) {
    if (threadIdx.x != 0) return;
    best[blockIdx.x] = v.best[number];
    similarity[blockIdx.x] = v.similarity[number];
    return;
  }
  const int tensors_there = what == step::merge ? tensors : 1;
  const long long all = what == step::merge ? v.attending : v.tokens;
  for (int e = static_cast<int>(threadIdx.x); e < tensors_there * v.channels; e += block_threads) {
    const std::uint16_t* const from = what == step::merge ? v.merged[e / v.channels] : v.out;
    const long long head = e % v.channels / width;
    rows[static_cast<long long>(blockIdx.x) * tensors * v.channels + e] =
        from[(head * all + number) * width + e % width];
  }
}

void judge_with_fp64(launcher& to, const checked_problem& p, const switches&) {
  const view v(p);
  const dim3 threads(block_threads);
  launch(to, clear_findings, dim3(1), dim3(1), 0, p.found);
  const auto judged = static_cast<unsigned>(p.judged());
  if (p.step == step::match && p.metric == metric::mean_of_heads)
    launch(to, judge_metric_rows, dim3(blocks_for(p.tokens(), block_threads)), threads, 0, p);
  if (p.step == step::match)
    launch(to, judge_matches, dim3(judged), threads,
           sizeof(float) * static_cast<std::size_t>(v.match_channels), v, p.judged_stride(), p.is_exact(),
           p.found);
  else if (p.step == step::merge)
    launch(to, judge_means, dim3(judged), threads, 0, v, p.found);
  else
    launch(to, judge_copies, dim3(judged), threads, 0, v, p.found);
  if (p.sample_count > 0)
    launch(to, copy_samples, dim3(static_cast<unsigned>(p.sample_count)), threads, 0, v, p.step, p.samples,
           p.sampled_best, p.sampled_similarity, p.sampled_rows);
}

__global__ __launch_bounds__(block_threads) void make_x(checked_problem p) {
  for (long long i = blockIdx.x * static_cast<long long>(block_threads) + threadIdx.x;
       i < p.tokens() * p.channels(); i += gridDim.x * static_cast<long long>(block_threads))
    const_cast<std::uint16_t*>(p.x)[i] = generated_x(p, i / p.channels(), i % p.channels());
}

__global__ __launch_bounds__(block_threads) void make_best(problem p) {
  for (long long i = blockIdx.x * static_cast<long long>(block_threads) + threadIdx.x; i < p.sources;
       i += gridDim.x * static_cast<long long>(block_threads))
    p.best[i] = generated_best(p, i);
}

/// Of q, k or v, or of what attention leaves.
__global__ __launch_bounds__(block_threads) void make_rows(problem p, int which) {
  const long long rows = which == tensors ? p.attending() : p.tokens();
  auto* const to = const_cast<std::uint16_t*>(which == tensors ? p.attended : p.in[which]);
  for (long long i = blockIdx.x * static_cast<long long>(block_threads) + threadIdx.x;
       i < p.heads * rows * width; i += gridDim.x * static_cast<long long>(block_threads)) {
    const long long row = i / width;
    to[i] = generated_row_element(p, which, row / rows, row % rows, static_cast<int>(i % width));
  }
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  const dim3 grid(16 * static_cast<unsigned>(to.device().multiprocessors)), threads(block_threads);
  if (p.step == step::match) {
    launch(to, make_x, grid, threads, 0, p);
    return;
  }
  launch(to, make_best, grid, threads, 0, p);
  for (int which = 0; which <= tensors; ++which)
    if ((which == tensors) == (p.step == step::unmerge)) launch(to, make_rows, grid, threads, 0, p, which);
}

}  // namespace ablate::token_merging
