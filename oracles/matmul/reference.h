#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/common/bias.h"
#include "kernels/matmul/matmul.h"

namespace ablate::matmul {

/// Root mean square of the elements of C: √k times that of a product of two uniform numbers, 1/3.
double element_rms(const problem&);

/// Row i of C, summed in fp64. Of a problem with host pointers.
std::vector<double> exact_row(const problem&, std::int64_t i);

/// The oracle: all rows, summed in fp64, into host buffers.
void reference(const problem&);

/// What is known of C, so that all of it is checked in O(m·n):
/// - every row times random weights, in blocks of columns, against A·(B·weights) in fp64 (Freivalds' check),
///   by two independent sets of weights of either sign and from 1/2 to 3/2 in size;
/// - every element of the first, the middle and the last row.
///
/// An element may be off by accepted_rounding of the norms of its row of A and its column of B. Errors of
/// different columns are independent, so a block's sum may be off by 4 roundings of the root of their
/// weighted squares, and for blocks of few columns by 12 of the largest. TF32 does not meet these bounds at k
/// of 256 and above.
///
/// At m = n = k = 4096 an element that is off by 1e-3 of element_rms is found: it moves both sums of its
/// block by more than twice the bound. Two elements of a row that are exchanged move a sum by the product of
/// their difference and that of their weights, both random: one pair in 10^6 moves neither sum beyond its
/// bound, and no exchange of columns, rows or tiles, which is one of pairs in many rows.
class known_product {
 public:
  /// Of a problem with host pointers to A and B, which must outlive this. `seed` is that of the weights.
  known_product(const problem&, std::uint64_t seed);

  struct verdict {
    std::optional<std::string> violation;  ///< the first wrong element of the first wrong row
    double max_error = 0;                  ///< greatest deviation, in parts of what is accepted there
    signed_errors signs{};                 ///< of the rows that are known element by element
  };
  verdict check(const float* c) const;

  /// ‖Δ‖ / ‖exact‖ over the rows that are known element by element.
  double relative_error(const float* c) const;

 private:
  static constexpr std::int64_t block_columns = 128;
  static constexpr std::size_t weight_sets = 2;

  std::size_t sums_of_row() const { return weight_sets * blocks_; }
  /// Of one row of n elements: [blocks][weight_sets].
  void add_weighted_sums(const float* row, double* sums) const;
  double accepted(std::int64_t row, std::int64_t column) const;
  std::string first_difference(const float* c, std::int64_t row, std::size_t block) const;

  problem problem_;
  std::size_t blocks_;
  std::vector<double> weights_;            ///< [n][weight_sets]
  std::vector<double> expected_;           ///< [m][blocks][weight_sets]
  std::vector<double> norm_of_row_;        ///< [m]: |a| of a row of A
  std::vector<double> norm_of_column_;     ///< [n]: |b| of a column of B
  std::vector<double> accepted_of_block_;  ///< [blocks][weight_sets]: for |a| = 1
  std::map<std::int64_t, std::vector<double>> exact_rows_;
};

}  // namespace ablate::matmul
