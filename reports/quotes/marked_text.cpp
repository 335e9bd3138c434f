#include "reports/quotes/marked_text.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace ablate::reports {
namespace {

bool is_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where code that begins at `at` with its backquotes ends; nothing if these are no code's. Fenced code goes
/// on to the end of the text where its fence is not closed, other code ends with its paragraph.
std::optional<std::size_t> end_of_code(std::string_view text, std::size_t at) {
  std::size_t many = 0;
  while (at + many < text.size() && text[at + many] == '`') ++many;
  const std::string fence(many, '`');
  const bool is_fenced = many >= 3 && (at == 0 || text[at - 1] == '\n');
  if (is_fenced) {
    const std::size_t end = text.find("\n" + fence, at + many);
    return end == text.npos ? text.size() : end + 1 + many;
  }
  const std::size_t paragraph = std::min(text.find("\n\n", at), text.size());
  for (std::size_t end = text.find(fence, at + many); end < paragraph; end = text.find(fence, end)) {
    std::size_t length = 0;
    while (end + length < text.size() && text[end + length] == '`') ++length;
    if (length == many) return end + many;
    end += length;
  }
  return std::nullopt;
}

/// The comment that begins there, of the three kinds; nothing for others.
std::optional<quote_comment> comment_of(std::string_view text, std::size_t begin, std::size_t end) {
  using kinds = quote_comment::kinds;
  for (const auto& [word, kind] :
       {std::pair<std::string_view, kinds>{"<!--quotes", kinds::defaults},
        std::pair<std::string_view, kinds>{"<!--q", kinds::mark},
        std::pair<std::string_view, kinds>{"<!--not measured", kinds::not_measured}}) {
    const std::size_t behind = begin + word.size();
    if (text.compare(begin, word.size(), word) != 0 || is_of_a_name(text[behind])) continue;
    return quote_comment{kind, std::string(text.substr(behind, end - 3 - behind)), begin, end, 0};
  }
  return std::nullopt;
}

void blank(std::string& text, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to && i < text.size(); ++i)
    if (text[i] != '\n') text[i] = '\x01';
}

bool digits_at(const std::string& text, std::size_t at, std::size_t many) {
  for (std::size_t i = at; i < at + many; ++i)
    if (i >= text.size() || !is_digit(text[i])) return false;
  return true;
}

/// Whether the number from `begin` that reaches up to `at` continues: "131 072", "3.4".
bool goes_on(const std::string& text, std::size_t begin, std::size_t at, bool has_point) {
  if (digits_at(text, at + 1, 1)) return true;
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  if (has_point) return false;
  if (next == '.') return digits_at(text, at + 2, 1);
  return next == ' ' && digits_at(text, at + 2, 3) && !digits_at(text, at + 5, 1) && (at - begin) % 4 < 3;
}

}  // namespace

std::size_t marked_text::line_of(std::size_t shown_at) const {
  const auto end = source.begin() + static_cast<std::ptrdiff_t>(origin[std::min(shown_at, shown.size())]);
  return 1 + static_cast<std::size_t>(std::count(source.begin(), end, '\n'));
}

marked_text read_marked_text(const std::string& markdown) {
  marked_text out;
  out.source = markdown;
  const auto show = [&](std::size_t from, std::size_t to) {
    for (; from < to; ++from) {
      out.shown += markdown[from];
      out.origin.push_back(from);
    }
  };
  for (std::size_t at = 0; at < markdown.size();) {
    if (markdown[at] == '`') {
      std::size_t end = at;
      if (const auto code = end_of_code(markdown, at))
        end = *code;
      else
        while (end < markdown.size() && markdown[end] == '`') ++end;
      show(at, end);
      at = end;
    } else if (markdown.compare(at, 4, "<!--") == 0) {
      const std::size_t close = markdown.find("-->", at + 4);
      if (close == markdown.npos) out.unclosed.push_back(at);
      const std::size_t end = close == markdown.npos ? markdown.size() : close + 3;
      if (auto comment = close == markdown.npos ? std::nullopt : comment_of(markdown, at, end)) {
        comment->shown_at = out.shown.size();
        out.comments.push_back(std::move(*comment));
      }
      at = end;
    } else {
      show(at, at + 1);
      ++at;
    }
  }
  out.origin.push_back(markdown.size());
  return out;
}

std::string without_comments(const std::string& markdown) { return read_marked_text(markdown).shown; }

std::string numbers_alone(const std::string& shown) {
  std::string text = shown;
  for (std::size_t at = text.find('`'); at < text.size(); at = text.find('`', at)) {
    const auto end = end_of_code(text, at);
    blank(text, at, end.value_or(at + 1));
    while (at < text.size() && text[at] == '\x01') ++at;
  }
  for (std::size_t at = text.find("]("); at < text.size(); at = text.find("](", at)) {
    const std::size_t end = text.find(')', at);
    blank(text, at, end == text.npos ? text.size() : end + 1);
  }
  for (std::size_t i = 1; i < text.size(); ++i)
    if (is_digit(text[i]) && is_of_a_name(shown[i - 1]) && !is_digit(shown[i - 1])) {
      while (i < text.size() && is_digit(text[i])) text[i++] = '\x01';
    }
  return text;
}

number_span next_number(const std::string& numbers, std::size_t from, std::size_t to) {
  to = std::min(to, numbers.size());
  while (from < to && !is_digit(numbers[from])) ++from;
  if (from >= to) return {to, to};
  std::size_t last = from;
  bool has_point = false;
  while (last + 1 < to && goes_on(numbers, from, last, has_point)) {
    has_point |= numbers[last + 1] == '.';
    last += is_digit(numbers[last + 1]) ? 1 : 2;
  }
  return {from, last + 1};
}

}  // namespace ablate::reports
