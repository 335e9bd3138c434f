// A pass's steps again, each compared with plain arithmetic on its own inputs, before another step takes
// their place in the arena. Parts that are other operations' bring their own yardsticks; here are those of
// rows that are embedded, pooled, added and put back. Nothing here is measured.
#include <cuda_fp16.h>

#include "kernels/backbone/launches.h"
#include "kernels/backbone/run.h"
#include "kernels/common/dense/activation.h"
#include "kernels/common/dense/cublaslt.h"
#include "kernels/common/fill.h"
#include "kernels/common/kernel_launch.h"
#include "kernels/common/switches.h"
#include "kernels/network/parts.h"
#include "kernels/ptv3/parts.h"
#include "kernels/training/gradient_run.h"
#include "oracles/backbone/checked_linear.h"
#include "oracles/backbone/checked_mlp.h"
#include "oracles/backbone/checked_window_attention.h"
#include "oracles/backbone/compare_elements.cuh"
#include "oracles/backbone/launches.h"
#include "oracles/backbone/step_checks.h"
#include "oracles/backbone/yardstick.h"
#include "oracles/linear/launches.h"
#include "oracles/mlp/launches.h"
#include "oracles/window_attention/launches.h"

namespace ablate::backbone {

using dense_layers::bf16_rounding;
using dense_layers::judged;
using dense_layers::number_at;

struct embedded_rows {
  const __half* coordinates;
  const std::uint16_t *weight, *out;
  const float* bias;
  long long real, elements;
  int channels;

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    const long long row = i / channels;
    const int column = static_cast<int>(i % channels);
    double sum = bias[column], terms = fabs(sum);
    for (int axis = 0; axis < 3 && row < real; ++axis) {
      const double term = static_cast<double>(__half2float(coordinates[3 * row + axis])) *
                          number_at(weight, 3 * column + axis);
      sum += term;
      terms += fabs(term);
    }
    const double off = 0x1p-21 * terms;
    return {sum, off + bf16_rounding(fabs(sum) + off)};
  }
};

/// Of each cluster the mean or, where it has `selects`, the maximum.
struct reduced_rows {
  const std::uint16_t *features, *out;
  const std::uint32_t *start, *member;
  const float* norm;
  long long rows, elements;
  int channels;
  bool selects;

  __device__ double seen(long long i) const { return number_at(out, i); }
  /// As in pool's own check: an ulp of the mean, times up to 1.13 |scale| by norm and GELU, an ulp of the
  /// result, and the fp32 error of 1 + erf.
  __device__ judged right(long long i) const {
    const long long row = i / channels;
    const int c = static_cast<int>(i % channels);
    if (row >= rows) return nothing();
    double sum = 0, greatest = -INFINITY;
    for (unsigned k = start[row]; k < start[row + 1]; ++k) {
      const double x = number_at(features, static_cast<long long>(member[k]) * channels + c);
      sum += x;
      greatest = fmax(greatest, x);
    }
    const double pooled = selects ? greatest : sum / (start[row + 1] - start[row]);
    const double scale = norm[2 * channels + c] /
                         sqrt(norm[channels + c] + static_cast<double>(pool::norm_epsilon)),
                 shift = norm[3 * channels + c] - norm[c] * scale;
    const double y = dense_layers::gelu_erf(pooled * scale + shift);
    const double of_mean = selects ? 0 : 1.13 * fabs(scale) * 2 * bf16_rounding(pooled),
                 in_fp32 = 0x1p-21 * (1 + fabs(pooled * scale) + fabs(shift));
    return {y, of_mean + in_fp32 + 2 * bf16_rounding(y)};
  }
};

struct unpooled_rows {
  const std::uint16_t *skipped, *down, *out;
  const std::uint32_t* cluster;
  long long real, elements;
  int channels;

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    const long long row = i / channels;
    if (row >= real) return nothing();
    const double sum = number_at(skipped, i) +
                       number_at(down, static_cast<long long>(cluster[row]) * channels + i % channels);
    return {sum, 1.01 * bf16_rounding(sum)};
  }
};

struct added_rows {
  const std::uint16_t *in, *skipped, *out;
  long long elements;
  int channels;

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    const double sum = number_at(in, i) + number_at(skipped, i);
    return {sum, 1.01 * bf16_rounding(sum)};
  }
};

