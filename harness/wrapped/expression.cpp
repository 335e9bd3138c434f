#include "harness/wrapped/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <utility>

#include "reports/text/names.h"

namespace ablate::wrapped {

/// A number, an axis, or an operator over two parts.
struct expression::node {
  enum class kind { number, axis, sum, difference, product, quotient, remainder, minimum, maximum, ceil_div };

  kind is = kind::number;
  std::int64_t value = 0;
  std::string axis = {};
  std::shared_ptr<const node> left = {}, right = {};
};

namespace {

using node = expression::node;
using part = std::shared_ptr<const node>;
using kind = node::kind;

// Deeper nesting is no launch's, and would take the stack.
constexpr int most_levels = 64;

part over(kind is, part left, part right) {
  return std::make_shared<const node>(node{is, 0, {}, std::move(left), std::move(right)});
}

class expression_reader {
 public:
  expression_reader(std::string_view text, const std::vector<std::string>& axes) : text_(text), axes_(axes) {}

  part read() {
    part whole = sum();
    skip_blanks();
    if (at_ < text_.size()) refuse("expected an operator or the end");
    return whole;
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

  part sum() {
    part out = product();
    for (;;)
      if (take('+'))
        out = over(kind::sum, std::move(out), product());
      else if (take('-'))
        out = over(kind::difference, std::move(out), product());
      else
        return out;
  }

  part product() {
    part out = factor();
    for (;;)
      if (take('*'))
        out = over(kind::product, std::move(out), factor());
      else if (take('/'))
        out = over(kind::quotient, std::move(out), factor());
      else if (take('%'))
        out = over(kind::remainder, std::move(out), factor());
      else
        return out;
  }

  part factor() {
    if (++levels_ > most_levels) refuse(fmt::format("expected at most {} levels", most_levels));
    part out;
    skip_blanks();
    if (take('(')) {
      out = sum();
      require(')');
    } else if (take('-')) {
      out = over(kind::difference, std::make_shared<const node>(), factor());
    } else if (at_ < text_.size() && is_digit(text_[at_])) {
      out = number();
    } else {
      out = name();
    }
    --levels_;
    return out;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  part number() {
    std::int64_t value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [rest, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc()) refuse("expected an integer of 63 bits");
    at_ = static_cast<std::size_t>(rest - text_.data());
    return std::make_shared<const node>(node{kind::number, value, {}, {}, {}});
  }

  part name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || (at_ > begin && is_digit(text_[at_])))) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word.empty()) refuse("expected a number, the name of an axis or '('");
    for (const auto& [function, is] : {std::pair{"min", kind::minimum}, std::pair{"max", kind::maximum},
                                       std::pair{"ceil_div", kind::ceil_div}})
      if (word == function && take('(')) return call(is);
    if (std::ranges::find(axes_, word) != axes_.end())
      return std::make_shared<const node>(node{kind::axis, 0, word, {}, {}});
    at_ = begin;
    refuse(axes_.empty() ? fmt::format("'{}' is no number, and there is no axis of integers", word)
                         : no_such("axis of integers", word, axes_));
  }

  part call(kind is) {
    part left = sum();
    require(',');
    part right = sum();
    require(')');
    return over(is, std::move(left), std::move(right));
  }

  std::string_view text_;
  const std::vector<std::string>& axes_;
  std::size_t at_ = 0;
  int levels_ = 0;
};

std::int64_t value_of(const node& of, const axis_values& at);

std::int64_t combined(const node& of, std::int64_t left, std::int64_t right) {
  std::int64_t out = 0;
  const auto exact = [&out](bool overflows) {
    if (overflows) throw expression_error("a number beyond 63 bits");
    return out;
  };
  switch (of.is) {
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
  if (of.is == kind::remainder) return left % right;
  const std::int64_t quotient = left / right;
  return of.is == kind::ceil_div && left % right != 0 && (left < 0) == (right < 0) ? quotient + 1 : quotient;
}

std::int64_t value_of(const node& of, const axis_values& at) {
  if (of.is == kind::number) return of.value;
  if (of.is == kind::axis) return at.integer(of.axis);
  return combined(of, value_of(*of.left, at), value_of(*of.right, at));
}

}  // namespace

expression::expression(std::string_view text, const std::vector<std::string>& axes)
    : root_(expression_reader(text, axes).read()) {}

expression expression::constant(std::int64_t value) {
  return expression(std::make_shared<const node>(node{node::kind::number, value, {}, {}, {}}));
}

std::int64_t expression::at(const axis_values& axes) const { return value_of(*root_, axes); }

}  // namespace ablate::wrapped
