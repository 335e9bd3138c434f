#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/registry/axis.h"

namespace ablate::wrapped {

/// A text that is no expression, or one without a value at some axes: a division by zero, an overflow.
struct expression_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An integer as a function of axes: `ceil_div(rows * columns, 256)`. Integers, names of axes, + - * / % and
/// parentheses, min(a, b), max(a, b), ceil_div(a, b); division rounds towards zero, as in C.
class expression {
 public:
  /// Throws expression_error, which names the column; also for a name that is none of `axes`.
  expression(std::string_view text, const std::vector<std::string>& axes);
  static expression constant(std::int64_t value);

  /// Throws expression_error.
  std::int64_t at(const axis_values&) const;
  /// Whether it names no axis: then it has one value, or none, at all of them.
  bool is_constant() const;

  /// A number, an axis, or an operator over the two values before it.
  struct step {
    enum class kind {
      number,
      axis,
      sum,
      difference,
      product,
      quotient,
      remainder,
      minimum,
      maximum,
      ceil_div
    };

    kind op = kind::number;
    std::int64_t value = 0;
    std::string axis = {};
  };

 private:
  explicit expression(std::vector<step> steps) : steps_(std::move(steps)) {}

  /// In postfix order: evaluated on a stack of values, so that a million terms take no deep recursion.
  std::vector<step> steps_;
};

}  // namespace ablate::wrapped
