// What is right for the gradients that only PTv3 has, by plain fp64 arithmetic on the step's own inputs: of
// slots from their rows, of rows from all slots that take them, which are looked for where the kernels
// compute them; of convolutions by the table for rows, by the lists for weights. Nothing here is measured.
#include "kernels/network/parts.h"
#include "kernels/ptv3/parts.h"
#include "kernels/ptv3/window_rows.cuh"
#include "kernels/training/gradient_parts.h"
#include "oracles/backbone/compare_elements.cuh"
#include "oracles/backbone/step_checks.h"
#include "oracles/backbone/summed_products.cuh"

namespace ablate::backbone {

using dense_layers::bf16_rounding;
using dense_layers::judged;
using dense_layers::number_at;

struct slot_gradients {
  const std::uint16_t *in, *out;
  window_rows windows;
  long long elements;
  int channels;

  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    const long long slot = i / channels, row = windows.row_of_slot[slot];
    return windows.slot_of_row[row] == slot ? exactly(number_at(in, row * channels + i % channels))
                                            : nothing();
  }
};

/// Of Q, K and V. A row is in its own slot and perhaps in the one a window later, if that takes it.
struct slotted_gradients {
  const std::uint16_t *in, *out;
  window_rows windows;
  long long elements;
  int channels;  ///< of a third

  __device__ double at(long long third, long long slot, long long column) const {
    return number_at(in, (third * windows.slots + slot) * channels + column);
  }
  __device__ double seen(long long i) const { return number_at(out, i); }
  __device__ judged right(long long i) const {
    const long long row = i / (3 * channels), third = i / channels % 3, column = i % channels;
    const long long slot = windows.slot_of_row[row], behind = slot + windows.window;
    const double own = at(third, slot, column);
    if (behind >= windows.slots || windows.row_of_slot[behind] != row) return exactly(own);
    const double more = at(third, behind, column);
    return {own + more, 1.01 * bf16_rounding(own + more)};
  }
};

struct convolved_gradients {
  sparse_conv::problem conv;
  long long elements;
  int channels;

  __device__ double seen(long long i) const { return number_at(conv.x_gradient, i); }
  __device__ judged right(long long i) const {
    const long long row = i / channels, in = i % channels;
    summed_products all;
    for (int q = 0; q < conv.offsets(); ++q) {
      const int out_row = conv.table[q * conv.rows + row];
      if (out_row < 0) continue;
      for (int o = 0; o < conv.out_channels; ++o)
        all.add(
            number_at(conv.out_gradient, static_cast<long long>(out_row) * conv.out_channels + o) *
            number_at(conv.weights,
                      (static_cast<long long>(o) * conv.offsets() + conv.offsets() - 1 - q) * channels + in));
    }
    return all.judge(true);
  }
};

/// Rows: an out channel's weights of all offsets.
struct weight_gradients {
  sparse_conv::problem conv;
  long long elements;
  int channels;

  __device__ double seen(long long i) const { return conv.weight_gradient_out[i]; }
  __device__ judged right(long long i) const {
    const int in = static_cast<int>(i % conv.in_channels),
              q = static_cast<int>(i / conv.in_channels % conv.offsets());
    const long long out = i / channels;
    summed_products all;
    for (int pair = conv.ends[q]; pair < conv.ends[q + 1]; ++pair)
      all.add(number_at(conv.out_gradient,
                        static_cast<long long>(conv.out_rows[pair]) * conv.out_channels + out) *
              number_at(conv.x, static_cast<long long>(conv.in_rows[pair]) * conv.in_channels + in));
    return all.judge(false);
  }
};

struct bias_gradients {
  sparse_conv::problem conv;
  long long elements;
  int channels;

  __device__ double seen(long long i) const { return conv.bias_gradient[i]; }
  __device__ judged right(long long i) const {
    summed_products all;
    for (long long row = 0; row < conv.rows; ++row)
      all.add(number_at(conv.out_gradient, row * conv.out_channels + i));
    return all.judge(false);
  }
};

namespace {

void compare_convolution_gradient(launcher& to, const sparse_conv::problem& conv,
                                  dense_layers::comparison* found) {
  const int weights_of_row = conv.offsets() * conv.in_channels;
  compare_rows(to, weight_gradients{conv, conv.weight_count(), weights_of_row}, found + convolution_weights);
  if (conv.has_bias)
    compare_more_rows(to, bias_gradients{conv, conv.out_channels, conv.out_channels},
                      found + convolution_bias);
  if (conv.input_gradient)
    compare_more_rows(to, convolved_gradients{conv, conv.rows * conv.in_channels, conv.in_channels},
                      found + convolution_rows);
}

}  // namespace

void compare_ptv3_gradient(launcher& to, const checked_problem& p, const network& n, const step& s) {
  dense_layers::comparison* const found = p.found + (&s - n.steps.data()) * comparisons_of_step;
  const level& of = n.level_at(s.level);
  if (s.kind == step_kind::convolution_gradient)
    return compare_convolution_gradient(to, convolution_gradient_of(p, n, s), found);
  if (s.kind == step_kind::from_windows_gradient)
    return compare_rows(to,
                        slot_gradients{rows_at(p, n, s.in), rows_at(p, n, s.out), window_rows_of(p, n, s),
                                       of.slots * s.channels, s.channels},
                        found);
  compare_rows(to,
               slotted_gradients{rows_at(p, n, s.in), rows_at(p, n, s.out), window_rows_of(p, n, s),
                                 3 * of.rows * s.channels, s.channels},
               found);
}

}  // namespace ablate::backbone
