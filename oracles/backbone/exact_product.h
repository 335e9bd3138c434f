#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ablate::backbone {

/// Numbers at `at[row · down + column · across]`.
struct strided_matrix {
  const double* at;
  std::size_t down, across;

  double operator()(std::size_t row, std::size_t column) const { return at[row * down + column * across]; }
};

/// c += a · b in fp64: c [rows][columns], a [rows][inner], b [inner][columns]. Each element adds up its
/// products one after another, from what it was, as a naive loop does; only which element comes next is
/// chosen for speed. c is neither a nor b.
void add_product(double* c, std::size_t rows, std::size_t columns, std::size_t inner, strided_matrix a,
                 strided_matrix b);

/// Rows of a matrix whose rows begin `pitch` elements apart, one after another: [rows][width].
std::vector<double> picked_rows(const double* from, std::size_t pitch, std::size_t width,
                                std::span<const std::size_t> rows);

/// Queries whose scores against a window's keys are computed together: what these take stays in a cache.
constexpr std::size_t queries_at_once = 32;

}  // namespace ablate::backbone
