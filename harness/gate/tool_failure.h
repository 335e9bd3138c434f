#pragma once

#include <stdexcept>

namespace ablate::gate {

/// A program that was launched did not do its part.
struct tool_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ablate::gate
