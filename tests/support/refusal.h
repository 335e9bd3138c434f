#pragma once

#include <string>

#include "base/text/bad_input.h"

namespace ablate::test_support {

/// What is said of bad input by what this throws; "accepted" where it throws nothing.
template <class Error = bad_input, class Read>
std::string refusal_from(Read read) {
  try {
    read();
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace ablate::test_support
