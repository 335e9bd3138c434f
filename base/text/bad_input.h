#pragma once

#include <stdexcept>
#include <string>

namespace ablate {

/// Invalid user input: a suite, a record, a flag, a point file. One line names the file, the place in it (a
/// JSON pointer, a line, a byte offset; may be empty) and what was expected. Exit code 2.
struct bad_input : std::runtime_error {
  bad_input(const std::string& file, const std::string& place, const std::string& expected)
      : std::runtime_error(without_zeros(file + ": " + (place.empty() ? "" : place + ": ") + expected)) {}

 private:
  /// what() would end at the first zero byte.
  static std::string without_zeros(std::string text) {
    for (std::size_t at = 0; (at = text.find('\0', at)) != std::string::npos;) text.replace(at, 1, "\\x00");
    return text;
  }
};

}  // namespace ablate
