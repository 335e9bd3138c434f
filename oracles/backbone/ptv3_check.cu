// What is right for the steps that only PTv3 has (check.cu): convolutions, the stem's norm, rows that move,
// residuals after a norm, each by plain fp64 arithmetic on the step's own inputs. The index, which the steps
// go by, is the host's to look at. Nothing here is measured.
#include "kernels/network/parts.h"
#include "kernels/ptv3/joined_rows.h"
#include "kernels/ptv3/parts.h"
#include "oracles/backbone/compare_elements.cuh"
#include "oracles/backbone/step_checks.h"
#include "oracles/backbone/summed_products.cuh"
#include "oracles/row_norm/exact.h"

namespace ablate::backbone {

using dense_layers::bf16_rounding;
using dense_layers::judged;
using dense_layers::number_at;

struct convolved_rows {
  const std::uint16_t *x, *weights, *out;
  const std::int32_t* table;  ///< [offsets][rows]
  const float* bias;          ///< null: none
  long long rows, elements;
  int offsets, inputs, channels;

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    const long long row = i / channels;
    const int column = static_cast<int>(i % channels);
    summed_products all;
    if (bias != nullptr) all.add(bias[column]);
    for (int q = 0; q < offsets; ++q) {
      const int neighbor = table[q * rows + row];
      if (neighbor < 0) continue;
      const std::uint16_t* const from = x + static_cast<long long>(neighbor) * inputs;
      const std::uint16_t* const weight = weights + (static_cast<long long>(column) * offsets + q) * inputs;
      for (int c = 0; c < inputs; ++c) all.add(number_at(from, c) * number_at(weight, c));
    }
    return all.judge(true);
  }
};

struct batch_normed_rows {
  row_norm::problem norm;
  long long elements;
  int channels;

  __device__ double seen(long long i) const { return number_at(norm.out, i); }
  __device__ judged right(long long i) const {
    if (i >= norm.valid * channels) return nothing();
    const int c = static_cast<int>(i % channels);
    const row_norm::moments m = {norm.mean[c],
                                 1 / sqrt(norm.variance[c] + static_cast<double>(norm.epsilon()))};
    return row_norm::exact_out(norm, number_at(norm.in, i), 0, m, norm.gamma[c], norm.beta[c]);
  }
};

/// Rows of one tensor, or of some that follow each other.
struct moved_rows {
  const std::uint16_t *in, *out;
  const std::int32_t* from;
  long long rows_of_in, rows_of_out, elements;
  int channels;  ///< of each

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    const long long row = i / channels, tensor = row / rows_of_out;
    return exactly(
        number_at(in, (tensor * rows_of_in + from[row - tensor * rows_of_out]) * channels + i % channels));
  }
};

/// Of a layer norm, of the row that begins at `first`.
__device__ row_norm::moments moments_of_row(const std::uint16_t* rows, long long first, int channels) {
  double mean = 0, variance = 0;
  for (int k = 0; k < channels; ++k) mean += number_at(rows, first + k) / channels;
  for (int k = 0; k < channels; ++k) {
    const double off = number_at(rows, first + k) - mean;
    variance += off * off / channels;
  }
  return {mean, 1 / sqrt(variance + static_cast<double>(row_norm::layer_epsilon))};
}

struct normed_sums {
  const std::uint16_t *x, *y, *out;
  const float *gamma, *beta;
  long long elements;
  int channels;

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    const long long first = i / channels * channels;
    const int c = static_cast<int>(i % channels);
    const row_norm::moments m = moments_of_row(y, first, channels);
    const double scale = gamma[c] * m.inverse_deviation;
    const double residual = number_at(x, i), normed = (number_at(y, i) - m.mean) * scale;
    const double sum = residual + normed + beta[c];
    // The difference is taken in fp32: y and the mean may be far greater than it.
    const double terms =
        fabs(residual) + fabs(normed) + fabs(beta[c]) + fabs(number_at(y, i) * scale) * 0x1p-4;
    const double before = 1.2 * row_norm::accepted_of_norm * terms;
    return {sum, before + bf16_rounding(fabs(sum) + before)};
  }
};

