// Training: gradient steps against the plain arithmetic of the operations that compute them, on the steps'
// own inputs; and all gradients against those of the steps launched again.
// Nothing here is measured.
#include <cuda_bf16.h>

#include "kernels/common/fill.h"
#include "kernels/common/switches.h"
#include "kernels/network/parts.h"
#include "kernels/ptv3/parts.h"
#include "kernels/row_norm/layer_rows.cuh"
#include "kernels/training/gradient_parts.h"
#include "oracles/backbone/checked_linear.h"
#include "oracles/backbone/checked_mlp.h"
#include "oracles/backbone/checked_row_norm.h"
#include "oracles/backbone/checked_window_attention_backward.h"
#include "oracles/backbone/compare_elements.cuh"
#include "oracles/backbone/step_checks.h"
#include "oracles/linear/launches.h"
#include "oracles/mlp/launches.h"
#include "oracles/row_norm/launches.h"
#include "oracles/window_attention_backward/launches.h"

namespace ablate::backbone {

using dense_layers::number_at;

struct packed_rows {
  const std::uint16_t *in, *out;
  long long rows, elements;
  int channels;  ///< of all three

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ dense_layers::judged right(long long i) const {
    const int third = channels / 3, column = static_cast<int>(i % channels);
    return exactly(number_at(in, (column / third * rows + i / channels) * third + column % third));
  }
};

/// Of each row the branch as it is kept, with the skipped ones where there are any.
struct kept_rows {
  const std::uint16_t *branch, *skipped, *out;
  long long elements;
  int channels;
  float drop;
  std::uint64_t seed;

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ dense_layers::judged right(long long i) const {
    const double kept =
        static_cast<double>(row_norm::branch_scale(seed, drop, i / channels)) * number_at(branch, i);
    const double beside = skipped == nullptr ? 0 : number_at(skipped, i), sum = kept + beside;
    const double off = 0x1p-22 * (fabs(kept) + fabs(beside));
    return {sum, off + dense_layers::bf16_rounding(fabs(sum) + off)};
  }
};

/// delta[head][token] = Σ dO ∘ O of the head's row: a warp a row of all heads' columns, a head after another.
__global__ __launch_bounds__(comparing_threads) void sum_products_of_rows(const std::uint16_t* out,
                                                                          const std::uint16_t* gradient,
                                                                          float* delta, long long tokens,
                                                                          int heads, int width) {
  const long long token = (blockIdx.x * static_cast<long long>(comparing_threads) + threadIdx.x) / 32;
  if (token >= tokens) return;
  for (int head = 0; head < heads; ++head) {
    double sum = 0;
    for (int d = static_cast<int>(threadIdx.x) % 32; d < width; d += 32) {
      const long long at = (token * heads + head) * width + d;
      sum += number_at(out, at) * number_at(gradient, at);
    }
    sum = dense_layers::sum_of_warp(sum);
    if (threadIdx.x % 32 == 0) delta[head * tokens + token] = static_cast<float>(sum);
  }
}

namespace {

void compare_attention_gradient(launcher& to, const window_attention_backward::checked_problem& gradient,
                                std::byte* memory) {
  const window_attention::problem& attention = gradient.attention;
  launch(to, sum_products_of_rows, dim3(blocks_for(32 * attention.tokens, comparing_threads)),
         dim3(comparing_threads), 0, static_cast<const std::uint16_t*>(attention.out), gradient.out_gradient,
         gradient.plain_delta, static_cast<long long>(attention.tokens), static_cast<int>(attention.heads),
         attention.width);
  // Nothing is kept from the step before: its first word says what there is.
  fill(to, {{memory, 1, 0}});
  window_attention_backward::compare_with_plain(to, gradient, {});
}

void compare_norm(launcher& to, const row_norm::problem& norm, dense_layers::comparison* found,
                  std::byte* memory) {
  row_norm::compare_with_plain(to, checked_norm_of(norm, found, memory), {});
}

}  // namespace

void compare_gradient_step(launcher& to, const checked_problem& p, const network& n, const step& s,
                           std::byte* memory) {
  const auto number = &s - n.steps.data();
  dense_layers::comparison* const found = p.found + number * comparisons_of_step;
  switch (s.kind) {
    case step_kind::normalize:
      return compare_norm(to, normalization_of(p, n, s), found, memory);
    case step_kind::norm_gradient:
      return compare_norm(to, norm_gradient_of(p, n, s), found, memory);
    case step_kind::batch_norm:
      return compare_norm(to, batch_norm_of(p, n, s), found, memory);
    case step_kind::batch_gradient:
      return compare_norm(to, batch_gradient_of(p, n, s), found, memory);
    case step_kind::linear_gradient:
      return linear::compare_with_plain(to, checked_linear_gradient_of(p, n, s, found), {});
    case step_kind::mlp_gradient:
      return mlp::compare_with_plain(to, checked_mlp_of(p, n, s, found, memory), {});
    case step_kind::attention_gradient:
      return compare_attention_gradient(
          to, checked_attention_gradient_of(p, n, s, p.differentiated + number, memory), memory);
    case step_kind::pack: {
      const long long rows = n.level_at(s.level).rows;
      return compare_rows(
          to,
          packed_rows{rows_at(p, n, s.in), rows_at(p, n, s.out), rows, 3 * rows * s.channels, 3 * s.channels},
          found);
    }
    case step_kind::add_dropped:
    case step_kind::drop_gradient:
      return compare_rows(
          to,
          kept_rows{rows_at(p, n, s.in), s.skip < 0 ? nullptr : rows_at(p, n, s.skip), rows_at(p, n, s.out),
                    n.level_at(s.level).rows * s.channels, s.channels, s.drop, s.drop_seed},
          found);
    case step_kind::from_windows_gradient:
    case step_kind::into_windows_gradient:
    case step_kind::convolution_gradient:
      return compare_ptv3_gradient(to, p, n, s);
    default:
      return compare_rows_gradient(to, p, n, s);
  }
}

__global__ __launch_bounds__(comparing_threads) void copy_words(const std::uint32_t* from, std::uint32_t* to,
                                                                long long words) {
  for (long long i = blockIdx.x * static_cast<long long>(comparing_threads) + threadIdx.x; i < words;
       i += gridDim.x * static_cast<long long>(comparing_threads))
    to[i] = from[i];
}

__device__ inline double gradient_number(const float* all, long long i) { return all[i]; }
__device__ inline double gradient_number(const std::uint16_t* all, long long i) { return number_at(all, i); }

template <class Number>
__global__ __launch_bounds__(comparing_threads) void count_differing_gradients(const Number* again,
                                                                               const Number* before,
                                                                               long long count,
                                                                               std::uint64_t* facts) {
  unsigned long long differing = 0;
  double changes = 0, squares = 0;
  for (long long i = blockIdx.x * static_cast<long long>(comparing_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(comparing_threads)) {
    const double seen = gradient_number(before, i), change = gradient_number(again, i) - seen;
    differing += !(change == 0);
    changes += change * change;
    squares += seen * seen;
  }
  changes = dense_layers::sum_of_warp(changes);
  squares = dense_layers::sum_of_warp(squares);
  if (differing > 0) atomicAdd(reinterpret_cast<unsigned long long*>(facts + differing_gradients), differing);
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(reinterpret_cast<double*>(facts + squared_gradient_change), changes);
  atomicAdd(reinterpret_cast<double*>(facts + squared_gradients), squares);
}

namespace {

/// Each parameter of each layer: what is between two layers' gradients is nobody's.
struct gradient_span {
  std::int64_t at, count;
};
std::vector<gradient_span> spans_of_gradients(const network& n) {
  std::vector<gradient_span> spans;
  for (std::size_t i = 0; i < n.layers.all.size(); ++i) {
    const layer& one = n.layers.all[i];
    const gradient_place& at = n.gradients.of[i];
    const bool is_linear = one.kind == layer_kind::linear;
    if (is_linear) spans.push_back({at.matrix, std::int64_t{one.inputs} * one.outputs});
    if (!is_linear || one.has_bias)
      spans.push_back({at.vectors, (is_linear ? 1 : 2) * std::int64_t{one.outputs}});
  }
  return spans;
}

dim3 blocks_of_all(const launcher& to) {
  return dim3(8 * static_cast<unsigned>(to.device().multiprocessors));
}

std::int64_t x_gradient_elements(const network& n) { return n.is_block() ? n.points() * n.out_channels : 0; }

}  // namespace

void copy_gradients(launcher& to, const problem& p, const network& n, std::byte* memory) {
  auto* const words = reinterpret_cast<std::uint32_t*>(memory);
  const auto copy = [&](const void* from, std::uint32_t* there, std::int64_t count) {
    if (count > 0)
      launch(to, copy_words, blocks_of_all(to), dim3(comparing_threads), 0,
             static_cast<const std::uint32_t*>(from), there, static_cast<long long>(count));
  };
  copy(p.gradients, words, n.gradients.elements);
  copy(p.x_gradient, words + n.gradients.elements, x_gradient_elements(n) / 2);
}

void compare_gradients(launcher& to, const checked_problem& p, const network& n, const std::byte* before) {
  const auto* const of_parameters = reinterpret_cast<const float*>(before);
  const dim3 blocks = blocks_of_all(to), threads(comparing_threads);
  for (const gradient_span& span : spans_of_gradients(n))
    launch(to, count_differing_gradients<float>, blocks, threads, 0,
           static_cast<const float*>(p.gradients + span.at), of_parameters + span.at,
           static_cast<long long>(span.count), p.facts);
  if (const std::int64_t elements = x_gradient_elements(n); elements > 0)
    launch(to, count_differing_gradients<std::uint16_t>, blocks, threads, 0,
           static_cast<const std::uint16_t*>(p.x_gradient),
           reinterpret_cast<const std::uint16_t*>(of_parameters + n.gradients.elements),
           static_cast<long long>(elements), p.facts);
}

}  // namespace ablate::backbone
