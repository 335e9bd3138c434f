#include "harness/inputs/files/text_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text/bad_input.h"
#include "harness/inputs/files/point_records.h"

namespace ablate {
namespace {

constexpr std::size_t max_header_line_bytes = 1 << 16;

template <class T>
std::optional<T> word_as(std::string_view digits) {
  T value{};
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r\v\f";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;
       at = line.find_first_not_of(blanks, at)) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::optional<double> number_of(std::string_view word) {
  return word_as<double>(word.starts_with('+') ? word.substr(1) : word);
}

std::optional<std::uint64_t> count_of(std::string_view word) { return word_as<std::uint64_t>(word); }

header_lines::header_lines(const std::filesystem::path& path, std::string last)
    : file_(path.string()), last_(std::move(last)), text_(first_bytes(path, max_header_line_bytes)) {}

std::string_view header_lines::next() {
  ++lines_;
  const std::size_t end = text_.find('\n', bytes_);
  if (end == std::string::npos)
    refuse(text_.size() < max_header_line_bytes
               ? fmt::format("expected more of the header, the file ends before '{}'", last_)
               : fmt::format("expected '{}' within the first {} bytes", last_, max_header_line_bytes));
  std::string_view line = std::string_view(text_).substr(bytes_, end - bytes_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  bytes_ = end + 1;
  return line;
}

void header_lines::refuse(const std::string& expected) const {
  throw bad_input(file_, fmt::format("line {}", lines_), expected);
}

}  // namespace ablate
