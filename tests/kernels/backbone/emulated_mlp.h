// An MLP's gradients as a right implementation in bf16 makes them, emulated on a step of a whole backbone,
// and what is right for them by the arithmetic of the operation's check.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/common/dense/activation.h"
#include "oracles/mlp/exact.h"
#include "tests/kernels/backbone/host_pass.h"

namespace ablate::backbone::emulated {

using dense_layers::judged;
using dense_layers::judged_sum;
using dense_layers::product_sum;
using dense_layers::row_product_sum;
using numbers = std::vector<double>;

inline double bf16_rounded(double x) {
  return static_cast<double>(float_of_bf16(bf16_of_float(static_cast<float>(x))));
}
inline double bf16_number(std::uint16_t bits) { return static_cast<double>(float_of_bf16(bits)); }

/// In parts of what is accepted.
inline double error_of(double seen, const judged& right) {
  return std::abs(seen - right.expected) / right.tolerance;
}

/// Of a tensor's elements, as its check has them (dense_layers::comparison).
struct errors_of_sums {
  double worst = 0, squared_errors = 0, squares = 0;
  double squares_of_sums = 0;  ///< where they count for no more than they are

  void add(double seen, const judged_sum& right) {
    worst = std::max(worst, error_of(seen, right));
    squared_errors += (seen - right.expected) * (seen - right.expected);
    squares += right.size() * right.size();
    squares_of_sums += right.expected * right.expected;
  }
  double relative() const { return std::sqrt(squared_errors / squares); }
  double relative_to_sums() const { return std::sqrt(squared_errors / squares_of_sums); }
  bool is_accepted() const { return worst <= 1 && relative() <= dense_layers::accepted_of_gradients; }
};

/// Both factors of a weight's gradient, [rows][columns]: as they are, and as they are multiplied.
struct factor {
  std::size_t columns;
  numbers exact = {}, multiplied = {};

  /// A bias's column of ones after the last.
  double at(const numbers& of, std::size_t row, std::size_t column) const {
    return column == columns ? 1 : of[row * columns + column];
  }
};

using judge_of_sums = judged_sum (*)(const row_product_sum&);

/// leftᵀ · right over the rows; those past the real ones are padding.
struct weight_gradient {
  factor left, right;
  std::size_t rows, real;
  judge_of_sums judge;

  std::size_t outputs() const { return left.columns; }
  std::size_t inputs() const { return right.columns + 1; }

  double term(std::size_t row, std::size_t o, std::size_t i) const {
    return left.at(left.multiplied, row, o) * right.at(right.multiplied, row, i);
  }
  double seen(std::size_t o, std::size_t i) const {
    double sum = 0;
    for (std::size_t row = 0; row < rows; ++row) sum += term(row, o, i);
    return sum;
  }
  row_product_sum sums(std::size_t o, std::size_t i) const {
    row_product_sum all;
    for (std::size_t row = 0; row < rows; ++row)
      all.add(left.at(left.exact, row, o), right.at(right.exact, row, i), row >= real);
    return all;
  }

  errors_of_sums found() const {
    errors_of_sums all;
    for (std::size_t o = 0; o < outputs(); ++o)
      for (std::size_t i = 0; i < inputs(); ++i) all.add(seen(o, i), judge(sums(o, i)));
    return all;
  }
  /// Whether an element is beyond what is accepted where these rows are missing in all sums.
  bool finds_missing(std::size_t begin, std::size_t end) const {
    for (std::size_t o = 0; o < outputs(); ++o)
      for (std::size_t i = 0; i < inputs(); ++i) {
        double missing = 0;
        for (std::size_t row = begin; row < end; ++row) missing += term(row, o, i);
        if (error_of(seen(o, i) - missing, judge(sums(o, i))) > 1) return true;
      }
    return false;
  }
};

/// dγ and dβ, sums over the rows of dN · x̂ and of dN.
struct norm_gradient {
  std::size_t channels, rows, real;
  std::vector<judged_sum> exact = {};          ///< dN, [rows][channels]
  numbers multiplied = {}, standardized = {};  ///< dN as it is stored, and x̂

  double factor_of(int which, std::size_t at) const { return which == 0 ? standardized[at] : 1; }
  double term(int which, std::size_t row, std::size_t c) const {
    return multiplied[row * channels + c] * factor_of(which, row * channels + c);
  }
  judged_sum right(int which, std::size_t c) const {
    mlp::norm_gradient_sum sum;
    for (std::size_t row = 0; row < rows; ++row)
      sum.add(exact[row * channels + c], factor_of(which, row * channels + c), row >= real);
    return sum.right();
  }
  /// Where the sums lack a row, if any.
  errors_of_sums found(std::size_t missing = SIZE_MAX) const {
    errors_of_sums all;
    for (const int which : {0, 1})
      for (std::size_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (std::size_t row = 0; row < rows; ++row) sum += row == missing ? 0 : term(which, row, c);
        all.add(sum, right(which, c));
      }
    return all;
  }
};

/// Gradients of an MLP's layers and norm as a variant makes them: act(Z), LN(X), dZ and dN in bf16 and, where
/// that has a launch of its own, dH as well.
struct mlp_gradients {
  std::string name;
  weight_gradient first, second;
  norm_gradient norm;