/// GELU of rows or, where they are twice as wide, SwiGLU of their halves; in fp32, rounded once.
struct activated_rows {
  const std::uint16_t *in, *out;
  long long elements;
  int channels;
  bool gates;

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    if (!gates) {
      const double x = number_at(in, i), y = dense_layers::gelu_erf(x);
      return {y, 0x1p-21 * (1 + fabs(x)) + 1.01 * bf16_rounding(y)};
    }
    const long long gate = i + i / channels * channels;
    const double g = number_at(in, gate), y = dense_layers::silu(g) * number_at(in, gate + channels);
    return {y, 0x1p-18 * fabs(y) + 1.01 * bf16_rounding(y)};
  }
};

struct cleared_words {
  const std::uint32_t* words;
  long long elements;
  int channels = 1;

  __device__ double seen(long long i) const { return words[i]; }
  __device__ judged right(long long) const { return nothing(); }
};

struct taken_rows {
  const std::uint16_t *features, *out;
  const std::uint32_t* source;
  long long elements;
  int channels;

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    return exactly(
        number_at(features, static_cast<long long>(source[i / channels]) * channels + i % channels));
  }
};

struct restored_rows {
  const std::uint16_t *rows, *out;
  const std::uint32_t* source;
  long long elements;
  int channels;

  __device__ double seen(long long i) const {
    return number_at(out, static_cast<long long>(source[i / channels]) * channels + i % channels);
  }
  __device__ judged right(long long i) const { return exactly(number_at(rows, i)); }
};

void compare_pooling(launcher& to, const problem& p, const network& n, const step& s,
                     dense_layers::comparison* found) {
  const pool::problem pooling = pooling_of(p, n, s);
  const int c = s.channels;
  if (s.kind == step_kind::reduce)
    compare_rows(to,
                 reduced_rows{pooling.features, pooling.finished, pooling.start, pooling.member, pooling.norm,
                              pooling.rows, n.level_at(s.level + 1).rows * c, c, pooling.selects()},
                 found);
  else
    compare_rows(to,
                 unpooled_rows{pooling.skipped, pooling.down, pooling.up, pooling.cluster, pooling.points,
                               n.levels[static_cast<std::size_t>(s.level)].rows * c, c},
                 found);
}

void compare_attention(launcher& to, const problem& p, const network& n, const step& s,
                       window_attention::deviations* found, std::byte* memory) {
  // Nothing is kept from the step before: its first word says what there is.
  fill(to, {{memory, 1, 0}});
  window_attention::compare_partial_windows(to, checked_attention_of(p, n, s, found, memory),
                                            valid_rows(n, n.level_at(s.level)));
}

void compare_step(launcher& to, const checked_problem& p, const network& n, const step& s,
                  std::byte* memory) {
  const auto number = &s - n.steps.data();
  dense_layers::comparison* const found = p.found + number * comparisons_of_step;
  const std::int64_t rows = n.levels[static_cast<std::size_t>(s.level)].rows;
  switch (s.kind) {
    case step_kind::embed:
      return compare_rows(
          to,
          embedded_rows{reinterpret_cast<const __half*>(coordinates_of(p, n, 0)),
                        p.matrices + n.place_at(s.layer).matrix, rows_at(p, n, s.out),
                        p.vectors + n.place_at(s.layer).vectors, n.points(), rows * s.channels, s.channels},
          found);
    case step_kind::linear:
      return linear::compare_with_plain(to, checked_linear_of(p, n, s, found, memory), {});
    case step_kind::mlp:
      return mlp::compare_with_plain(to, checked_mlp_of(p, n, s, found, memory), {});
    case step_kind::add:
      return compare_rows(to,
                          added_rows{rows_at(p, n, s.in), rows_at(p, n, s.skip), rows_at(p, n, s.out),
                                     rows * s.channels, s.channels},
                          found);
    case step_kind::activate:
      return compare_rows(to,
                          activated_rows{rows_at(p, n, s.in), rows_at(p, n, s.out), rows * s.channels,
                                         s.channels, s.behind == linear::epilogue::swiglu},
                          found);
    case step_kind::attention:
      return compare_attention(to, p, n, s, p.attended + number, memory);
    case step_kind::reduce:
    case step_kind::unpool:
      return compare_pooling(to, p, n, s, found);
    case step_kind::clear:
      return compare_rows(to,
                          cleared_words{reinterpret_cast<const std::uint32_t*>(scratch_at(p, n, s)),
                                        n.tensors[static_cast<std::size_t>(s.scratch)].bytes / 4},
                          found);
    case step_kind::take:
      return compare_rows(to,
                          taken_rows{rows_at(p, n, s.in), rows_at(p, n, s.out), source_of(p, n),
                                     n.points() * s.channels, s.channels},
                          found);
    case step_kind::restore:
      return compare_rows(to,
                          restored_rows{rows_at(p, n, s.in), rows_at(p, n, s.out), source_of(p, n),
                                        n.points() * s.channels, s.channels},
                          found);
    case step_kind::order:
    case step_kind::arrange:
    case step_kind::cluster:
    case step_kind::codes:
    case step_kind::slots:
    case step_kind::map:
      return;  // the index, which the host looks at
    default:
      return n.is_of_training(s) ? compare_gradient_step(to, p, n, s, memory)
                                 : compare_ptv3_step(to, p, n, s);
  }
}

