#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/common/bf16.h"

// What oracles of attention compute with, in fp64.

namespace ablate {

/// The elements of a head, of a token or a block of tokens.
using head_row = std::array<double, 64>;

/// The row whose elements are of bf16: `element(d)` has the bits of one.
template <class Element>
head_row head_row_of(Element element) {
  head_row row;
  for (int d = 0; d < static_cast<int>(row.size()); ++d)
    row[static_cast<std::size_t>(d)] = float_of_bf16(element(d));
  return row;
}

/// A row of an operation's inputs, which generates the elements.
template <class Problem, class Tensor>
head_row generated_row(const Problem& p, Tensor of, std::int64_t head, std::int64_t at) {
  return head_row_of([&](int d) { return generated_bits(p, of, head, at, d); });
}

/// A finite number as bf16 holds it.
inline double rounded_to_bf16(double x) { return float_of_bf16(bf16_of(static_cast<float>(x))); }

/// Without what is not finite.
inline double finite_squared_norm(std::span<const double> row) {
  double squared = 0;
  for (const double x : row)
    if (std::isfinite(x)) squared += x * x;
  return squared;
}

}  // namespace ablate
