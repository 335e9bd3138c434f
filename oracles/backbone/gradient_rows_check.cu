// What gradient_rows.cu leaves, and means of clusters in training, against plain arithmetic. Nothing here is
// measured.
#include <cuda_fp16.h>

#include "kernels/network/parts.h"
#include "kernels/ptv3/parts.h"
#include "kernels/training/gradient_parts.h"
#include "oracles/backbone/compare_elements.cuh"
#include "oracles/backbone/step_checks.h"
#include "oracles/common/dense/exact.h"

namespace ablate::backbone {

using dense_layers::bf16_rounding;
using dense_layers::judged;
using dense_layers::number_at;

/// An fp32 sum or mean of a few numbers, rounded once.
__device__ inline judged once_rounded(double expected, double terms) {
  return {expected, 1.01 * bf16_rounding(expected) + 0x1p-21 * terms};
}

/// Σ, the mean or, where it has `selects`, the maximum of each cluster's rows.
struct clustered_rows {
  const std::uint16_t *in, *out;
  const std::uint32_t *start, *member;
  long long rows, elements;
  int channels;
  bool averages, selects;

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    const long long row = i / channels;
    if (row >= rows) return nothing();
    double sum = 0, terms = 0, greatest = -INFINITY;
    for (unsigned k = start[row]; k < start[row + 1]; ++k) {
      const double x = number_at(in, static_cast<long long>(member[k]) * channels + i % channels);
      sum += x;
      terms += fabs(x);
      greatest = fmax(greatest, x);
    }
    if (selects) return exactly(greatest);
    return once_rounded(averages ? sum / (start[row + 1] - start[row]) : sum, terms);
  }
};

/// Each row's share of its cluster's gradient.
struct shared_gradients {
  const std::uint16_t *in, *out;
  const std::uint32_t *start, *cluster;
  long long real, elements;
  int channels;

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    const long long row = i / channels;
    if (row >= real) return nothing();
    const unsigned of = cluster[row];
    const double share =
        number_at(in, static_cast<long long>(of) * channels + i % channels) / (start[of + 1] - start[of]);
    return once_rounded(share, fabs(share));
  }
};

/// Of a maximum: all of it for the first of the greatest rows.
struct won_gradients {
  const std::uint16_t *in, *out, *features;
  const std::uint32_t *start, *member, *cluster;
  long long real, elements;
  int channels;

  __device__ double feature(unsigned row, int channel) const {
    return number_at(features, static_cast<long long>(row) * channels + channel);
  }
  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    const long long row = i / channels;
    const int channel = static_cast<int>(i % channels);
    if (row >= real) return nothing();
    const unsigned of = cluster[row];
    unsigned winner = member[start[of]];
    for (unsigned k = start[of] + 1; k < start[of + 1]; ++k)
      if (feature(member[k], channel) > feature(winner, channel)) winner = member[k];
    return winner == row ? exactly(number_at(in, static_cast<long long>(of) * channels + channel))
                         : nothing();
  }
};

struct gathered_gradients {
  const std::uint16_t *in, *out;
  const std::uint32_t* source;
  long long real, elements;
  int channels;

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    const long long row = i / channels;
    if (row >= real) return nothing();
    return exactly(number_at(in, static_cast<long long>(source[row]) * channels + i % channels));
  }
};

/// Rows are x, y, z and the bias.
struct embedding_gradients {
  const std::uint16_t* gradient;
  const __half* coordinates;
  const float *matrix, *bias;
  long long real, rows, elements;
  int channels;

  __device__ double seen(long long i) const {
    const int which = static_cast<int>(i / channels), channel = static_cast<int>(i % channels);
    return which == 3 ? bias[channel] : matrix[3 * channel + which];
  }
  __device__ judged right(long long i) const {
    const int which = static_cast<int>(i / channels), channel = static_cast<int>(i % channels);
    dense_layers::row_product_sum sum;
    for (long long row = 0; row < (which == 3 ? rows : real); ++row)
      sum.add(number_at(gradient, row * channels + channel),
              which == 3 ? 1 : static_cast<double>(__half2float(coordinates[3 * row + which])), row >= real);
    return {sum.sum, sum.tolerance(dense_layers::accepted_of_row_products, 0)};
  }
};

void compare_rows_gradient(launcher& to, const checked_problem& p, const network& n, const step& s) {
  dense_layers::comparison* const found = p.found + (&s - n.steps.data()) * comparisons_of_step;
  const int c = s.channels;
  const level& of = n.level_at(s.level);
  switch (s.kind) {
    case step_kind::restore_gradient:
      return compare_rows(to,
                          gathered_gradients{rows_at(p, n, s.in), rows_at(p, n, s.out), source_of(p, n),
                                             of.real, of.rows * c, c},
                          found);
    case step_kind::embed_gradient:
      return compare_rows(
          to,
          embedding_gradients{rows_at(p, n, s.in), reinterpret_cast<const __half*>(coordinates_of(p, n, 0)),
                              matrix_gradient_at(p, n, s.layer), vector_gradient_at(p, n, s.layer), of.real,
                              of.rows, 4ll * c, c},
          found);
    case step_kind::pool_gradient: {
      const pool::problem pooling = pooling_of(p, n, s);
      if (pooling.selects())
        return compare_rows(
            to,
            won_gradients{rows_at(p, n, s.in), rows_at(p, n, s.out), pooling.features, pooling.start,
                          pooling.member, pooling.cluster, of.real, of.rows * c, c},
            found);
      return compare_rows(to,
                          shared_gradients{rows_at(p, n, s.in), rows_at(p, n, s.out), pooling.start,
                                           pooling.cluster, of.real, of.rows * c, c},
                          found);
    }
    default: {
      const pool::problem pooling = pooling_of(p, n, s);
      return compare_rows(
          to,
          clustered_rows{rows_at(p, n, s.in), rows_at(p, n, s.out), pooling.start, pooling.member,
                         pooling.rows, n.level_at(s.level + 1).rows * c, c, s.kind == step_kind::pool,
                         s.kind == step_kind::pool && pooling.selects()},
          found);
    }
  }
}

}  // namespace ablate::backbone
