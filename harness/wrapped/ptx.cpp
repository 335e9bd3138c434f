#include "harness/wrapped/ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "base/text/bad_input.h"

namespace ablate::wrapped {

namespace {

class ptx_reader {
 public:
  ptx_reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<code_kernel> read() {
    std::vector<code_kernel> out;
    int capability = 0;
    for (std::string_view word = next(); !word.empty(); word = next()) {
      if (word == ".target") {
        capability = number_after("sm_", next());
      } else if (word == ".entry") {
        code_kernel kernel{std::string(next()), capability, {}, {}};
        if (next() == "(") kernel.parameter_bytes = parameters();
        out.push_back(std::move(kernel));
      }
    }
    return out;
  }

 private:
  [[noreturn]] void refuse(const std::string& expected) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    throw bad_input(file_, fmt::format("line {}", line), expected);
  }

  void skip_blanks_and_comments() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("//"))
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (rest.starts_with("/*"))
        at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
      else
        return;
    }
  }

  /// A name, a number, a directive with its dot, or one other character; empty at the end.
  std::string_view next() {
    skip_blanks_and_comments();
    const std::size_t begin = at_;
    const auto is_of_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             c == '$' || c == '.' || c == '%';
    };
    while (at_ < text_.size() && is_of_word(text_[at_])) ++at_;
    if (at_ == begin && at_ < text_.size()) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  int number_after(std::string_view prefix, std::string_view word) const {
    int number = 0;
    const std::string_view digits = word.substr(std::min(prefix.size(), word.size()));
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (!word.starts_with(prefix) || error != std::errc())
      refuse(fmt::format("expected '{}' and a number, found '{}'", prefix, word));
    return number;
  }

  /// From after the opening parenthesis to the closing one.
  std::vector<std::size_t> parameters() {
    std::vector<std::size_t> out;
    std::size_t bytes = 0;
    for (;;) {
      const std::string_view word = next();
      if (word.empty()) refuse("expected ')' after a kernel's parameters, the file ends: truncated");
      if (word == "," || word == ")") {
        if (bytes > 0) out.push_back(bytes);
        bytes = 0;
        if (word == ")") return out;
      } else if (word == ".align") {
        next();
      } else if (word == "[") {
        bytes *= static_cast<std::size_t>(number_after("", next()));
      } else if (bytes == 0) {
        bytes = bytes_of_type(word);
      }
    }
  }

  /// Of .u64, .f32, .b8 ...; 0 for other directives.
  static std::size_t bytes_of_type(std::string_view word) {
    if (word.size() < 3 || word[0] != '.' || std::string_view("usfb").find(word[1]) == std::string_view::npos)
      return 0;
    std::size_t bits = 0;
    const auto [end, error] = std::from_chars(word.data() + 2, word.data() + word.size(), bits);
    return error == std::errc() && end == word.data() + word.size() ? bits / 8 : 0;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<code_kernel> ptx_kernels(std::string_view text, const std::string& file) {
  return ptx_reader(text, file).read();
}

}  // namespace ablate::wrapped
