#include <algorithm>
#include <cmath>

#include "oracles/block_pooling/reference.h"
#include "oracles/common/head_row.h"

namespace ablate::block_pooling {

patch patch_of(std::int64_t token) {
  const std::int64_t block = token % tokens_of_image / patch_block, inside = token % patch_block;
  return {block % columns_of_blocks * 4 + inside % 4, block / columns_of_blocks * 4 + inside / 4};
}

patch patch_of_block(const problem& p, std::int64_t block) {
  patch sum{};
  for (std::int64_t token = block * p.block; token < (block + 1) * p.block; ++token) {
    sum.column += patch_of(token).column;
    sum.row += patch_of(token).row;
  }
  return {sum.column / p.block, sum.row / p.block};
}

row generated_row(const checked_problem& p, int which, std::int64_t head, std::int64_t token) {
  return ablate::generated_row(p, static_cast<tensor>(which), head, token);
}

double greatest_finite(const row& values) {
  double greatest = 0;
  for (const double x : values)
    if (std::isfinite(x)) greatest = std::max(greatest, std::abs(x));
  return greatest;
}

row rotated(const row& y, const patch& at, int direction) {
  row out;
  for (std::size_t half = 0; half < 2; ++half)
    for (std::size_t i = 0; i < angles; ++i) {
      const double angle = direction * static_cast<double>(half == 0 ? at.row : at.column) *
                           std::pow(100, -static_cast<double>(i) / angles);
      const std::size_t first = half * width / 2 + i, second = first + angles;
      out[first] = y[first] * std::cos(angle) - y[second] * std::sin(angle);
      out[second] = y[second] * std::cos(angle) + y[first] * std::sin(angle);
    }
  return out;
}

namespace {

exact_row normalized(const checked_problem& p, int which, const row& x, const patch& at) {
  double mean = 0, variance = 0;
  for (const double element : x) mean += element / width;
  for (const double element : x) variance += (element - mean) * (element - mean) / width;
  row y;
  for (std::size_t d = 0; d < width; ++d)
    y[d] = (x[d] - mean) / std::sqrt(variance + static_cast<double>(epsilon)) *
               generated_norm(p, which, 0, static_cast<int>(d)) +
           generated_norm(p, which, 1, static_cast<int>(d));
  return {rotated(y, at), accepted_of_normalized * greatest_finite(y)};
}

/// Of all tokens.
exact_row token_row(const checked_problem& p, int which, std::int64_t head, std::int64_t token) {
  const row x = generated_row(p, which, head, token);
  return which < 2 ? normalized(p, which, x, patch_of(token)) : exact_row{x, 0};
}

exact_row mean_row(const checked_problem& p, int which, std::int64_t head, std::int64_t block,
                   bool of_normalized) {
  exact_row mean{};
  row squares{};
  const token_span span = p.layout().span(block);
  for (std::int64_t token = span.first; token < span.first + span.count; ++token) {
    const exact_row one =
        of_normalized ? token_row(p, which, head, token) : exact_row{generated_row(p, which, head, token), 0};
    for (std::size_t d = 0; d < width; ++d) {
      mean.out[d] += one.out[d] / span.count;
      if (std::isfinite(one.out[d])) squares[d] += one.out[d] * one.out[d];
    }
    mean.floor = std::max(mean.floor, one.floor);
  }
  if (!of_normalized) mean.floor = accepted_of_mean * std::sqrt(greatest_finite(squares)) / span.count;
  return mean;
}

}  // namespace

exact_row reference_row(const checked_problem& p, const sampled_row& at) {
  const int which = at.of % tensors;
  if (at.of >= tensors) return token_row(p, which, at.head, at.row);
  if (which == 2 || p.mode == mode::post)
    return mean_row(p, which, at.head, at.row, which < 2 && p.writes_tokens);
  return normalized(p, which, mean_row(p, which, at.head, at.row, false).out, patch_of_block(p, at.row));
}

}  // namespace ablate::block_pooling
