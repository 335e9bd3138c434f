#pragma once

#include "kernels/mlp/mlp.h"
#include "oracles/common/dense/comparison.h"
#include "oracles/common/dense/made.h"

// Both layers with what their comparison needs besides, their generated inputs, and the oracle in fp64.

namespace ablate::mlp {

using dense_layers::comparison;
using dense_layers::judged;

/// What is compared.
enum class output { y, input_gradient, first_gradient, second_gradient, norm_gradient };
constexpr int output_count = 5;

/// An element that the check reads itself. Of a layer's gradient, the column past the last is the bias's;
/// of the norm's, row 0 is γ's and row 1 β's.
struct sampled_element {
  std::int32_t of;  ///< output
  std::int32_t column;
  std::int64_t row;
};

struct checked_problem : problem {
  std::int64_t alike = 0;  ///< rows at the end that may be equal, as padding rows are
  std::uint64_t seed = 1;
  float first_spread = 1, second_spread = 1;  ///< standard deviations of the weights: 1 / √C, 1 / √h

  // Scratch of the comparison.
  double* moments = nullptr;                 ///< [rows][2]: mean and 1 / deviation of the rows
  float* plain_hidden = nullptr;             ///< [rows][h]
  float* plain_z_gradient = nullptr;         ///< in the shape of Z; backward
  double* plain_rows = nullptr;              ///< [rows][2 C + plain_of_row]; backward
  const sampled_element* samples = nullptr;  ///< [sample_count]
  std::int64_t sample_count = 0;
  comparison* found = nullptr;   ///< [output_count], by the comparison
  float* sampled_out = nullptr;  ///< [sample_count], by the comparison

  bool has(output of) const { return (of == output::y) != is_backward; }
  ABLATE_ON_BOTH bool is_alike(std::int64_t row) const { return row >= rows - alike; }
  ABLATE_ON_BOTH std::int64_t rows_of(output of) const {
    return of == output::first_gradient    ? first_columns()
           : of == output::second_gradient ? channels
           : of == output::norm_gradient   ? 2
                                           : rows;
  }
  ABLATE_ON_BOTH int columns_of(output of) const {
    return of == output::first_gradient    ? channels + 1
           : of == output::second_gradient ? hidden_columns() + 1
                                           : channels;
  }
};

/// What the comparison knows of a row beside its normalized gradient, as sums of products and of their
/// squares: the means of its two terms, and by how much they may be off.
constexpr std::int64_t plain_of_row = 3;

constexpr float gamma_spread = 0.125f, beta_spread = 0.25f, bias_spread = 0.25f;

/// Z, where it is an input: of the tensors that are made, sum_gradient.
constexpr dense_layers::tensor generated_z = dense_layers::tensor::sum_gradient;

/// An element of an output by the oracle in fp64, from inputs that it makes itself. Of norm_gradient it takes
/// a pass over all rows, of rows · C · h products.
judged reference_element(const checked_problem&, const sampled_element&);

}  // namespace ablate::mlp
