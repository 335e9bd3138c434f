#pragma once

#include <stdexcept>

namespace ablate::gate {

/// A launched program did not do its job.
struct tool_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A program found no GPU, and was not asked for the host.
struct no_gpu : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ablate::gate
