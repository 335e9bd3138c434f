#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ablate {

/// The words of a line, between blanks.
std::vector<std::string_view> words_of(std::string_view line);

/// A word that is a decimal number as a whole: `nan` and `inf` too.
std::optional<double> number_of(std::string_view word);

/// A word that is a count as a whole.
std::optional<std::uint64_t> count_of(std::string_view word);

/// The lines of text with which PLY and PCD files begin, whatever follows them.
class header_lines {
 public:
  /// `last`: what the last line of the header begins with, for messages. Throws bad_input if the file is
  /// empty or cannot be read.
  header_lines(const std::filesystem::path&, std::string last);

  /// The next line, without its end. Throws bad_input if there is none, or none within the first 64 KiB.
  std::string_view next();

  /// Throws bad_input with the number of the line last read.
  [[noreturn]] void refuse(const std::string& expected) const;

  std::uint64_t lines() const { return lines_; }  ///< that were read
  std::uint64_t bytes() const { return bytes_; }  ///< of the lines that were read

 private:
  std::string file_, last_, text_;
  std::uint64_t lines_ = 0, bytes_ = 0;
};

}  // namespace ablate
