#pragma once

#include <stdexcept>

#include "base/process/child_process.h"

namespace ablate::gate {

/// SIGINT or SIGTERM arrived.
struct interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs a program to completion. Once a process::interrupt_watch has seen a signal, terminates the program,
/// waits for it and throws `interrupted`. Throws std::system_error if the program cannot be started.
process::ending run_to_its_end(process::command);

/// Throws `interrupted`.
void sleep_for(double seconds);

}  // namespace ablate::gate
