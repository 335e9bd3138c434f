#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ablate::reports {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A comment of a Markdown text that begins with `q`, `quotes` or `not measured`.
struct quote_comment {
  enum class kinds { mark, defaults, not_measured };
  kinds kind;
  std::string body;        ///< after its first word
  std::size_t begin, end;  ///< in the text, with its <!-- and -->
  std::size_t shown_at;    ///< where it was in the shown text
};

/// A Markdown text without its comments.
struct marked_text {
  std::string source;
  std::string shown;
  std::vector<std::size_t> origin;  ///< of each byte of `shown`, and of its end, in `source`
  std::vector<quote_comment> comments;
  std::vector<std::size_t> unclosed;  ///< where comments begin that do not end

  std::size_t line_of(std::size_t shown_at) const;
};

/// Comments in code are code.
marked_text read_marked_text(const std::string& markdown);

/// The text that a reader sees, with nothing for each comment.
std::string without_comments(const std::string& markdown);

/// Of the same length: code, targets of links and digits of names (H200, sm_80) blank.
std::string numbers_alone(const std::string& shown);

/// Where a number is: "131 072", "3.4".
struct number_span {
  std::size_t begin, end;
  bool is_found() const { return end > begin; }
};

/// The first number of `numbers_alone` at or after `from`, before `to`.
number_span next_number(const std::string& numbers, std::size_t from, std::size_t to);

}  // namespace ablate::reports
