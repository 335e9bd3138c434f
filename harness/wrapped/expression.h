#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
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

  struct node;

 private:
  explicit expression(std::shared_ptr<const node> root) : root_(std::move(root)) {}

  std::shared_ptr<const node> root_;
};

}  // namespace ablate::wrapped
