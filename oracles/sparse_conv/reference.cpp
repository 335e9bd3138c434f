// The oracle in fp64. Rows of Y and dX are looked up in the lists, by bisection; what is expected on the
// device (plain.cu) goes through the table.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/common/bf16.h"
#include "oracles/sparse_conv/checked_problem.h"

namespace ablate::sparse_conv {
namespace {

/// Sums of products, element by element.
struct row_sum {
  std::vector<double> out, squares;

  explicit row_sum(int length)
      : out(static_cast<std::size_t>(length)), squares(static_cast<std::size_t>(length)) {}

  void add(std::size_t i, double a, double b) {
    out[i] += a * b;
    squares[i] += a * b * a * b;
  }
};

double element(const std::uint16_t* rows, std::int64_t row, int length, int i) {
  return static_cast<double>(float_of_bf16(rows[row * length + i]));
}

double weight(const problem& p, int out, int q, int in) {
  return static_cast<double>(
      float_of_bf16(p.weights[(static_cast<std::int64_t>(out) * p.offsets() + q) * p.in_channels + in]));
}

void add_output(const problem& p, std::int64_t row, row_sum& sum) {
  for (int q = 0; q < p.offsets(); ++q) {
    const std::int32_t *const begin = p.out_rows + p.ends[q], *const end = p.out_rows + p.ends[q + 1];
    const auto* const pair = std::lower_bound(begin, end, static_cast<std::int32_t>(row));
    if (pair == end || *pair != row) continue;
    const std::int32_t in = p.in_rows[pair - p.out_rows];
    for (int o = 0; o < p.out_channels; ++o)
      for (int c = 0; c < p.in_channels; ++c)
        sum.add(static_cast<std::size_t>(o), element(p.x, in, p.in_channels, c), weight(p, o, q, c));
  }
  for (int o = 0; p.has_bias && o < p.out_channels; ++o)
    sum.add(static_cast<std::size_t>(o), static_cast<double>(p.bias[o]), 1);
}

/// Every pair whose in row is this one: its lists are not sorted by in rows.
void add_input_gradient(const problem& p, std::int64_t row, row_sum& sum) {
  for (int q = 0; q < p.offsets(); ++q)
    for (std::int32_t pair = p.ends[q]; pair < p.ends[q + 1]; ++pair) {
      if (p.in_rows[pair] != row) continue;
      for (int o = 0; o < p.out_channels; ++o)
        for (int c = 0; c < p.in_channels; ++c)
          sum.add(static_cast<std::size_t>(c), element(p.out_gradient, p.out_rows[pair], p.out_channels, o),
                  weight(p, o, q, c));
    }
}

void add_weight_gradient(const problem& p, std::int64_t row, row_sum& sum) {
  const int o = static_cast<int>(row / p.offsets()), q = static_cast<int>(row % p.offsets());
  for (std::int32_t pair = p.ends[q]; pair < p.ends[q + 1]; ++pair)
    for (int c = 0; c < p.in_channels; ++c)
      sum.add(static_cast<std::size_t>(c), element(p.out_gradient, p.out_rows[pair], p.out_channels, o),
              element(p.x, p.in_rows[pair], p.in_channels, c));
}

void add_bias_gradient(const problem& p, row_sum& sum) {
  for (std::int64_t row = 0; row < p.rows; ++row)
    for (int o = 0; o < p.out_channels; ++o)
      sum.add(static_cast<std::size_t>(o), element(p.out_gradient, row, p.out_channels, o), 1);
}

}  // namespace

exact_row reference_row(const checked_problem& p, const sampled_row& at) {
  row_sum sum(p.length_of(at.of));
  if (at.of == y_rows)
    add_output(p, at.row, sum);
  else if (at.of == x_gradient_rows)
    add_input_gradient(p, at.row, sum);
  else if (at.of == weight_gradient_rows)
    add_weight_gradient(p, at.row, sum);
  else
    add_bias_gradient(p, sum);
  exact_row row{std::move(sum.out), {}};
  for (std::size_t i = 0; i < row.out.size(); ++i)
    row.tolerance.push_back(tolerance_of(is_bf16(at.of), row.out[i], std::sqrt(sum.squares[i])));
  return row;
}

}  // namespace ablate::sparse_conv