  mlp_gradients(const problem& p, const network& n, const step& s, const std::vector<numbers>& tensors,
                bool rounds_hidden)
      : name(s.name),
        first(sizes_of(n, s, n.layer_at(s.layer), mlp::exact_first_gradient)),
        second(sizes_of(n, s, n.layer_at(s.second), mlp::exact_second_gradient)),
        norm{first.right.columns, first.rows, first.real} {
    take_gradients(p, n, s, tensors, rounds_hidden);
    take_normed(p, n, s, tensors[static_cast<std::size_t>(s.kept)]);
    take_normed_gradient(p.matrices + n.place_at(s.layer).matrix);
  }

 private:
  static weight_gradient sizes_of(const network& n, const step& s, const layer& of, judge_of_sums judge) {
    const level& at = n.level_at(s.level);
    return {{static_cast<std::size_t>(of.outputs)},
            {static_cast<std::size_t>(of.inputs)},
            static_cast<std::size_t>(at.rows),
            static_cast<std::size_t>(at.real),
            judge};
  }

  void take_gradients(const problem& p, const network& n, const step& s, const std::vector<numbers>& tensors,
                      bool rounds_hidden) {
    const numbers &gradient = tensors[static_cast<std::size_t>(s.in)],
                  &z = tensors[static_cast<std::size_t>(s.written)];
    const std::size_t h = second.right.columns, c = second.left.columns, columns = first.left.columns;
    const auto kind = n.of.gates_mlps() ? mlp::kind::swiglu : mlp::kind::gelu;
    second.left.exact = second.left.multiplied = gradient;
    first.left.exact.resize(z.size());
    first.left.multiplied.resize(z.size());
    for (std::size_t row = 0; row < first.rows; ++row)
      for (std::size_t j = 0; j < h; ++j) {
        double of_hidden = 0;
        for (std::size_t o = 0; o < c; ++o)
          of_hidden +=
              gradient[row * c + o] *
              bf16_number(p.matrices[n.place_at(s.second).matrix + static_cast<std::int64_t>(o * h + j)]);
        const double of_bf16 = rounds_hidden ? bf16_rounded(of_hidden) : of_hidden;
        const double both[2] = {z[row * columns + j], columns > h ? z[row * columns + h + j] : 0};
        const double hidden = mlp::hidden_of(kind, both);
        second.right.exact.push_back(static_cast<double>(static_cast<float>(hidden)));
        second.right.multiplied.push_back(bf16_rounded(hidden));
        for (std::size_t part = 0; part < columns / h; ++part) {
          const std::size_t at = row * columns + part * h + j;
          const int which = static_cast<int>(part);
          first.left.exact[at] = mlp::exact_z_gradient(kind, which, of_hidden, both);
          first.left.multiplied[at] = bf16_rounded(mlp::exact_z_gradient(kind, which, of_bf16, both));
        }
      }
  }

  void take_normed(const problem& p, const network& n, const step& s, const numbers& x) {
    const std::size_t c = first.right.columns;
    const float* const gamma = p.vectors + n.place_at(s.norm).vectors;
    for (std::size_t begin = 0; begin < x.size(); begin += c) {
      double mean = 0, variance = 0;
      for (std::size_t i = 0; i < c; ++i) mean += x[begin + i] / static_cast<double>(c);
      for (std::size_t i = 0; i < c; ++i)
        variance += std::pow(x[begin + i] - mean, 2) / static_cast<double>(c);
      for (std::size_t i = 0; i < c; ++i) {
        norm.standardized.push_back((x[begin + i] - mean) / std::sqrt(variance + 1e-5));
        const double y =
            norm.standardized.back() * static_cast<double>(gamma[i]) + static_cast<double>(gamma[c + i]);
        first.right.exact.push_back(y);
        first.right.multiplied.push_back(bf16_rounded(y));
      }
    }
  }

  void take_normed_gradient(const std::uint16_t* weight) {
    const std::size_t c = norm.channels, columns = first.left.columns;
    for (std::size_t row = 0; row < norm.rows; ++row)
      for (std::size_t i = 0; i < c; ++i) {
        product_sum sums;
        double seen = 0;
        for (std::size_t o = 0; o < columns; ++o) {
          const double w = bf16_number(weight[o * c + i]);
          sums.add(first.left.exact[row * columns + o], w);
          seen += first.left.multiplied[row * columns + o] * w;
        }
        norm.exact.push_back(mlp::exact_normed_gradient(sums));
        norm.multiplied.push_back(bf16_rounded(seen));
      }
  }
};

}  // namespace ablate::backbone::emulated
