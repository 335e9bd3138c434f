#pragma once

#include <stdexcept>
#include <string>

namespace ablate {

/// Invalid user input: a suite, a record, a flag, a point file. One line names the file, the place in it (a
/// JSON pointer, a line, a byte offset; may be empty) and what was expected. Exit code 2.
struct bad_input : std::runtime_error {
  bad_input(const std::string& file, const std::string& place, const std::string& expected)
      : std::runtime_error(file + ": " + (place.empty() ? "" : place + ": ") + expected) {}
};

}  // namespace ablate