struct known_facts {
  std::uint64_t of[fact_count];
};

__global__ void write_facts(known_facts facts, std::uint64_t* to) { to[threadIdx.x] = facts.of[threadIdx.x]; }

__global__ __launch_bounds__(comparing_threads) void copy_elements(const std::uint16_t* from,
                                                                   std::uint16_t* to, long long count) {
  const long long i = blockIdx.x * static_cast<long long>(comparing_threads) + threadIdx.x;
  if (i < count) to[i] = from[i];
}

__global__ __launch_bounds__(comparing_threads) void count_differing(const std::uint16_t* again,
                                                                     const std::uint16_t* before,
                                                                     long long count, std::uint64_t* facts) {
  const long long i = blockIdx.x * static_cast<long long>(comparing_threads) + threadIdx.x;
  const bool is_there = i < count;
  if (is_there && again[i] != before[i])
    atomicAdd(reinterpret_cast<unsigned long long*>(facts + differing_words), 1ull);
  const double seen = is_there ? number_at(before, i) : 0, change = is_there ? number_at(again, i) - seen : 0;
  const double changes = dense_layers::sum_of_warp(change * change),
               squares = dense_layers::sum_of_warp(seen * seen);
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(reinterpret_cast<double*>(facts + squared_change), changes);
  atomicAdd(reinterpret_cast<double*>(facts + squared_output), squares);
}

/// Times that the host waits in a pass as the problem wants it.
int waits_of(const problem& p, const network& n) {
  return p.host == host_role::published ? published_waits(n) : p.host == host_role::once ? 1 : 0;
}

known_facts facts_of(const launcher& to, const problem& p, const network& n, const switches& by) {
  // What a library launches is known on a GPU only.
  launcher described =
      to.only_describes() ? launcher::describing(to.device()) : launcher::describing_libraries(to.device());
  forward(described, p, by);
  known_facts facts{};
  facts.of[launches] = described.described().size();
  facts.of[host_waits] = static_cast<std::uint64_t>(waits_of(p, n));
  facts.of[arena_bytes] = static_cast<std::uint64_t>(n.arena_bytes);
  facts.of[live_bytes] = static_cast<std::uint64_t>(max_live_bytes(n.tensors));
  facts.of[index_bytes] = static_cast<std::uint64_t>(n.index.bytes);
  facts.of[weight_bytes] = static_cast<std::uint64_t>(n.weights.bytes());
  facts.of[workspace_bytes] = calls_library(n) ? cublaslt::workspace_bytes : 0;
  facts.of[form_of_layers] = static_cast<std::uint64_t>(n.form);
  facts.of[adds_by_atomics] = n.convolves_lists() || adds_gradients_by_atomics(n, by) ? 1 : 0;
  facts.of[gradient_bytes] = static_cast<std::uint64_t>(4 * n.gradients.elements);
  return facts;
}

void compare_steps(launcher& to, const checked_problem& p, const switches& by) {
  const network& n = p.steps(form_of(by));
  const long long elements = n.levels.front().real * n.out_channels;
  const dim3 blocks(blocks_for(elements, comparing_threads)), threads(comparing_threads);
  auto* const before = reinterpret_cast<std::uint16_t*>(p.yardstick);
  std::byte* const memory = p.yardstick + bytes_of_copies(p);
  std::int64_t copied = 0;
  take(copied, 2 * elements);
  launch(to, write_facts, dim3(1), dim3(fact_count), 0, facts_of(to, p, n, by), p.facts);
  launch(to, copy_elements, blocks, threads, 0, p.out, before, elements);
  if (n.trains()) copy_gradients(to, p, n, p.yardstick + copied);
  for (const step& s : n.steps) {
    if (is_index(s.kind)) continue;
    run_step(to, p, n, s, by);
    compare_step(to, p, n, s, memory);
  }
  launch(to, count_differing, blocks, threads, 0, p.out, before, elements, p.facts);
  if (n.trains()) compare_gradients(to, p, n, p.yardstick + copied);
}

}  // namespace ablate::backbone
