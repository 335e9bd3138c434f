#include "base/text/plain_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace ablate::reports {
namespace {

/// Length and code point of UTF-8 text of two or three bytes at `at`; 0 for any other.
struct sequence {
  std::size_t bytes;
  unsigned point;
};

sequence sequence_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  if ((byte(0) & 0xe0) == 0xc0 && follows(1)) return {2, (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f)};
  if ((byte(0) & 0xf0) == 0xe0 && follows(1) && follows(2))
    return {3, (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f)};
  return {0, 0};
}

/// C1 controls, line and paragraph separators, and the marks, embeddings and isolates of bidirectional text.
bool is_control(unsigned point) {
  return (point >= 0x80 && point < 0xa0) || point == 0x061c || (point >= 0x200e && point <= 0x200f) ||
         (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

}  // namespace

std::string plain_text(std::string_view text) {
  const auto may_need_it = [](char c) {
    return static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) >= 0x7f || c == ':' ||
           c == '#';
  };
  if (std::none_of(text.begin(), text.end(), may_need_it)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::string_view rest = text.substr(i);
    if (byte < ' ' || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else if (const sequence at = sequence_at(text, i); at.bytes > 0) {
      out +=
          is_control(at.point) ? fmt::format("\\u{:04x}", at.point) : std::string(rest.substr(0, at.bytes));
      i += at.bytes - 1;
    } else if (rest.starts_with("::") && (i == 0 || text[i - 1] == ' ')) {
      out += "\\x3a";
    } else if (rest.starts_with("##[") || rest.starts_with("##vso[")) {
      out += "\\x23";
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace ablate::reports
