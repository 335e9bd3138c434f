// The yardstick of products on the device, in fp64: sums of products and of their squares in tiles of 32 ×
// 32, each handed on to a sink, which compares it or keeps it. Nothing here is measured.
#pragma once

#include <type_traits>

#include "oracles/common/dense/compare.cuh"
#include "oracles/common/dense/exact.h"

namespace ablate::dense_layers {

constexpr int plain_tile = 32, plain_terms = 16, plain_threads = 256;

/// A product whose terms are rows says which of these may be alike: is_alike(term).
template <class Product>
concept sums_rows = requires(const Product& p) {
  p.is_alike(0ll);
};
template <class Product>
using sum_of = std::conditional_t<sums_rows<Product>, row_product_sum, product_sum>;

template <class Product>
__device__ void add_term(const Product& p, sum_of<Product>& sum, long long term, double left, double right) {
  if constexpr (sums_rows<Product>)
    sum.add(left, right, p.is_alike(term));
  else
    sum.add(left, right);
}

/// `Product`: rows, columns, terms; left(row, term); right(column, term, part) of `Product::parts` right
/// factors. `Sink`: take(row, column, sums), and finish() by all lanes of a warp.
template <class Product, class Sink>
__global__ __launch_bounds__(plain_threads) void plain_products(Product p, Sink given) {
  constexpr int parts = Product::parts, rows_of_thread = plain_tile * plain_tile / plain_threads;
  __shared__ double left[plain_terms][plain_tile + 1], right[parts][plain_terms][plain_tile + 1];
  Sink sink = given;
  const long long first_row = static_cast<long long>(blockIdx.x) * plain_tile;
  const int first_column = static_cast<int>(blockIdx.y) * plain_tile;
  const int column = static_cast<int>(threadIdx.x) % plain_tile,
            row = static_cast<int>(threadIdx.x) / plain_tile;
  sum_of<Product> sums[rows_of_thread][parts];
  for (long long first = 0; first < p.terms; first += plain_terms) {
    for (int i = static_cast<int>(threadIdx.x); i < plain_tile * plain_terms; i += plain_threads) {
      const int at = i / plain_terms, term = i % plain_terms;
      const bool is_term = first + term < p.terms;
      left[term][at] = is_term && first_row + at < p.rows ? p.left(first_row + at, first + term) : 0;
      for (int part = 0; part < parts; ++part)
        right[part][term][at] =
            is_term && first_column + at < p.columns ? p.right(first_column + at, first + term, part) : 0;
    }
    __syncthreads();
    for (int term = 0; term < plain_terms; ++term)
      for (int part = 0; part < parts; ++part)
#pragma unroll
        for (int r = 0; r < rows_of_thread; ++r)
          add_term(p, sums[r][part], first + term, left[term][row + r * (plain_tile / rows_of_thread)],
                   right[part][term][column]);
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < rows_of_thread; ++r) {
    const long long at = first_row + row + r * (plain_tile / rows_of_thread);
    if (at < p.rows && first_column + column < p.columns) sink.take(at, first_column + column, sums[r]);
  }
  sink.finish();
}
static_assert(plain_tile * plain_tile / plain_threads * (plain_threads / plain_tile) == plain_tile);

/// Compares each element. `Judge`: judge(row, column, sums), seen(row, column).
template <class Judge>
struct comparing {
  Judge judge;
  int columns;
  comparison* found;
  tally_of_errors errors = {};

  template <class Sum>
  __device__ void take(long long row, int column, const Sum* sums) {
    errors.add(row * columns + column, judge.seen(row, column), judge.judge(row, column, sums));
  }
  __device__ void finish() { errors.write(found); }
};

/// A warp: the place of the greatest error.
template <class Product, class Judge>
__global__ void describe_product(Product p, Judge judge, comparison* found) {
  if (found->elements == 0) return;
  const long long at = worst_element(*found), row = at / p.columns;
  const int column = static_cast<int>(at % p.columns);
  sum_of<Product> sums[Product::parts];
  for (long long term = threadIdx.x; term < p.terms; term += 32)
    for (int part = 0; part < Product::parts; ++part)
      add_term(p, sums[part], term, p.left(row, term), p.right(column, term, part));
  for (product_sum& sum : sums) {  // what is expected takes no more
    sum.sum = sum_of_warp(sum.sum);
    sum.squares = sum_of_warp(sum.squares);
  }
  if (threadIdx.x == 0)
    describe_worst(*found, p.columns, judge.judge(row, column, sums).expected, judge.seen(row, column));
}

template <class Product>
dim3 plain_grid(const Product& p) {
  return dim3(blocks_for(p.rows, plain_tile), blocks_for(p.columns, plain_tile));
}

template <class Product, class Judge>
void compare_product(launcher& to, const Product& p, const Judge& judge, comparison* found) {
  launch(to, plain_products<Product, comparing<Judge>>, plain_grid(p), dim3(plain_threads), 0, p,
         comparing<Judge>{judge, p.columns, found});
  launch(to, describe_product<Product, Judge>, dim3(1), dim3(32), 0, p, judge, found);
}

/// Statistics of layer norms in fp64, a warp a row: to[row] = {mean, 1 / deviation}.
void plain_moments(launcher&, const std::uint16_t* x, long long rows, int channels, double* to);

}  // namespace ablate::dense_layers
