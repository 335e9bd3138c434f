#pragma once

#include "kernels/row_norm/row_norm.h"
#include "oracles/common/dense/comparison.h"
#include "oracles/common/dense/made.h"

// A norm with what its comparison needs besides, its generated inputs, and the oracle in fp64.

namespace ablate::row_norm {

using dense_layers::comparison;

enum class content { unit, offset };  ///< standard normal; plus 16

/// What is compared.
enum class output { out, sum, statistics, input_gradient, branch_gradient, parameter_gradients };
constexpr int outputs = 6;

/// An element that the check reads itself.
struct sampled_element {
  std::int32_t of;  ///< output
  std::int32_t column;
  std::int64_t row;
};

struct checked_problem : problem {
  content what = content::unit;

  const sampled_element* samples = nullptr;  ///< [sample_count]
  std::int64_t sample_count = 0;
  double* plain = nullptr;       ///< scratch of the comparison: plain_bytes(problem)
  comparison* found = nullptr;   ///< [outputs], by the comparison
  float* sampled_out = nullptr;  ///< [sample_count], by the comparison

  bool has(output of) const;
  /// Rows of an output.
  ABLATE_ON_BOTH std::int64_t rows_of(output of) const {
    return of == output::statistics ? 4 : of == output::parameter_gradients ? 2 : rows;
  }
};

/// What the comparison computes of each row (statistics, and the means of the gradient's two terms) and of
/// each channel.
constexpr std::int64_t plain_of_row = 4, plain_of_channel = 9;
std::size_t plain_bytes(const problem&);

/// Inputs as they are in memory; of padding NaN.
ABLATE_ON_BOTH inline std::uint16_t generated_element(const checked_problem& p, dense_layers::tensor of,
                                                      std::int64_t at) {
  if (at >= p.valid * p.channels) return 0x7fc0;
  const std::uint16_t made = dense_layers::generated_bf16(p.seed, of, at, 1);
  return p.what == content::offset && of == dense_layers::tensor::input
             ? dense_layers::bf16_of(dense_layers::float_of_bf16(made) + 16)
             : made;
}
ABLATE_ON_BOTH inline float generated_parameter(const checked_problem& p, dense_layers::tensor of,
                                                std::int64_t channel) {
  const bool is_near_one = of == dense_layers::tensor::gamma || of == dense_layers::tensor::variance;
  return dense_layers::generated_number(p.seed, of, channel, is_near_one ? 0.125f : 0.25f,
                                        is_near_one ? 1.0f : 0.0f);
}

/// Elements of the outputs by the oracle in fp64, from inputs that it makes itself. Statistics of a channel,
/// and sums over rows, are kept for further elements of that channel.
class oracle {
 public:
  explicit oracle(const checked_problem&);
  dense_layers::judged at(const sampled_element&);

 private:
  struct channel_sums {
    double mean = 0, variance = 0;               ///< that rows are normalized by
    double batch_variance = 0;                   ///< unbiased, of batch_training
    double gradients = 0, with_normalized = 0;   ///< Σ g, Σ g · x̂
    double squares[2] = {}, magnitudes[2] = {};  ///< Σ squares and Σ |…| of what in these terms is rounded
  };
  const channel_sums& sums_of(std::int64_t channel);
  checked_problem p_;
  std::int64_t known_channel_ = -1;
  channel_sums known_;
};

}  // namespace ablate::row_norm
