#pragma once

#include <string>

#include "harness/suite/suite.h"
#include "tests/support/temporary_directory.h"

namespace ablate::test_support {

/// The suite that this text is, as a file says it.
inline suite suite_in(const std::string& text) {
  const temporary_directory files;
  return read_suite(files.write("s.json", text));
}

}  // namespace ablate::test_support
