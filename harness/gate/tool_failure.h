#pragma once

#include <stdexcept>

namespace ablate::gate {

/// A launched program did not do its job.
struct tool_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ablate::gate