/// A layer norm of rows as they are or, with an index, of other ones.
struct layer_normed_rows {
  const std::uint16_t *in, *out;
  const float* gamma;        ///< and after it beta
  const std::int32_t* from;  ///< null: as they are
  row_norm::problem norm;
  int channels;

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    const long long row = i / channels, first = (from == nullptr ? row : from[row]) * channels;
    const int c = static_cast<int>(i % channels);
    return row_norm::exact_out(norm, number_at(in, first + c), 0, moments_of_row(in, first, channels),
                               gamma[c], gamma[channels + c]);
  }
};

struct returned_sums {
  const std::uint16_t *x, *y, *out;
  const std::int32_t* slot_of_row;
  long long elements;
  int channels;

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    const double sum =
        number_at(x, i) +
        number_at(y, static_cast<long long>(slot_of_row[i / channels]) * channels + i % channels);
    return {sum, 1.01 * bf16_rounding(sum)};
  }
};

/// Sums and, after them, what a norm makes of these.
template <class Sums>
struct sums_and_normed {
  Sums sums;
  layer_normed_rows normed;
  long long elements;
  int channels;

  __device__ double seen(long long i) const {
    return i < sums.elements ? sums.seen(i) : normed.seen(i - sums.elements);
  }
  __device__ judged right(long long i) const {
    return i < sums.elements ? sums.right(i) : normed.right(i - sums.elements);
  }
};

void compare_entering(launcher& to, const entering_rows& v, std::int64_t rows,
                      dense_layers::comparison* found) {
  const normed_sums sums{v.x, v.y, v.sum, v.norm, v.norm + v.channels, rows * v.channels, v.channels};
  const layer_normed_rows normed{v.sum, v.normed, v.next_norm, v.row_of_slot, {}, v.channels};
  compare_rows(to, sums_and_normed<normed_sums>{sums, normed, (rows + v.slots) * v.channels, v.channels},
               found);
}

void compare_leaving(launcher& to, const leaving_rows& v, dense_layers::comparison* found) {
  const returned_sums sums{v.x, v.y, v.sum, v.slot_of_row, v.rows * v.channels, v.channels};
  const layer_normed_rows normed{v.sum, v.normed, v.next_norm, nullptr, {}, v.channels};
  compare_rows(to,
               sums_and_normed<returned_sums>{sums, normed, (v.has_norm ? 2 : 1) * sums.elements, v.channels},
               found);
}

void compare_ptv3_step(launcher& to, const checked_problem& p, const network& n, const step& s) {
  dense_layers::comparison* const found = p.found + (&s - n.steps.data()) * comparisons_of_step;
  const level& of = n.level_at(s.level);
  switch (s.kind) {
    case step_kind::convolve: {
      const sparse_conv::problem conv = convolution_of(p, n, s);
      return compare_rows(
          to,
          convolved_rows{conv.x, conv.weights, conv.y, conv.table, conv.has_bias ? conv.bias : nullptr,
                         conv.rows, conv.rows * conv.out_channels, conv.offsets(), conv.in_channels,
                         conv.out_channels},
          found);
    }
    case step_kind::batch_norm:
      return compare_rows(to, batch_normed_rows{batch_norm_of(p, n, s), of.rows * s.channels, s.channels},
                          found);
    case step_kind::into_windows:
    case step_kind::from_windows: {
      const bool is_into = s.kind == step_kind::into_windows;
      const std::int64_t in = is_into ? of.real : of.slots, out = is_into ? of.slots : of.real;
      return compare_rows(to,
                          moved_rows{rows_at(p, n, s.in), rows_at(p, n, s.out), moved_by(p, n, s), in, out,
                                     out * s.channels, s.splits ? s.channels / 3 : s.channels},
                          found);
    }
    case step_kind::enter_windows:
      return compare_entering(to, entering_of(p, n, s), of.real, found);
    case step_kind::leave_windows:
      return compare_leaving(to, leaving_of(p, n, s), found);
    default: {
      const float* const gamma = p.vectors + n.place_at(s.norm).vectors;
      return compare_rows(to,
                          normed_sums{rows_at(p, n, s.skip), rows_at(p, n, s.in), rows_at(p, n, s.out), gamma,
                                      gamma + s.channels, of.real * s.channels, s.channels},
                          found);
    }
  }
}

}  // namespace ablate::backbone
