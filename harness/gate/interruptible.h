#pragma once

#include <stdexcept>

#include "reports/process/child_process.h"

namespace ablate::gate {

/// SIGINT or SIGTERM arrived.
struct interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs a program to its end. Once a signal has arrived for a process::interrupt_watch, the program is told
/// to end and waited for; then this throws `interrupted`. Throws std::system_error when it cannot be started.
process::ending run_to_its_end(process::command);

/// Throws `interrupted`.
void sleep_for(double seconds);

}  // namespace ablate::gate
