// Gradients of rows that are alike, as padding of a window is. A right implementation in bf16 rounds them
// alike, so that its sums over rows are off by more than roundings that are independent make: it has to be
// accepted, emulated here on the steps of a whole backbone, most of whose rows are padding. Faults have to be
// found beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/dense_layers/activation.h"
#include "kernels/linear/exact.h"
#include "kernels/mlp/exact.h"
#include "kernels/window_attention_backward/window_attention_backward.h"
#include "tests/kernels/backbone/flash_pass.h"

namespace ablate::backbone::alike_rows_test {
namespace {

using dense_layers::judged;
using dense_layers::row_product_sum;
using numbers = std::vector<double>;

double bf16_rounded(double x) {
  return static_cast<double>(float_of_bf16(bf16_of_float(static_cast<float>(x))));
}
double bf16_number(std::uint16_t bits) { return static_cast<double>(float_of_bf16(bits)); }

/// In parts of what is accepted.
double error_of(double seen, const judged& right) {
  return std::abs(seen - right.expected) / right.tolerance;
}

/// Both factors of a weight's gradient, [rows][columns]: as they are, and as they are multiplied.
struct factor {
  std::size_t columns;
  numbers exact = {}, multiplied = {};

  /// A bias's column of ones behind the last.
  double at(const numbers& of, std::size_t row, std::size_t column) const {
    return column == columns ? 1 : of[row * columns + column];
  }
};

using judge_of_sums = judged (*)(const row_product_sum&);

/// leftᵀ · right over the rows, of which those behind the real ones are padding.
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

