#include <cctype>

#include "reports/quotes/document.h"

namespace ablate::reports {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool digits_at(const std::string& text, std::size_t at, std::size_t many) {
  for (std::size_t i = at; i < at + many; ++i)
    if (i >= text.size() || !is_digit(text[i])) return false;
  return true;
}

/// Whether the number that reaches up to `at` continues: "131 072", "3.4".
bool goes_on(const std::string& text, std::size_t at) {
  if (digits_at(text, at + 1, 1)) return true;
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  return (next == '.' && digits_at(text, at + 2, 1)) ||
         (next == ' ' && digits_at(text, at + 2, 3) && !digits_at(text, at + 5, 1));
}

void blank(std::string& text, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to && i < text.size(); ++i)
    if (text[i] != '\n') text[i] = ' ';
}

/// From each `open` to the next `close`, both included; to the end if there is none.
void blank_between(std::string& text, const std::string& open, const std::string& close) {
  for (std::size_t from = text.find(open); from != text.npos; from = text.find(open, from)) {
    const std::size_t end = text.find(close, from + open.size());
    blank(text, from, end == text.npos ? text.size() : end + close.size());
  }
}

}  // namespace

std::vector<number_in_text> numbers_in(const std::string& markdown) {
  std::string text = markdown;
  blank_between(text, "```", "```");
  blank_between(text, "`", "`");
  blank_between(text, "](", ")");
  std::vector<number_in_text> out;
  std::size_t line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    line += text[i] == '\n';
    if (!is_digit(text[i]) || (i > 0 && is_of_a_name(text[i - 1]))) continue;
    const std::size_t begin = i;
    while (goes_on(text, i)) ++i;
    out.push_back({line, text.substr(begin, i + 1 - begin)});
  }
  return out;
}

}  // namespace ablate::reports
