#include "harness/wrapped/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/text/names.h"

namespace ablate::wrapped {

namespace {

using step = expression::step;
using kind = step::kind;

// Deeper nesting is no launch's, and would take the stack.
constexpr int max_levels = 64;

/// Writes the steps as it reads: an operator follows its two operands.
class expression_reader {
 public:
  expression_reader(std::string_view text, const std::vector<std::string>& axes) : text_(text), axes_(axes) {}

  std::vector<step> read() {
    sum();
    skip_blanks();
    if (at_ < text_.size()) refuse("expected an operator or the end");
    return std::move(steps_);
  }

 private:
  [[noreturn]] void refuse(const std::string& expected) const {
    throw expression_error(fmt::format("'{}', column {}: {}", text_, at_ + 1, expected));
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size()); }

  bool take(char wanted) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void require(char wanted) {
    if (!take(wanted)) refuse(fmt::format("expected '{}'", wanted));
  }

  void apply(kind op) { steps_.push_back({op}); }

  void sum() {
    product();
    for (;;)
      if (take('+'))
        product(), apply(kind::sum);
      else if (take('-'))
        product(), apply(kind::difference);
      else
        return;
  }

  void product() {
    factor();
    for (;;)
      if (take('*'))
        factor(), apply(kind::product);
      else if (take('/'))
        factor(), apply(kind::quotient);
      else if (take('%'))
        factor(), apply(kind::remainder);
      else
        return;
  }

  void factor() {
    if (++levels_ > max_levels) refuse(fmt::format("expected at most {} levels", max_levels));
    skip_blanks();
    if (take('(')) {
      sum();
      require(')');
    } else if (take('-')) {
      steps_.push_back({kind::number, 0});
      factor();
      apply(kind::difference);
    } else if (at_ < text_.size() && is_digit(text_[at_])) {
      number();
    } else {
      name();
    }
    --levels_;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  void number() {
    std::int64_t value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [rest, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc()) refuse("expected an integer of 63 bits");
    at_ = static_cast<std::size_t>(rest - text_.data());
    steps_.push_back({kind::number, value});
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || (at_ > begin && is_digit(text_[at_])))) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word.empty()) refuse("expected a number, the name of an axis or '('");
    for (const auto& [function, op] : {std::pair{"min", kind::minimum}, std::pair{"max", kind::maximum},
                                       std::pair{"ceil_div", kind::ceil_div}})
      if (word == function && take('(')) return call(op);
    if (std::ranges::find(axes_, word) != axes_.end()) {
      steps_.push_back({kind::axis, 0, word});
      return;
    }
    at_ = begin;
    refuse(axes_.empty() ? fmt::format("'{}' is no number, and there is no axis of integers", word)
                         : no_such("axis of integers", word, axes_));
  }

  void call(kind op) {
    sum();
    require(',');
    sum();
    require(')');
    apply(op);
  }

  std::string_view text_;
  const std::vector<std::string>& axes_;
  std::size_t at_ = 0;
  int levels_ = 0;
  std::vector<step> steps_;
};

std::int64_t combined(kind op, std::int64_t left, std::int64_t right) {
  std::int64_t out = 0;
  const auto exact = [&out](bool overflows) {
    if (overflows) throw expression_error("a number beyond 63 bits");
    return out;
  };
  switch (op) {
    case kind::sum:
      return exact(__builtin_add_overflow(left, right, &out));
    case kind::difference:
      return exact(__builtin_sub_overflow(left, right, &out));
    case kind::product:
      return exact(__builtin_mul_overflow(left, right, &out));
    case kind::minimum:
      return std::min(left, right);
    case kind::maximum:
      return std::max(left, right);
    default:
      break;
  }
  if (right == 0) throw expression_error("a division by zero");
  if (left == std::numeric_limits<std::int64_t>::min() && right == -1) return exact(true);
  if (op == kind::remainder) return left % right;
  const std::int64_t quotient = left / right;
  return op == kind::ceil_div && left % right != 0 && (left < 0) == (right < 0) ? quotient + 1 : quotient;
}

}  // namespace

expression::expression(std::string_view text, const std::vector<std::string>& axes)
    : steps_(expression_reader(text, axes).read()) {}

expression expression::constant(std::int64_t value) {
  return expression(std::vector<step>{{kind::number, value}});
}

bool expression::is_constant() const {
  return std::ranges::none_of(steps_, [](const step& one) { return one.op == kind::axis; });
}

std::int64_t expression::at(const axis_values& axes) const {
  std::vector<std::int64_t> values;
  for (const step& next : steps_)
    if (next.op == kind::number) {
      values.push_back(next.value);
    } else if (next.op == kind::axis) {
      values.push_back(axes.integer(next.axis));
    } else {
      const std::int64_t right = values.back();
      values.pop_back();
      values.back() = combined(next.op, values.back(), right);
    }
  return values.back();
}

}  // namespace ablate::wrapped