  /// The greatest error of an element, and ‖seen − right‖ / ‖right‖.
  struct errors {
    double worst = 0, relative = 0;
  };
  errors found() const {
    errors all;
    double squared_errors = 0, squares = 0;
    for (std::size_t o = 0; o < outputs(); ++o)
      for (std::size_t i = 0; i < inputs(); ++i) {
        const judged right = judge(sums(o, i));
        const double x = seen(o, i);
        all.worst = std::max(all.worst, error_of(x, right));
        squared_errors += (x - right.expected) * (x - right.expected);
        squares += right.expected * right.expected;
      }
    all.relative = std::sqrt(squared_errors / squares);
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

/// Gradients of an MLP's layers as a variant makes them: act(Z), LN(X) and dZ in bf16 and, where that has a
/// launch of its own, dH as well.
struct mlp_gradients {
  std::string name;
  weight_gradient first, second;

  mlp_gradients(const problem& p, const network& n, const step& s, const std::vector<numbers>& tensors,
                bool rounds_hidden)
      : name(s.name),
        first(sizes_of(n, s, n.layer_at(s.layer), mlp::exact_first_gradient)),
        second(sizes_of(n, s, n.layer_at(s.second), mlp::exact_second_gradient)) {
    take_gradients(p, n, s, tensors, rounds_hidden);
    take_normed(p, n, s, tensors[static_cast<std::size_t>(s.kept)]);
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
        const double y = (x[begin + i] - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(gamma[i]) +
                         static_cast<double>(gamma[c + i]);
        first.right.exact.push_back(y);
        first.right.multiplied.push_back(bf16_rounded(y));
      }
    }
  }
};

/// 300 points in windows of 256: of 19 rows at the last level 237 more are padding.
flash_pass mostly_padding() {
  window_shape shape = small_windows;
  shape.align = alignment::window;
  flash_pass pass(network_of(model_of("small"), {300}, shape, layer_form::library, pass_kind::training));
  make_index(pass.on_host(), *pass.steps);
  return pass;
}

void see_mlps(const std::function<void(const mlp_gradients&)>& see, const std::string& name = "") {
  flash_pass pass = mostly_padding();
  const problem p = pass.on_host();
  reference_pass(p, *pass.steps, rounding::bf16, [&](const step& s, const std::vector<numbers>& tensors) {
    if (s.kind != step_kind::mlp_gradient || s.name.find(name) == std::string::npos) return;
    for (const bool rounds_hidden : {false, true})
      see(mlp_gradients(p, *pass.steps, s, tensors, rounds_hidden));
  });
}

TEST(AlikeRows, ARightMlpIsAccepted) {
  see_mlps([](const mlp_gradients& of) {
    for (const weight_gradient* one : {&of.first, &of.second}) {
      const weight_gradient::errors found = one->found();
      EXPECT_LT(found.worst, 0.7) << of.name;
      EXPECT_LT(found.relative, dense_layers::accepted_of_gradients) << of.name;
    }
  });
}

/// What was accepted when all roundings were taken for independent ones.
TEST(AlikeRows, IndependentRoundingsDoNotExplainIt) {
  const auto beyond = [](const weight_gradient& of, double accepted) {
    int elements = 0;
    for (std::size_t o = 0; o < of.outputs(); ++o)
      for (std::size_t i = 0; i < of.inputs(); ++i) {
        const row_product_sum sums = of.sums(o, i);
        elements += std::abs(of.seen(o, i) - sums.sum) > accepted * std::sqrt(sums.squares);
      }
    return elements;
  };
  see_mlps(
      [&](const mlp_gradients& of) {
        using namespace dense_layers;
        const int first = beyond(of.first, accepted_of_row_products + mlp::accepted_of_first_gradient),
                  second = beyond(of.second, accepted_of_row_products + accepted_of_rounded_factor);
        EXPECT_GT(first, 0);
        EXPECT_LT(first, 200);
        EXPECT_GT(second, 0);
        EXPECT_LT(second, 200);
      },
      "encoder.4.0");
}

TEST(AlikeRows, ARealRowThatIsMissingIsFound) {
  see_mlps(
      [](const mlp_gradients& of) {
        for (const weight_gradient* one : {&of.first, &of.second})
          for (std::size_t row = 0; row < one->real; ++row)
            EXPECT_TRUE(one->finds_missing(row, row + 1)) << "row " << row;
      },
      "encoder.4.0");
}

TEST(AlikeRows, ATileOfPaddingThatIsMissingIsFound) {
  see_mlps(
      [](const mlp_gradients& of) {
        for (const weight_gradient* one : {&of.first, &of.second})
          EXPECT_TRUE(one->finds_missing(one->rows - 32, one->rows));
      },
      "encoder.4.0");
}

TEST(AlikeRows, AnElementOfItsNeighborIsFound) {
  see_mlps(
      [](const mlp_gradients& of) {
        int found = 0, all = 0;
        for (const weight_gradient* one : {&of.first, &of.second})
          for (std::size_t o = 0; o < one->outputs(); o += 7, ++all)
            found += error_of(one->seen(o, o % 32 + 1), one->judge(one->sums(o, o % 32))) > 1;
        EXPECT_GT(found, 9 * all / 10);
      },
      "encoder.4.0");
}

TEST(AlikeRows, ALayerOfTheOtherSignIsFound) {
  see_mlps([](const mlp_gradients& of) {
    for (const weight_gradient* one : {&of.first, &of.second}) {
      int found = 0, all = 0;
      for (std::size_t o = 0; o < one->outputs(); ++o, ++all)
        found += error_of(-one->seen(o, 5), one->judge(one->sums(o, 5))) > 1;
      EXPECT_GT(found, 9 * all / 10) << of.name;
    }
  });
}

/// Sums of numbers that tensor cores truncate at each 16th row, all of one sign.
TEST(AlikeRows, TruncatedSumsAreAccepted) {
  constexpr std::int64_t rows = 98'304;
  for (const double factor : {1.0 / 3, 0.7, 0.99}) {
    row_product_sum right;
    float seen = 0;
    for (std::int64_t row = 0; row < rows; row += 16) {
      double block = 0;
      for (int i = 0; i < 16; ++i) {
        right.add(bf16_rounded(factor), bf16_rounded(1.1), row >= rows / 2);
        block += bf16_rounded(factor) * bf16_rounded(1.1);
      }
      const double exact = static_cast<double>(seen) + block;
      seen = static_cast<float>(exact);
      if (static_cast<double>(seen) > exact) seen = std::nextafter(seen, 0.0f);
    }
    const double error = error_of(static_cast<double>(seen), linear::exact_weight_gradient(right));
    EXPECT_GT(error, 0);
    EXPECT_LT(error, 1);
  }
}

/// A row of padding and a row whose gradient is not its own.
TEST(AlikeRows, RowsOfALinearLayerThatAreMissingAreFound) {
  const std::vector<float> x = drawn(4096, "x"), gradient = drawn(4096, "gradient");
  row_product_sum right;
  double real = 0;
  for (std::size_t row = 0; row < 4096; ++row) {
    const bool is_alike = row >= 3072;
    const std::size_t at = is_alike ? 3072 : row;
    const double l = bf16_rounded(static_cast<double>(gradient[at])),
                 r = bf16_rounded(static_cast<double>(x[at]));
    right.add(l, r, is_alike);
    if (!is_alike) real = std::max(real, std::abs(l * r));
  }
  const judged of = linear::exact_weight_gradient(right);
  EXPECT_LT(error_of(right.sum, of), 1e-6);
  EXPECT_GT(error_of(right.sum - real, of), 1);
  EXPECT_GT(error_of(right.sum - 8 * gradient[3072] * x[3072], of), 1);
}

/// dQ of a window whose values are all alike, in whole precision 0, and in fp32 the rounding of Σ dO · v − Δ.
TEST(AlikeRows, RowsNearZeroAreComparedWithTheTensor) {
  namespace backward = window_attention_backward;
  constexpr int width = 16, rows = 256;
  const std::vector<float> value = drawn(width, "value"), gradient = drawn(width, "gradient"),
                           others = drawn(rows, "others");
  float product = 0, delta = 0;
  for (int d = 0; d < width; ++d) product = std::fma(gradient[d], value[d], product);
  for (int d = width - 1; d >= 0; --d) delta += gradient[d] * value[d];
  const double rounding_noise = std::max<double>(std::abs(product - delta), 0x1p-24) / 16;
  double squares = 0;
  for (const float other : others) squares += static_cast<double>(other) * other / 100;
  const double least = backward::least_scale(squares, rows + 1), typical = std::sqrt(squares / rows);
  EXPECT_LT(rounding_noise / least, backward::accepted_row_error);
  EXPECT_GT(1e-3 * typical / least, backward::accepted_row_error);
  EXPECT_GT(1e-4 * typical / least, backward::accepted_row_error);
  // A tensor of zeros is zero.
  EXPECT_EQ(backward::least_scale(0, rows), 0);
}

}  // namespace
}  // namespace ablate::backbone::alike_rows_test
